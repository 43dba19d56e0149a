/** Shapes of arguments that several families share, and how they are laid out. */
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

/** Appends key, value, key, value; answers how many pairs there were. */
export function pushPairs(argv: Argument[], pairs: Pairs): number {
  let count = 0;
  for (const [key, value] of entriesOf(pairs)) {
    argv.push(key, value);
    count += 1;
  }
  return count;
}

/** How many, then each: the form of commands whose keys or fields have something behind them. */
export function pushCounted(argv: Argument[], words: Keys): Argument[] {
  const all = listed(words);
  argv.push(all.length, ...all);
  return argv;
}

/** The part of a walk to answer. */
export interface PageOptions {
  /** A glob pattern that what is answered matches. */
  readonly match?: Argument;
  /** About how much to look at. */
  readonly count?: number;
}

export function pushPage(argv: Argument[], options: PageOptions): Argument[] {
  if (options.match !== undefined) argv.push('MATCH', options.match);
  if (options.count !== undefined) argv.push('COUNT', options.count);
  return argv;
}
