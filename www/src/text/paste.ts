/** Splits text pasted into the command line into commands with the replies that it shows. Pure. */

import { kindedLine } from './line-kinds.ts';
import { type CommandNames, rewritePasted } from './paste-filter.ts';

export interface PastedCommand {
  /** Client name in the prompt; undefined: the active client. */
  readonly client: string | undefined;
  readonly text: string;
  /** Lines of the reply that were pasted with it; `undefined` stands for any lines. */
  readonly expected: readonly (string | undefined)[];
}

/** Commands of a pasted text, in order. A clock line counts as a command of the page. */
export function pastedCommands(text: string, names: CommandNames): PastedCommand[] {
  const commands: (PastedCommand & { expected: (string | undefined)[] })[] = [];
  // Below a receive line stand messages, which the log shows by itself.
  let received = false;
  for (const line of rewritePasted(text, names).text.split('\n')) {
    const { kind, client, rest } = kindedLine(line);
    if (kind === 'receive') received = true;
    else if (kind === 'clock' || (kind === 'command' && rest.trim() !== '')) {
      received = false;
      commands.push({ client: client || undefined, text: rest.trim(), expected: [] });
    } else if (!received && (kind === 'reply' || kind === 'anything'))
      commands.at(-1)?.expected.push(expectedLine(line));
  }
  return commands;
}

function expectedLine(line: string): string | undefined {
  if (line.trim() === '...') return undefined;
  return line.replace(/^\| ?/, '').trimEnd();
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
