/**
 * Splits text pasted into the command line into commands: transcripts with prompts and replies, fenced blocks,
 * comments, or plain commands one per line. Pure.
 */

import { splitCommands } from 'keylatch/hints';

export interface PastedCommand {
  /** Client name in the prompt; undefined: the active client. */
  readonly client: string | undefined;
  readonly text: string;
}

const PROMPT = /^([A-Za-z_][\w.-]*|(?:redis )?[\w.[\]-]+:\d+)?(?:\[\d+\])?(?:\(TX\))?>(?: (.*)|())$/;
const DEFAULT_NAMES = new Set(['redis', 'redis-cli', 'valkey', 'valkey-cli', 'keylatch']);

/** Commands of a pasted text, in order. Where prompts are used, lines without one are replies and left out. */
export function pastedCommands(text: string): PastedCommand[] {
  const lines = text
    .replace(/\r\n?/g, '\n')
    .split('\n')
    .filter((line) => !/^\s*```/.test(line));
  const prompted = lines.map((line) => readPrompt(line.trim()));
  if (prompted.some(Boolean))
    return prompted.filter((command) => command !== undefined && command.text !== '') as PastedCommand[];
  const plain = lines.filter((line) => !/^\s*#/.test(line)).join('\n');
  return splitCommands(plain).map((command) => ({ client: undefined, text: command.text.trim() }));
}

/** True for a clock line, which counts as a command of the page: transcripts have it between prompts. */
function readPrompt(line: string): PastedCommand | undefined {
  if (/^@ \S/.test(line)) return { client: undefined, text: line };
  const match = PROMPT.exec(line);
  if (!match) return undefined;
  const name = match[1];
  const named = name !== undefined && !name.includes(':') && !DEFAULT_NAMES.has(name.toLowerCase());
  return { client: named ? name : undefined, text: (match[2] ?? '').trim() };
}
