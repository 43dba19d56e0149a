/** Strings as arrays of bits. */
import type { Argument } from '../../base/argument.js';
import type { Carried, ResultMode } from '../../base/result-mode.js';
import { Executor } from '../executor.js';
import { Row } from '../../host/generated/convention.js';
import { listOf } from './arguments.js';
import { checked, refuse, type Shape, tooMany } from '../../base/option-check.js';

/** A part of a string, both ends included; negative ones count from the end. In bytes by default. */
export interface BitRange {
  readonly start: number;
  readonly end?: number | undefined;
  readonly unit?: 'BYTE' | 'BIT' | undefined;
}

export type BitOperation = 'AND' | 'OR' | 'XOR' | 'NOT' | 'DIFF' | 'DIFF1' | 'ANDOR' | 'ONE';

const RANGE: Shape<BitRange> = { start: 'integer', end: 'integer', unit: ['BYTE', 'BIT'] };

function pushRange(method: string, argv: Argument[], given: BitRange | undefined): Argument[] {
  if (given === undefined) return argv;
  const range = checked(method, given, RANGE);
  if (range.start === undefined) refuse(method, 'start', 'a safe integer', undefined);
  argv.push(range.start);
  if (range.end !== undefined || range.unit !== undefined) argv.push(range.end ?? -1);
  if (range.unit !== undefined) argv.push(range.unit);
  return argv;
}

export abstract class BitCommands<C extends ResultMode, Text extends string | Uint8Array> extends Executor<C, Text> {
  /** How many bits are set. */
  bitcount(key: Argument, range?: BitRange & { readonly end: number }): Carried<C, number> {
    if (arguments.length > 2) tooMany('bitcount', 2, arguments.length);
    return this.execute<number>(pushRange('bitcount', ['BITCOUNT', key], range));
  }

  /** The offset of the first bit that is as told, or -1. */
  bitpos(key: Argument, bit: 0 | 1, range?: BitRange): Carried<C, number> {
    if (arguments.length > 3) tooMany('bitpos', 3, arguments.length);
    return this.execute<number>(pushRange('bitpos', ['BITPOS', key, bit], range));
  }

  /**
   * Integers of any width within a string; the operations as they are typed: `'SET', 'u8', 0, 255, 'GET', 'i5', 100`.
   * Null where OVERFLOW FAIL refused.
   */
  bitfield(
    key: Argument,
    ...operations: Argument[] | [operations: readonly Argument[]]
  ): Carried<C, (number | bigint | null)[]> {
    return this.run<(number | bigint | null)[]>(Row.BITFIELD, ['BITFIELD', key, ...listOf(operations)]);
  }
}
