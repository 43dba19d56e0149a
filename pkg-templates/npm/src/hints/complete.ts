/**
 * Completion candidates at the cursor: command names, subcommands, keywords of the grammar, and key names. Pure.
 */

import { expectedNext } from './grammar.js';
import { byLength, missing, type HintRows } from './hint.js';
import { typedWords } from './words.js';

/** Kind of a candidate. */
export type CandidateKind = 'command' | 'keyword' | 'key';

/** A word that may stand at the cursor. */
export interface Candidate {
  /** The word as it is to be typed. */
  readonly text: string;
  /** Whether a command, a keyword of its grammar or a key. */
  readonly kind: CandidateKind;
}

/** Candidates at the cursor, and the text they replace. */
export interface Completion {
  /** The candidates, the likeliest first. */
  readonly candidates: readonly Candidate[];
  /** Start of the range that a chosen candidate replaces. */
  readonly from: number;
  /** End of the range. */
  readonly to: number;
}

/** Keys that start with a prefix, written as they have to be typed; at most as many as asked for. */
export type KeySource = (prefix: string, limit: number) => readonly string[];

const LIMIT = 12;

/** Candidates at the end of a line: command names, keywords of the grammar, and keys. */
export function complete(rows: HintRows, line: string, keys: KeySource): Completion {
  const typed = typedWords(line);
  const span = { from: typed.partialStart, to: line.length };
  if (typed.done.length === 0) return { candidates: commandNames(rows, typed.partial), ...span };
  const pieces = missing(rows, typed.done);
  if (!pieces) return { candidates: [], ...span };
  const expected = expectedNext(pieces);
  const keywords = typed.openQuote ? [] : startingWith(unique(expected.tokens), typed.partial);
  const wantsKey = expected.values.some((value) => value.type === 'key');
  const names = wantsKey ? keys(typed.partial, LIMIT) : [];
  const candidates: Candidate[] = [
    ...names.filter((name) => name !== typed.partial).map((text): Candidate => ({ text, kind: 'key' })),
    ...keywords.map((text): Candidate => ({ text, kind: 'keyword' })),
  ];
  return { candidates: candidates.slice(0, LIMIT), ...span };
}

function commandNames(rows: HintRows, partial: string): Candidate[] {
  if (!partial) return [];
  const word = partial.toUpperCase();
  const names = [...rows.keys()].filter((name) => !name.includes('|'));
  const starting = names.filter((name) => name.startsWith(word)).sort(byLength);
  const scattered = names.filter((name) => !name.startsWith(word) && isSubsequence(word, name)).sort(byLength);
  const all = word.length > 1 ? [...starting, ...scattered] : starting;
  return all.slice(0, LIMIT).map((text) => ({ text, kind: 'command' }));
}

function startingWith(tokens: readonly string[], partial: string): string[] {
  return tokens.filter((token) => token.toUpperCase().startsWith(partial.toUpperCase()));
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

function isSubsequence(needle: string, text: string): boolean {
  let found = 0;
  for (const character of text) if (character === needle[found]) found += 1;
  return found === needle.length;
}

/** A key as it has to be typed: bare when it is plain, else in double quotes. */
export function quoteWord(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters must be quoted.
  return /^[^\s"'\\\x00-\x1f\x7f-\x9f]+$/.test(text) ? text : `"${[...text].map(escapeCharacter).join('')}"`;
}

const ESCAPES: Readonly<Record<string, string>> = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escapeCharacter(character: string): string {
  const escaped = ESCAPES[character];
  if (escaped) return escaped;
  const code = character.codePointAt(0) ?? 0;
  const hexadecimal = `\\x${code.toString(16).padStart(2, '0')}`;
  if (code < 0x20 || code === 0x7f) return hexadecimal;
  // Escapes are bytes: characters of C1 have two in UTF-8.
  return code > 0x7f && code < 0xa0 ? `\\xc2${hexadecimal}` : character;
}
