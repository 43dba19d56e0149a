/** Splits text pasted into the command line into commands with the replies that it shows. */

import type { SessionLine } from 'keylatch/hints';
import { type Address, addressOf, FIRST_NAME } from './addressed-line.ts';
import { type CommandNames, rewritePasted } from './paste-filter.ts';
import { linesApart } from './session-lines.ts';
import { dedented, indentOf } from './typed-line.ts';

/** Without a client it is for the active one. */
export interface PastedCommand extends Address {
  readonly text: string;
  /** Lines of the reply that were pasted with it; `undefined` stands for any lines. */
  readonly expected: readonly (string | undefined)[];
}

/** Kinds of lines that run, and of those below them that are compared. */
const STEPS: ReadonlySet<SessionLine['kind']> = new Set(['command', 'clock', 'race', 'join']);
const REPLIES: ReadonlySet<SessionLine['kind']> = new Set(['reply', 'literal', 'anything']);

/**
 * Commands of a pasted text, in order. A clock line counts as a command of the page. Where some prompts name clients,
 * those of other programs mean the default client, as in a session.
 */
export function pastedCommands(text: string, names: CommandNames): PastedCommand[] {
  const commands = commandsOf(text, names);
  if (commands.every(({ client }) => client === undefined)) return commands;
  return commands.map((command) =>
    command.text.startsWith('@') ? command : { ...command, client: command.client ?? FIRST_NAME },
  );
}

function commandsOf(text: string, names: CommandNames): PastedCommand[] {
  const commands: (PastedCommand & { expected: (string | undefined)[] })[] = [];
  // Below a receive line stand messages, which the log shows by itself.
  let received = false;
  let indent = '';
  for (const line of linesApart(rewritePasted(text, names).text)) {
    const { kind, head, rest } = line;
    if (kind === 'receive') received = true;
    else if (STEPS.has(kind)) {
      received = false;
      indent = indentOf(head + rest);
      commands.push({ ...addressOf(line), text: rest.trim(), expected: [] });
    } else if (!received && REPLIES.has(kind)) commands.at(-1)?.expected.push(expectedLine(line, indent));
  }
  return commands;
}

/** A pasted command for the field: with its prompt, unless the active client would run it there anyway. */
export function fieldText(
  { client, database, text }: PastedCommand,
  active: { name: string; database: number },
): string {
  const isSame = (client ?? active.name) === active.name && (database ?? active.database) === active.database;
  return isSame ? text : `${client ?? active.name}${database === undefined ? '' : `[${database}]`}> ${text}`;
}

function expectedLine({ kind, rest }: SessionLine, indent: string): string | undefined {
  if (kind === 'anything') return undefined;
  const line = dedented(rest, indent).trimEnd();
  return kind === 'literal' ? line.replace(/^\s*\| ?/, '') : line;
}

/** Compares printed lines with pasted ones; undefined stands for any lines. */
export function isAsPasted(
  expected: readonly (string | undefined)[],
  printed: readonly string[],
  unordered: boolean,
): boolean {
  if (unordered && !expected.includes(undefined)) return sameLines(members(expected as string[]), members(printed));
  const [first, ...others] = runs(expected);
  if (!first || !sameLines(first, printed.slice(0, first.length))) return false;
  if (others.length === 0) return first.length === printed.length;
  const last = others.pop() ?? [];
  const rest = printed.slice(first.length, printed.length - last.length);
  if (printed.length < first.length + last.length) return false;
  return sameLines(last, printed.slice(printed.length - last.length)) && inOrder(others, rest);
}

/** The written lines between the places that stand for any lines. */
function runs(expected: readonly (string | undefined)[]): string[][] {
  const found: string[][] = [[]];
  for (const line of expected) {
    if (line === undefined) found.push([]);
    else found.at(-1)?.push(line);
  }
  return found;
}

function inOrder(wanted: readonly string[][], lines: readonly string[]): boolean {
  let rest = lines;
  for (const run of wanted) {
    const start = rest.findIndex((_, index) => sameLines(run, rest.slice(index, index + run.length)));
    if (run.length > 0 && start === -1) return false;
    rest = rest.slice(Math.max(start, 0) + run.length);
  }
  return true;
}

function sameLines(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, index) => canonical(line) === canonical(other[index] ?? ''));
}

/** Lines of an aggregate without their numbers, sorted. */
function members(lines: readonly string[]): string[] {
  return lines.map((line) => line.replace(/^\s*\d+[)~#] /, '')).sort();
}

/** Old servers print an empty array as `(empty list or set)`. */
function canonical(line: string): string {
  return line.trimEnd().replace(/\(empty list or set\)$/, '(empty array)');
}
