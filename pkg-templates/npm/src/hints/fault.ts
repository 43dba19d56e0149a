/**
 * The first word of a typed command that fits no name, keyword or value of the rows, with what was probably meant. Pure.
 */

import { expectedNext, type Argument, type ArgumentType, type Expected } from './grammar.js';
import { byLength, findCommand, missing, subcommands, type HintRow, type HintRows } from './hint.js';
import { wordSpans, type WordSpan } from './words.js';
import { repetitionsOf } from './repetitions.js';

/**
 * Kind of a fault: an unknown command, subcommand or option; an option that is there already or excluded by another one;
 * a value of the wrong type; a word too many.
 */
export type FaultKind = 'command' | 'subcommand' | 'option' | 'repeated' | 'value' | 'extra';

/** A word that does not fit, and its place in the line. */
export interface LineFault {
  /** Reason why the word is wrong. */
  readonly kind: FaultKind;
  /** The word without quotes. */
  readonly word: string;
  /** Where the word starts in the line. */
  readonly start: number;
  /** Where the word ends. */
  readonly end: number;
  /** True if the word ends the line: it may still be typed on. */
  readonly unfinished: boolean;
  /** Names or keywords that were probably meant, the likeliest first. */
  readonly near: readonly string[];
  /** The command, with its subcommand; undefined if it is unknown. */
  readonly row: HintRow | undefined;
  /** With `value`: the argument that was expected. */
  readonly expected: { readonly name: string; readonly type: ArgumentType } | undefined;
}

const NEAR_MAX = 3;
/** Number of words above which a line is not examined: finding the word tries several beginnings. */
const WORDS_MAX = 200;

type Found = Pick<LineFault, 'kind' | 'near'> & { readonly at: number } & Partial<LineFault>;

/**
 * The first word that fits nowhere, or undefined. A word at the end of the line that may still become one that fits is
 * no fault, and missing words are none.
 */
export function findFault(rows: HintRows, line: string): LineFault | undefined {
  const { words, openQuote } = wordSpans(line);
  const complete = openQuote ? words.slice(0, -1) : words;
  if (complete.length === 0 || complete.length > WORDS_MAX) return undefined;
  // A number in front of a command repeats it.
  const command = complete.slice(repetitionsOf(complete.map(({ text }) => text))?.skipped ?? 1);
  const found = faultOf(rows, command, line.length);
  if (!found) return undefined;
  const { at, ...fault } = found;
  const { text: word, start, end } = command[at] as WordSpan;
  return { row: undefined, expected: undefined, ...fault, word, start, end, unfinished: end === line.length };
}

function faultOf(rows: HintRows, words: readonly WordSpan[], length: number): Found | undefined {
  const texts = words.map(({ text }) => text);
  const named = findCommand(rows, texts);
  const isOpen = (at: number): boolean => words[at]?.end === length;
  const choice = (kind: FaultKind, at: number, names: readonly string[], row?: HintRow): Found | undefined =>
    isOpen(at) && startsOne(names, texts[at] as string)
      ? undefined
      : { kind, at, near: nearest(names, texts[at] as string), row };
  if (!named) return choice('command', 0, commandNames(rows));
  const { row, nameWords } = named;
  if (missing(rows, texts)) return undefined;
  const children = nameWords === 1 ? subcommands(rows, row.name) : [];
  if (children.length > 0) return texts.length > 1 ? choice('subcommand', 1, children, row) : undefined;
  const at = firstMisfit(rows, texts, nameWords);
  const found = argumentFault(rows, texts.slice(0, at + 1), row);
  return found && isOpen(at) && mayGrow(found.before, texts[at] as string) ? undefined : found?.fault;
}

/** Index of the first word with which the line fits no command: every beginning of a line that fits does so, too. */
function firstMisfit(rows: HintRows, texts: readonly string[], nameWords: number): number {
  let low = nameWords;
  let high = texts.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (missing(rows, texts.slice(0, middle + 1))) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The fault of the last word, and what was expected in its place. */
function argumentFault(
  rows: HintRows,
  texts: readonly string[],
  row: HintRow,
): { readonly fault: Found; readonly before: Expected } | undefined {
  const at = texts.length - 1;
  const word = texts[at] as string;
  const pieces = missing(rows, texts.slice(0, at));
  if (!pieces) return undefined;
  const before = expectedNext(pieces);
  const near = nearest(before.tokens, word);
  const [value] = before.values;
  const expected = value && { name: value.name, type: value.type };
  const fault = (kind: FaultKind): { fault: Found; before: Expected } => ({
    fault: { kind, at, near, row, expected: kind === 'value' ? expected : undefined },
    before,
  });
  if (near.length > 0) return fault('option');
  if (keywordsOf(row.arguments).includes(word.toUpperCase())) return fault('repeated');
  if (value) return mayBeNumber(before, word) ? undefined : fault('value');
  return fault(pieces.length === 0 ? 'extra' : 'option');
}

/** Numbers that parsers of single commands accept beside those of the grammar: `(1`, `#2`, `+3`, `0x10`. */
const LAX_NUMBER = /^[(#]?\s*[+-]?(?:inf(?:inity)?|0x[\da-f.]+(?:p[+-]?\d+)?|[\d.]+(?:e[+-]?\d+)?)?$/i;

/** True if a command may accept the word as one of the expected values after all. */
function mayBeNumber(expected: Expected, word: string): boolean {
  return expected.values.some(({ type }) => isNumber(type)) && LAX_NUMBER.test(word);
}

function isNumber(type: ArgumentType): boolean {
  return type === 'integer' || type === 'unix-time' || type === 'double';
}

/** True if the word may become a keyword or a number when more is typed. */
function mayGrow({ tokens, values }: Expected, word: string): boolean {
  const wantsNumber = values.some(({ type }) => isNumber(type));
  return startsOne(tokens, word) || (wantsNumber && /^[+-]?(?:\d*(?:\.\d*)?(?:e[+-]?)?|i|in|inf\w*)$/i.test(word));
}

function startsOne(names: readonly string[], word: string): boolean {
  return names.some((name) => name.toUpperCase().startsWith(word.toUpperCase()));
}

/** All keywords of a grammar, in capitals. */
function keywordsOf(grammar: readonly Argument[]): string[] {
  return grammar.flatMap(({ token, arguments: parts }) => [
    ...(token === undefined ? [] : [token.toUpperCase()]),
    ...keywordsOf(parts ?? []),
  ]);
}

function commandNames(rows: HintRows): string[] {
  return [...rows.keys()].filter((name) => !name.includes('|'));
}

/** The names that differ least from a word: by few letters, or by letters that are missing at its end. */
function nearest(names: readonly string[], word: string): string[] {
  const wanted = word.toUpperCase();
  const limit = wanted.length < 3 ? 0 : wanted.length < 5 ? 1 : 2;
  return [...new Set(names)]
    .map((name) => ({ name, far: distance(name.toUpperCase(), wanted, limit) }))
    .filter(({ far }) => far <= limit)
    .sort((one, other) => one.far - other.far || byLength(one.name, other.name))
    .slice(0, NEAR_MAX)
    .map(({ name }) => name);
}

/** Number of letters to insert, remove, replace or swap, or more than the limit; a letter too few at the end counts. */
function distance(one: string, other: string, limit: number): number {
  if (Math.abs(one.length - other.length) > limit) return limit + 1;
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const same = one[i - 1] === other[j - 1];
      const swapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      const step = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (same ? 0 : 1));
      next.push(swapped ? Math.min(step, (before[j - 2] ?? 0) + 1) : step);
    }
    before = row;
    row = next;
  }
  return row[other.length] ?? 0;
}
