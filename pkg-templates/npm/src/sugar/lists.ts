/** Lists. What waits for elements is in blocking.ts. */
import type { Argument } from '../argument.js';
import type { Carried, ResultMode } from '../result-mode.js';
import { Row } from '../generated/convention.js';
import { pushCounted, type Keys } from './arguments.js';
import { BitCommands } from './bits.js';

/** The head of a list is at its left. */
export type ListEnd = 'LEFT' | 'RIGHT';

export interface PositionOptions {
  /** Which match to answer: 2 is the second, -1 the last. */
  readonly rank?: number;
  /** How many elements to compare at most; 0 for all. */
  readonly maxlen?: number;
}

export interface PopOptions {
  /** How many to take at most; 1 by default. */
  readonly count?: number;
}

export abstract class ListCommands<C extends ResultMode, Text extends string | Uint8Array> extends BitCommands<
  C,
  Text
> {
  /** Puts values at the head, one after the other: the last of them is first then. Answers the new length. */
  lpush(key: Argument, ...values: Argument[]): Carried<C, number> {
    return this.run<number>(Row.LPUSH, ['LPUSH', key, ...values]);
  }

  /** Puts values at the tail. Answers the new length. */
  rpush(key: Argument, ...values: Argument[]): Carried<C, number> {
    return this.run<number>(Row.RPUSH, ['RPUSH', key, ...values]);
  }

  /** As `lpush`, but only if there is a list; else 0. */
  lpushx(key: Argument, ...values: Argument[]): Carried<C, number> {
    return this.run<number>(Row.LPUSHX, ['LPUSHX', key, ...values]);
  }

  /** As `rpush`, but only if there is a list; else 0. */
  rpushx(key: Argument, ...values: Argument[]): Carried<C, number> {
    return this.run<number>(Row.RPUSHX, ['RPUSHX', key, ...values]);
  }

  /** Takes the first element, or up to `count` of them. */
  lpop(key: Argument): Carried<C, Text | null>;
  lpop(key: Argument, count: number): Carried<C, Text[] | null>;
  lpop(key: Argument, count?: number): Carried<C, Text | Text[] | null> {
    return count === undefined
      ? this.run1<Text | Text[] | null>(Row.LPOP, key)
      : this.run2<Text | Text[] | null>(Row.LPOP, key, count);
  }

  /** Takes the last element, or up to `count` of them. */
  rpop(key: Argument): Carried<C, Text | null>;
  rpop(key: Argument, count: number): Carried<C, Text[] | null>;
  rpop(key: Argument, count?: number): Carried<C, Text | Text[] | null> {
    return count === undefined
      ? this.run1<Text | Text[] | null>(Row.RPOP, key)
      : this.run2<Text | Text[] | null>(Row.RPOP, key, count);
  }

  /** Takes elements from an end of the first list that has some. */
  lmpop(keys: Keys, end: ListEnd, options: PopOptions = {}): Carried<C, [key: Text, values: Text[]] | null> {
    const argv = pushCounted(['LMPOP'], keys);
    argv.push(end);
    if (options.count !== undefined) argv.push('COUNT', options.count);
    return this.execute<[Text, Text[]] | null>(argv);
  }

  /** Takes an element from an end of one list to an end of another. */
  lmove(source: Argument, destination: Argument, from: ListEnd, to: ListEnd): Carried<C, Text | null> {
    return this.run<Text | null>(Row.LMOVE, ['LMOVE', source, destination, from, to]);
  }

  rpoplpush(source: Argument, destination: Argument): Carried<C, Text | null> {
    return this.run2<Text | null>(Row.RPOPLPUSH, source, destination);
  }

  llen(key: Argument): Carried<C, number> {
    return this.run1<number>(Row.LLEN, key);
  }

  /** The element at an index; negative ones count from the tail. */
  lindex(key: Argument, index: number): Carried<C, Text | null> {
    return this.run2<Text | null>(Row.LINDEX, key, index);
  }

  /** The elements from `start` to `stop`, both included. */
  lrange(key: Argument, start: number, stop: number): Carried<C, Text[]> {
    return this.run3<Text[]>(Row.LRANGE, key, start, stop);
  }

  lset(key: Argument, index: number, value: Argument): Carried<C, 'OK'> {
    return this.run3<'OK'>(Row.LSET, key, index, value);
  }

  /** The new length; -1 without the pivot, 0 without the list. */
  linsert(key: Argument, where: 'BEFORE' | 'AFTER', pivot: Argument, value: Argument): Carried<C, number> {
    return this.run<number>(Row.LINSERT, ['LINSERT', key, where, pivot, value]);
  }

  /** Removes `count` equal elements from the head on, from the tail on if negative, all if 0. */
  lrem(key: Argument, count: number, value: Argument): Carried<C, number> {
    return this.run3<number>(Row.LREM, key, count, value);
  }

  /** Keeps the elements from `start` to `stop`. */
  ltrim(key: Argument, start: number, stop: number): Carried<C, 'OK'> {
    return this.run3<'OK'>(Row.LTRIM, key, start, stop);
  }

  /** Where an element is; with `count` the places of so many, 0 for all. */
  lpos(key: Argument, value: Argument, options: PositionOptions & { readonly count: number }): Carried<C, number[]>;
  lpos(key: Argument, value: Argument, options?: PositionOptions): Carried<C, number | null>;
  lpos(
    key: Argument,
    value: Argument,
    options: PositionOptions & { readonly count?: number } = {},
  ): Carried<C, number | number[] | null> {
    const argv: Argument[] = ['LPOS', key, value];
    if (options.rank !== undefined) argv.push('RANK', options.rank);
    if (options.count !== undefined) argv.push('COUNT', options.count);
    if (options.maxlen !== undefined) argv.push('MAXLEN', options.maxlen);
    return this.run<number | number[] | null>(Row.LPOS, argv);
  }
}
