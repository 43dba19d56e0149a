/** The interactive command line, and the same without a terminal: lines in, replies out. */
import { createInterface, type Interface } from 'node:readline';
import { complete, ghostHint } from '../hints.js';
import { showGhost } from './ghost.js';
import { History } from './history.js';
import type { Shell } from './shell.js';

const CLEAR_SCREEN = '\x1b[2J\x1b[3J\x1b[H';

/** Tab: what the word under the cursor may become. */
function completer(shell: Shell, line: string): [candidates: string[], word: string] {
  const { candidates, from, to } = complete(shell.rows, line, (prefix, limit) => shell.keys(prefix, limit));
  const word = line.slice(from, to);
  const fitting = candidates.map(({ text }) => text).filter((text) => text.toLowerCase().startsWith(word.toLowerCase()));
  return [fitting.map((text) => `${text} `), word];
}

function hintsWanted(): boolean {
  return process.env['NO_COLOR'] === undefined && process.env['TERM'] !== 'dumb';
}

/** Runs a line and prints its answer; false when it ends the session. */
function obey(shell: Shell, line: string): boolean {
  const { text, action } = shell.run(line);
  if (text !== undefined) process.stdout.write(`${text}\n`);
  if (action === 'clear') process.stdout.write(CLEAR_SCREEN);
  return action !== 'quit';
}

/** A terminal: prompt, history, completion, hints. Resolves when the user leaves. */
export function interact(shell: Shell): Promise<void> {
  const history = new History();
  const editor = createInterface({
    input: process.stdin,
    output: process.stdout,
    prompt: shell.prompt,
    history: history.load(),
    historySize: 1000,
    removeHistoryDuplicates: true,
    completer: (line: string) => completer(shell, line),
  });
  if (hintsWanted()) showGhost(editor, process.stdin, process.stdout, (line) => ghostHint(shell.rows, line));
  editor.prompt();
  editor.on('line', (line) => {
    if (line.trim() !== '') history.add(line);
    if (!obey(shell, line)) return editor.close();
    editor.setPrompt(shell.prompt);
    editor.prompt();
  });
  editor.on('SIGINT', () => cancel(editor));
  return new Promise((resolve) => editor.on('close', resolve));
}

/** Ctrl-C drops what is typed; on an empty line it leaves. */
function cancel(editor: Interface): void {
  if (editor.line === '') return editor.close();
  process.stdout.write('^C\n');
  editor.write(null, { ctrl: true, name: 'e' });
  editor.write(null, { ctrl: true, name: 'u' });
  editor.prompt();
}

/** Lines from a pipe or a file, without prompts. */
export async function readPipe(shell: Shell): Promise<void> {
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    if (!obey(shell, line)) return;
  }
}
