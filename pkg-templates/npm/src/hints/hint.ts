/** The ghost hint behind a typed line, and the candidates at the cursor. Pure: rows and words in, text out. */

import { expectedNext, printPieces, type Argument, type Expected, type Piece } from './grammar.js';
import { remaining } from './match.js';
import { typedWords, type TypedWords } from './words.js';

/** Part of a command row that the hint functions read. A subcommand is a row named `PARENT|CHILD`. */
export interface HintRow {
  /** Name in capitals; `CLIENT|ID` for a subcommand. */
  readonly name: string;
  /** Number of words, the name included; negative if there may be more. */
  readonly arity: number;
  /** Grammar of the arguments. */
  readonly arguments: readonly Argument[];
}

/** The rows under their upper-case names. */
export type HintRows = ReadonlyMap<string, HintRow>;

/** The command that the first words name, and how many words its name takes. */
export interface NamedCommand {
  /** Row of the command. */
  readonly row: HintRow;
  /** 1, or 2 for a subcommand. */
  readonly nameWords: number;
}

/** Finds the row that the first words of a line name. */
export function findCommand(rows: HintRows, words: readonly string[]): NamedCommand | undefined {
  const first = words[0]?.toUpperCase() ?? '';
  const pair = words.length > 1 ? rows.get(`${first}|${(words[1] as string).toUpperCase()}`) : undefined;
  if (pair) return { row: pair, nameWords: 2 };
  const row = rows.get(first);
  return row && { row, nameWords: 1 };
}

/** The subcommands of a container, as keywords of which one is chosen. */
export function subcommands(rows: HintRows, container: string): string[] {
  const prefix = `${container.toUpperCase()}|`;
  return [...rows.keys()].filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
}

/** Missing arguments after the finished words; undefined for an unknown command or a word that fits nowhere. */
export function missing(rows: HintRows, done: readonly string[]): readonly Piece[] | undefined {
  const named = findCommand(rows, done);
  if (!named) return undefined;
  const children = named.nameWords === 1 ? subcommands(rows, named.row.name) : [];
  if (children.length === 0) return remaining(named.row.arguments, done.slice(named.nameWords));
  return done.length > 1 ? undefined : [childChoice(children, Math.abs(named.row.arity) === 1)];
}

function childChoice(children: readonly string[], optional: boolean): Piece {
  const choices = children.map((name): Argument => ({ name, token: name, type: 'pure-token' }));
  return { name: 'subcommand', type: 'oneof', optional, arguments: choices };
}

/**
 * Text to show behind the cursor: the end of the word that is being typed, then the arguments that remain. Inside quotes
 * the text goes on, which a hint would follow as if it came next.
 */
export function ghostHint(rows: HintRows, line: string): string {
  const typed = typedWords(line);
  if (typed.openQuote) return '';
  if (typed.done.length === 0) return typed.partial ? nameHint(rows, typed.partial) : '';
  const before = missing(rows, typed.done);
  if (!before) return '';
  if (typed.partialStart === line.length) return printPieces(before);
  return partialHint(rows, typed, expectedNext(before));
}

function nameHint(rows: HintRows, partial: string): string {
  const name = partial.toUpperCase();
  if (rows.has(name)) return spaced(missing(rows, [name]));
  const [full] = [...rows.keys()].filter((row) => row.startsWith(name) && !row.includes('|')).sort(byLength);
  return full ? full.slice(name.length) + spaced(missing(rows, [full])) : '';
}

function partialHint(rows: HintRows, typed: TypedWords, expected: Expected): string {
  const asTyped = missing(rows, [...typed.done, typed.partial]);
  const word = typed.partial.toUpperCase();
  const whole = expected.tokens.some((token) => token.toUpperCase() === word);
  if (whole || expected.values.length > 0) return spaced(asTyped);
  const token = expected.tokens.find((candidate) => candidate.toUpperCase().startsWith(word));
  return token ? token.slice(word.length) + spaced(missing(rows, [...typed.done, token])) : '';
}

function spaced(pieces: readonly Piece[] | undefined): string {
  const text = pieces ? printPieces(pieces) : '';
  return text && ` ${text}`;
}

/** Shortest first, then by name: `SET` before `SETEX`, `GET` before `GETDEL`. */
export function byLength(one: string, other: string): number {
  return one.length - other.length || (one < other ? -1 : 1);
}

/** The syntax line of a row: its name and its whole grammar. */
export function syntaxOf(rows: HintRows, row: HintRow): string {
  const name = row.name.replace('|', ' ');
  return name + spaced(missing(rows, row.name.split('|')));
}
