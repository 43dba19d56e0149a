/** Parts of sorted sets: by rank, by score, by name. */
import type { Argument } from '../../base/argument.js';
import type { Carried, ResultMode } from '../../base/result-mode.js';
import { Executor } from '../executor.js';
import { checked, type Shape, tooMany } from '../../base/option-check.js';

export interface RangeOptions {
  /** Kind of `start` and `stop`: ranks by default. `LEX` compares names, for members of equal scores. */
  readonly by?: 'SCORE' | 'LEX' | undefined;
  /** From the highest to the lowest, with `start` as the higher end. */
  readonly rev?: boolean | undefined;
  /** With `by`: how many to skip, and how many to answer then; a negative count is all. */
  readonly limit?: readonly [offset: number, count: number] | undefined;
}

/** A rank, a score, `'(5'` for an end that does not belong to it, `'[a'`, `'(a'`, `'-'` and `'+'` with `by: 'LEX'`. */
export type RangeEnd = number | string | Uint8Array;

const STORE: Shape<RangeOptions> = { rev: 'flag', by: ['SCORE', 'LEX'], limit: 'limit' };
const RANGE: Shape<RangeOptions & { readonly withscores?: boolean | undefined }> = { ...STORE, withscores: 'flag' };

function pushRange(argv: Argument[], options: RangeOptions): Argument[] {
  if (options.by !== undefined) argv.push(options.by === 'SCORE' ? 'BYSCORE' : 'BYLEX');
  if (options.rev) argv.push('REV');
  if (options.limit !== undefined) argv.push('LIMIT', options.limit[0], options.limit[1]);
  return argv;
}

export abstract class RangeCommands<C extends ResultMode, Text extends string | Uint8Array> extends Executor<C, Text> {
  /** The members from `start` to `stop`, both included. */
  zrange(
    key: Argument,
    start: RangeEnd,
    stop: RangeEnd,
    options: RangeOptions & { readonly withscores: true },
  ): Carried<C, [member: Text, score: number][]>;
  zrange(
    key: Argument,
    start: RangeEnd,
    stop: RangeEnd,
    options?: RangeOptions & { readonly withscores?: false | undefined },
  ): Carried<C, Text[]>;
  zrange(
    key: Argument,
    start: RangeEnd,
    stop: RangeEnd,
    options?: RangeOptions & { readonly withscores?: boolean | undefined },
  ): Carried<C, Text[] | [Text, number][]> {
    const given = checked('zrange', options, RANGE);
    if (arguments.length > 4) tooMany('zrange', 4, arguments.length);
    const argv = pushRange(['ZRANGE', key, start, stop], given);
    if (given.withscores) argv.push('WITHSCORES');
    return this.execute<Text[] | [Text, number][]>(argv);
  }

  /** Stores a range and answers how many members it has. */
  zrangestore(
    destination: Argument,
    source: Argument,
    start: RangeEnd,
    stop: RangeEnd,
    options?: RangeOptions,
  ): Carried<C, number> {
    const given = checked('zrangestore', options, STORE);
    if (arguments.length > 5) tooMany('zrangestore', 5, arguments.length);
    return this.execute<number>(pushRange(['ZRANGESTORE', destination, source, start, stop], given));
  }
}
