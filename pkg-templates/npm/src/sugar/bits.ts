/** Strings as arrays of bits. */
import type { Argument } from '../argument.js';
import type { Carried, ResultMode } from '../result-mode.js';
import { Row } from '../generated/convention.js';
import { KeyCommands } from './keys.js';

/** A part of a string, both ends included; negative ones count from the end. In bytes by default. */
export interface BitRange {
  readonly start: number;
  readonly end?: number;
  readonly unit?: 'BYTE' | 'BIT';
}

export type BitOperation = 'AND' | 'OR' | 'XOR' | 'NOT' | 'DIFF' | 'DIFF1' | 'ANDOR' | 'ONE';

function pushRange(argv: Argument[], range: BitRange | undefined): Argument[] {
  if (range === undefined) return argv;
  argv.push(range.start);
  if (range.end !== undefined || range.unit !== undefined) argv.push(range.end ?? -1);
  if (range.unit !== undefined) argv.push(range.unit);
  return argv;
}

export abstract class BitCommands<C extends ResultMode, Text extends string | Uint8Array> extends KeyCommands<C, Text> {
  getbit(key: Argument, offset: number): Carried<C, 0 | 1> {
    return this.run2<0 | 1>(Row.GETBIT, key, offset);
  }

  /** Answers the bit that was there. */
  setbit(key: Argument, offset: number, bit: 0 | 1): Carried<C, 0 | 1> {
    return this.run3<0 | 1>(Row.SETBIT, key, offset, bit);
  }

  /** How many bits are set. */
  bitcount(key: Argument, range?: BitRange & { readonly end: number }): Carried<C, number> {
    return this.execute<number>(pushRange(['BITCOUNT', key], range));
  }

  /** The offset of the first bit that is as told, or -1. */
  bitpos(key: Argument, bit: 0 | 1, range?: BitRange): Carried<C, number> {
    return this.execute<number>(pushRange(['BITPOS', key, bit], range));
  }

  /** Combines strings and stores the result. Answers its length in bytes. */
  bitop(operation: BitOperation, destination: Argument, ...keys: Argument[]): Carried<C, number> {
    return this.run<number>(Row.BITOP, ['BITOP', operation, destination, ...keys]);
  }

  /**
   * Integers of any width within a string; the operations as they are typed: `'SET', 'u8', 0, 255, 'GET', 'i5', 100`.
   * Null where OVERFLOW FAIL refused.
   */
  bitfield(key: Argument, ...operations: Argument[]): Carried<C, (number | bigint | null)[]> {
    return this.run<(number | bigint | null)[]>(Row.BITFIELD, ['BITFIELD', key, ...operations]);
  }
}
