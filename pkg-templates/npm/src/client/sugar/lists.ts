/** Lists. What waits for elements is in blocking.ts. */
import type { Argument } from '../../base/argument.js';
import type { Carried, ResultMode } from '../../base/result-mode.js';
import { Executor } from '../executor.js';
import { Row } from '../../host/generated/convention.js';
import { pushCounted, type Keys } from './arguments.js';
import { checked, type Shape, tooMany, whole } from '../../base/option-check.js';

/** The head of a list is at its left. */
export type ListEnd = 'LEFT' | 'RIGHT';

export interface PositionOptions {
  /** Which match to answer: 2 is the second, -1 the last. */
  readonly rank?: number | undefined;
  /** How many elements to compare at most; 0 for all. */
  readonly maxlen?: number | undefined;
}

export interface PopOptions {
  /** How many to take at most; 1 by default. */
  readonly count?: number | undefined;
}

/** @internal */
export const POP: Shape<PopOptions> = { count: 'integer' };
const POSITION: Shape<PositionOptions & { readonly count?: number | undefined }> = {
  rank: 'integer',
  count: 'integer',
  maxlen: 'integer',
};

export abstract class ListCommands<C extends ResultMode, Text extends string | Uint8Array> extends Executor<C, Text> {
  /** Takes the first element, or up to `count` of them. */
  lpop(key: Argument): Carried<C, Text | null>;
  lpop(key: Argument, count: number): Carried<C, Text[] | null>;
  lpop(key: Argument, count?: number): Carried<C, Text | Text[] | null> {
    if (arguments.length > 2) tooMany('lpop', 2, arguments.length);
    whole('lpop', 'count', count);
    return count === undefined
      ? this.run1<Text | Text[] | null>(Row.LPOP, key)
      : this.run2<Text | Text[] | null>(Row.LPOP, key, count);
  }

  /** Takes the last element, or up to `count` of them. */
  rpop(key: Argument): Carried<C, Text | null>;
  rpop(key: Argument, count: number): Carried<C, Text[] | null>;
  rpop(key: Argument, count?: number): Carried<C, Text | Text[] | null> {
    if (arguments.length > 2) tooMany('rpop', 2, arguments.length);
    whole('rpop', 'count', count);
    return count === undefined
      ? this.run1<Text | Text[] | null>(Row.RPOP, key)
      : this.run2<Text | Text[] | null>(Row.RPOP, key, count);
  }

  /** Takes elements from an end of the first list that has some. */
  lmpop(keys: Keys, end: ListEnd, options?: PopOptions): Carried<C, [key: Text, values: Text[]] | null> {
    const { count } = checked('lmpop', options, POP);
    if (arguments.length > 3) tooMany('lmpop', 3, arguments.length);
    const argv = pushCounted(['LMPOP'], keys);
    argv.push(end);
    if (count !== undefined) argv.push('COUNT', count);
    return this.execute<[Text, Text[]] | null>(argv);
  }

  /** Where an element is; with `count` the places of so many, 0 for all. */
  lpos(key: Argument, value: Argument, options: PositionOptions & { readonly count: number }): Carried<C, number[]>;
  lpos(key: Argument, value: Argument, options?: PositionOptions): Carried<C, number | null>;
  lpos(
    key: Argument,
    value: Argument,
    options?: PositionOptions & { readonly count?: number | undefined },
  ): Carried<C, number | number[] | null> {
    const { rank, count, maxlen } = checked('lpos', options, POSITION);
    if (arguments.length > 3) tooMany('lpos', 3, arguments.length);
    const argv: Argument[] = ['LPOS', key, value];
    if (rank !== undefined) argv.push('RANK', rank);
    if (count !== undefined) argv.push('COUNT', count);
    if (maxlen !== undefined) argv.push('MAXLEN', maxlen);
    return this.run<number | number[] | null>(Row.LPOS, argv);
  }
}
