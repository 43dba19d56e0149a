/** Forms of arguments that several families share. */
import type { Argument } from '../../base/argument.js';
import { isArgument, type Shape, shown } from '../../base/option-check.js';
import { CallerTypeError } from '../../base/caller-errors.js';

/** One key or several. */
export type Keys = Argument | readonly Argument[];

/** Keys or fields with their values: an object, a Map, or pairs. */
export type Pairs<Value = Argument> = Readonly<Record<string, Value>> | Iterable<readonly [Argument, Value]>;

export function listed(keys: Keys): readonly Argument[] {
  return Array.isArray(keys) ? (keys as readonly Argument[]) : [keys as Argument];
}

/** The words of a method that takes them one by one or as one array. */
export function listOf(given: readonly unknown[]): readonly Argument[] {
  return (given.length === 1 && Array.isArray(given[0]) ? given[0] : given) as readonly Argument[];
}

/** The words of a method that also takes options behind an array or a single word. */
export function listAndOptions(given: readonly unknown[]): { list: readonly Argument[]; options: unknown } {
  const [first, second] = given;
  const isOptions = given.length === 2 && !isArgument(second) && !Array.isArray(second);
  return isOptions ? { list: listed(first as Keys), options: second } : { list: listOf(given), options: undefined };
}

/** Appends words. A call with all of them as arguments would overflow the stack if they are many. */
export function pushAll(argv: Argument[], words: readonly Argument[]): Argument[] {
  for (let index = 0; index < words.length; index += 1) argv.push(words[index] as Argument);
  return argv;
}

/** Names of the parts of pairs in errors: `hset("user:1")`, `field`, `value`. */
export interface PairNames {
  /** The method with its key. */
  readonly at: string;
  readonly name: string;
  readonly value: string;
}

/** The method and its key, for errors: `hset("user:1")`. */
export function methodAt(method: string, key: unknown): string {
  return `${method}(${shown(key)})`;
}

/** Pairs of an object, a Map, an iterable, or of names and values by turns, as they are typed for Redis. */
export function pairsOf<Value>(
  given: readonly unknown[],
  names: () => PairNames,
): Iterable<readonly [Argument, Value]> {
  const [pairs] = given;
  if (isArgument(pairs)) return typedPairs(given, names());
  if (typeof pairs !== 'object' || pairs === null || given.length > 1) refusePairs(names(), given);
  if (pairs instanceof Map) return pairs;
  return Symbol.iterator in pairs
    ? checkedPairs(pairs as Iterable<readonly [Argument, Value]>, names)
    : (Object.entries(pairs) as [string, Value][]);
}

function refusePairs({ at, name, value }: PairNames, given: readonly unknown[]): never {
  throw new CallerTypeError(
    `${at}: expected an object, a Map or an array of pairs [${name}, ${value}], ` +
      `got ${given.length === 0 ? 'none' : given.slice(0, 3).map(shown).join(', ')}`,
  );
}

function* typedPairs<Value>(
  given: readonly unknown[],
  names: PairNames,
): Generator<readonly [Argument, Value], void, undefined> {
  if (given.length % 2 !== 0) {
    throw new CallerTypeError(`${names.at}: the ${names.value} of ${names.name} ${shown(given.at(-1))} is missing`);
  }
  for (let index = 0; index < given.length; index += 2) {
    yield [given[index] as Argument, given[index + 1] as Value];
  }
}

/** A text of two letters would pass as a pair. */
function* checkedPairs<Value>(
  pairs: Iterable<readonly [Argument, Value]>,
  names: () => PairNames,
): Generator<readonly [Argument, Value], void, undefined> {
  for (const pair of pairs) {
    if (!Array.isArray(pair) || pair.length !== 2) {
      const { at, name, value } = names();
      throw new CallerTypeError(`${at}: each pair must be an array [${name}, ${value}], got ${shown(pair)}`);
    }
    yield pair as unknown as readonly [Argument, Value];
  }
}

/** Refuses a name or a value of a pair. */
export function refusePair({ at, name, value }: PairNames, found: unknown, given: unknown, expected?: string): never {
  const isValue = isArgument(found);
  const what = isValue ? `the ${value} of ${name} ${shown(found)}` : `a ${name}`;
  const wrong = isValue ? given : found;
  const reason = Number.isNaN(wrong)
    ? 'is NaN'
    : `must be ${(isValue ? expected : undefined) ?? 'a string, a number, a bigint or a Uint8Array'}, got ${shown(wrong)}`;
  throw new CallerTypeError(`${at}: ${what} ${reason}`);
}

/** Appends key, value, key, value, and returns the number of pairs. */
export function pushPairs(argv: Argument[], given: readonly unknown[], names: () => PairNames): number {
  let count = 0;
  for (const [key, value] of pairsOf<Argument>(given, names)) {
    if (!isArgument(key) || !isArgument(value)) refusePair(names(), key, value);
    argv.push(key, value);
    count += 1;
  }
  return count;
}

/** Appends the number of words, then the words: the form of keys or fields that are followed by other arguments. */
export function pushCounted(argv: Argument[], words: Keys): Argument[] {
  const all = listed(words);
  argv.push(all.length);
  return pushAll(argv, all);
}

/** Options of one page of a scan. */
export interface PageOptions {
  /** Glob pattern of the names to return. */
  readonly match?: Argument | undefined;
  /** Approximate number of elements to look at. */
  readonly count?: number | undefined;
}

/** @internal */
export const PAGE: Shape<PageOptions> = { match: 'argument', count: 'integer' };

export function pushPage(argv: Argument[], options: PageOptions): Argument[] {
  if (options.match !== undefined) argv.push('MATCH', options.match);
  if (options.count !== undefined) argv.push('COUNT', options.count);
  return argv;
}
