/** Fields of hashes that expire. */
import type { Argument } from '../../base/argument.js';
import type { Carried, ResultMode } from '../../base/result-mode.js';
import { Executor } from '../executor.js';
import { GETEX, HSETEX } from '../generated/options.js';
import { methodAt, pushAll, pushCounted, pushPairs, type Keys, type Pairs } from './arguments.js';
import { type ExpireCondition, type ExpireOptions, pushWhen } from './expire-condition.js';
import { checked, excluded, tooMany, whole } from '../../base/option-check.js';
import {
  type ExpiryOrKeep,
  type ExpiryOrPersist,
  type FieldCondition,
  pushExpiry,
  pushExpiryOrPersist,
} from './set-options.js';

/** -2 without the field, 0 when the condition refused, 1 when it is set, 2 when the field is deleted: it was due. */
export type FieldExpiryResult = -2 | 0 | 1 | 2;

type When = ExpireCondition | ExpireOptions;

/** Arguments of HEXPIRE and its relatives. `given` counts the arguments of the method. */
function deadline(
  method: string,
  [key, time, fields, condition]: readonly [Argument, number, Keys, When | undefined],
  given: number,
): Argument[] {
  if (given > 4) tooMany(method, 4, given);
  whole(method, 'the time', time);
  const argv: Argument[] = [method.toUpperCase(), key, time];
  if (condition !== undefined) pushWhen(method, argv, condition);
  argv.push('FIELDS');
  return pushCounted(argv, fields);
}

export abstract class HashExpiryCommands<C extends ResultMode, Text extends string | Uint8Array> extends Executor<
  C,
  Text
> {
  /** Sets the time to live of fields in seconds. Returns a FieldExpiryResult for each. */
  hexpire(key: Argument, seconds: number, fields: Keys, condition?: When): Carried<C, FieldExpiryResult[]> {
    return this.execute<FieldExpiryResult[]>(deadline('hexpire', [key, seconds, fields, condition], arguments.length));
  }

  /** Sets the time to live of fields in milliseconds. Returns a FieldExpiryResult for each. */
  hpexpire(key: Argument, milliseconds: number, fields: Keys, condition?: When): Carried<C, FieldExpiryResult[]> {
    return this.execute<FieldExpiryResult[]>(
      deadline('hpexpire', [key, milliseconds, fields, condition], arguments.length),
    );
  }

  /** Sets the deadline of fields in seconds since the epoch. Returns a FieldExpiryResult for each. */
  hexpireat(key: Argument, seconds: number, fields: Keys, condition?: When): Carried<C, FieldExpiryResult[]> {
    return this.execute<FieldExpiryResult[]>(
      deadline('hexpireat', [key, seconds, fields, condition], arguments.length),
    );
  }

  /** Sets the deadline of fields in milliseconds since the epoch. Returns a FieldExpiryResult for each. */
  hpexpireat(key: Argument, milliseconds: number, fields: Keys, condition?: When): Carried<C, FieldExpiryResult[]> {
    return this.execute<FieldExpiryResult[]>(
      deadline('hpexpireat', [key, milliseconds, fields, condition], arguments.length),
    );
  }

  /** Returns the values of fields and changes their expiry: a new one, or none with `persist`. */
  hgetex(key: Argument, fields: Keys, options?: ExpiryOrPersist): Carried<C, (Text | null)[]> {
    const argv: Argument[] = ['HGETEX', key];
    pushExpiryOrPersist('hgetex', argv, checked('hgetex', options, GETEX));
    if (arguments.length > 3) tooMany('hgetex', 3, arguments.length);
    argv.push('FIELDS');
    return this.execute<(Text | null)[]>(pushCounted(argv, fields));
  }

  /** Sets fields and their expiry; 1 when it did, 0 when the condition refused. */
  hsetex(key: Argument, fields: Pairs, options?: FieldCondition & ExpiryOrKeep): Carried<C, 0 | 1> {
    const argv: Argument[] = ['HSETEX', key];
    const given = checked('hsetex', options, HSETEX);
    if (arguments.length > 3) tooMany('hsetex', 3, arguments.length);
    if (given.fnx && given.fxx) excluded('hsetex', ['fnx', 'fxx']);
    if (given.fnx) argv.push('FNX');
    if (given.fxx) argv.push('FXX');
    pushExpiry('hsetex', argv, given as ExpiryOrKeep);
    const words: Argument[] = [];
    const count = pushPairs(words, [fields], () => ({ at: methodAt('hsetex', key), name: 'field', value: 'value' }));
    argv.push('FIELDS', count);
    return this.execute<0 | 1>(pushAll(argv, words));
  }
}
