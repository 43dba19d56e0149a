/** The interactive command line, and its variant without a terminal: lines in, replies out. */
import { createInterface, type Interface } from 'node:readline';
import { complete, type Completion } from '../hints/complete.js';
import { ghostHint } from '../hints/hint.js';
import { isUnfinished } from '../hints/unfinished.js';
import { oneLine } from '../base/one-line.js';
import { showGhost } from './ghost.js';
import { History } from './history.js';
import { printError } from './output.js';
import type { Shell, ShellOptions } from './shell.js';

const CLEAR_SCREEN = '\x1b[2J\x1b[3J\x1b[H';
/** Prompt of the further lines of a command. */
const CONTINUATION = '... ';
const TO_LINE_START = '\r\x1b[J';

/** Makes a shell with its output. */
export type OpenShell = (options: ShellOptions) => Shell | Promise<Shell>;

/** Candidates with the names of keys, for which a shell may have to ask a server. */
async function completion(shell: Shell, line: string): Promise<Completion> {
  let wanted: { readonly prefix: string; readonly limit: number } | undefined;
  const withoutKeys = complete(shell.rows, line, (prefix, limit) => {
    wanted = { prefix, limit };
    return [];
  });
  if (wanted === undefined) return withoutKeys;
  const keys = await shell.keys(wanted.prefix, wanted.limit);
  return complete(shell.rows, line, () => keys);
}

type Completed = [candidates: string[], word: string];

/** Completion (Tab): candidates for the word under the cursor. */
async function completer(shell: Shell, line: string): Promise<Completed> {
  const { candidates, from, to } = await completion(shell, line);
  const word = line.slice(from, to);
  const fitting = candidates
    .map(({ text }) => text)
    .filter((text) => text.toLowerCase().startsWith(word.toLowerCase()));
  return [fitting.map((text) => `${text} `), word];
}

function hintsWanted(): boolean {
  return process.env['NO_COLOR'] === undefined && process.env['TERM'] !== 'dumb';
}

/** A terminal: prompt, history, completion, hints. Resolves when the user leaves. */
export async function interact(open: OpenShell): Promise<void> {
  const history = new History();
  const shell = await open({ show: (text) => print(text), idle: () => prompt(), isTerminal: true });
  const editor = createInterface({
    input: process.stdin,
    output: process.stdout,
    prompt: shell.prompt,
    history: history.load(),
    historySize: 1000,
    removeHistoryDuplicates: true,
    // With two parameters a completer answers later.
    completer: (line: string, done: (error: null, found: Completed) => void) => {
      if (unfinished !== undefined) done(null, [[], line]);
      else completer(shell, line).then((found) => done(null, found));
    },
  });
  let running = false;
  // The lines so far of a command with a script in open quotes.
  let unfinished: string | undefined;
  const whole = (line: string): string => (unfinished === undefined ? line : `${unfinished}\n${line}`);
  if (hintsWanted()) showGhost(editor, process.stdin, process.stdout, (line) => ghostHint(shell.rows, whole(line)));
  let entries: string[] = [];
  // The lines of an unfinished command become one entry at its end.
  editor.on('history', (changed) => {
    entries = changed;
    if (unfinished !== undefined || isUnfinished(entries[0] ?? '')) entries.shift();
  });
  const prompt = (): void => {
    editor.setPrompt(unfinished === undefined ? shell.prompt : CONTINUATION);
    // While a command waits, the line is empty as in redis-cli.
    if (!shell.waiting) editor.prompt(true);
  };
  // Messages and late replies are printed above the line that is being typed.
  const print = (text: string): void => {
    process.stdout.write(running ? `${text}\n` : `${TO_LINE_START}${text}\n`);
    if (!running) prompt();
  };
  prompt();
  editor.on('line', (typed) => {
    const line = whole(typed);
    unfinished = isUnfinished(line) ? line : undefined;
    if (unfinished !== undefined) return prompt();
    if (line !== typed) entries.unshift(oneLine(line));
    if (line.trim() !== '') history.add(oneLine(line));
    running = true;
    const action = shell.run(line);
    running = false;
    if (action === 'quit') return editor.close();
    if (action === 'clear') process.stdout.write(CLEAR_SCREEN);
    prompt();
  });
  editor.on('SIGINT', () => {
    if (unfinished !== undefined && editor.line === '') {
      unfinished = undefined;
      process.stdout.write('^C\n');
      return prompt();
    }
    if (!shell.waiting || !shell.giveUp()) cancel(editor);
  });
  await new Promise((resolve) => editor.on('close', resolve));
  shell.close();
}

/** Ctrl-C clears the typed line; on an empty line it quits. */
function cancel(editor: Interface): void {
  if (editor.line === '') return editor.close();
  process.stdout.write('^C\n');
  editor.write(null, { ctrl: true, name: 'e' });
  editor.write(null, { ctrl: true, name: 'u' });
  editor.prompt();
}

/** Runs lines from a pipe or a file, without prompts; blocking commands are awaited. Returns the exit code. */
export async function readPipe(open: OpenShell): Promise<number> {
  const shell = await open({ show: (text) => process.stdout.write(`${text}\n`) });
  const problem = await runLines(shell);
  shell.close();
  if (problem === undefined) return 0;
  printError(problem);
  return 1;
}

/** Returns why the lines behind one were not run, if so. */
async function runLines(shell: Shell): Promise<string | undefined> {
  for await (const line of commandsOf(createInterface({ input: process.stdin, crlfDelay: Infinity }))) {
    if (shell.run(line) === 'quit') return undefined;
    const problem = await shell.settled();
    if (problem !== undefined) return `${line.trim()} ${problem}`;
  }
  return shell.finished();
}

/** Joins the lines of a command with a script in quotes. */
async function* commandsOf(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let unfinished: string | undefined;
  for await (const line of lines) {
    const command: string = unfinished === undefined ? line : `${unfinished}\n${line}`;
    // Only a quote closes quotes: a long script is not read anew at each line.
    const isOpen = (unfinished !== undefined && !/["']/.test(line)) || isUnfinished(command);
    unfinished = isOpen ? command : undefined;
    if (unfinished === undefined) yield command;
  }
  if (unfinished !== undefined) yield unfinished;
}
