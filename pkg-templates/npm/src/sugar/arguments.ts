/** Forms of arguments that several families share. */
import type { Argument } from '../argument.js';

/** One key or several. */
export type Keys = Argument | readonly Argument[];

/** Keys or fields with their values: an object, a Map, or pairs. */
export type Pairs<Value = Argument> = Readonly<Record<string, Value>> | Iterable<readonly [Argument, Value]>;

export function listed(keys: Keys): readonly Argument[] {
  return Array.isArray(keys) ? (keys as readonly Argument[]) : [keys as Argument];
}

export function entriesOf<Value>(pairs: Pairs<Value>): Iterable<readonly [Argument, Value]> {
  return Symbol.iterator in pairs ? (pairs as Iterable<readonly [Argument, Value]>) : Object.entries(pairs);
}

/** Appends key, value, key, value, and returns the number of pairs. */
export function pushPairs(argv: Argument[], pairs: Pairs): number {
  let count = 0;
  for (const [key, value] of entriesOf(pairs)) {
    argv.push(key, value);
    count += 1;
  }
  return count;
}

/** Appends the number of words, then the words: the form of keys or fields that are followed by other arguments. */
export function pushCounted(argv: Argument[], words: Keys): Argument[] {
  const all = listed(words);
  argv.push(all.length, ...all);
  return argv;
}

/** Options of one page of a scan. */
export interface PageOptions {
  /** Glob pattern of the names to return. */
  readonly match?: Argument;
  /** Approximate number of elements to look at. */
  readonly count?: number;
}

export function pushPage(argv: Argument[], options: PageOptions): Argument[] {
  if (options.match !== undefined) argv.push('MATCH', options.match);
  if (options.count !== undefined) argv.push('COUNT', options.count);
  return argv;
}
