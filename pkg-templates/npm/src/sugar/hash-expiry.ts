/** Fields of hashes that expire. */
import type { Argument } from '../argument.js';
import type { Carried, ResultMode } from '../result-mode.js';
import { Executor } from '../executor.js';
import { pushCounted, pushPairs, type Keys, type Pairs } from './arguments.js';
import type { ExpireCondition } from './keys.js';
import { pushExpiry, type Expiry, type ExpiryOrKeep } from './set-options.js';

/** -2 without the field, 0 when the condition refused, 1 when it is set, 2 when the field is deleted: it was due. */
export type FieldExpiryResult = -2 | 0 | 1 | 2;

/** `fnx`: only if none of the fields is there. `fxx`: only if all are. */
export type FieldCondition =
  | { readonly fnx?: boolean; readonly fxx?: undefined }
  | { readonly fnx?: undefined; readonly fxx?: boolean };

function deadline(
  command: string,
  key: Argument,
  time: number,
  fields: Keys,
  condition: ExpireCondition | undefined,
): Argument[] {
  const argv: Argument[] = [command, key, time];
  if (condition !== undefined) argv.push(condition);
  argv.push('FIELDS');
  return pushCounted(argv, fields);
}

export abstract class HashExpiryCommands<C extends ResultMode, Text extends string | Uint8Array> extends Executor<
  C,
  Text
> {
  hexpire(key: Argument, seconds: number, fields: Keys, condition?: ExpireCondition): Carried<C, FieldExpiryResult[]> {
    return this.execute<FieldExpiryResult[]>(deadline('HEXPIRE', key, seconds, fields, condition));
  }

  hpexpire(
    key: Argument,
    milliseconds: number,
    fields: Keys,
    condition?: ExpireCondition,
  ): Carried<C, FieldExpiryResult[]> {
    return this.execute<FieldExpiryResult[]>(deadline('HPEXPIRE', key, milliseconds, fields, condition));
  }

  hexpireat(
    key: Argument,
    seconds: number,
    fields: Keys,
    condition?: ExpireCondition,
  ): Carried<C, FieldExpiryResult[]> {
    return this.execute<FieldExpiryResult[]>(deadline('HEXPIREAT', key, seconds, fields, condition));
  }

  hpexpireat(
    key: Argument,
    milliseconds: number,
    fields: Keys,
    condition?: ExpireCondition,
  ): Carried<C, FieldExpiryResult[]> {
    return this.execute<FieldExpiryResult[]>(deadline('HPEXPIREAT', key, milliseconds, fields, condition));
  }

  /** Returns the values of fields and changes their expiry. */
  hgetex(
    key: Argument,
    fields: Keys,
    options: (Expiry & { readonly persist?: undefined }) | { readonly persist: boolean } = {},
  ): Carried<C, (Text | null)[]> {
    const argv: Argument[] = ['HGETEX', key];
    if (options.persist) argv.push('PERSIST');
    else pushExpiry(argv, options as Expiry);
    argv.push('FIELDS');
    return this.execute<(Text | null)[]>(pushCounted(argv, fields));
  }

  /** Sets fields and their expiry; 1 when it did, 0 when the condition refused. */
  hsetex(key: Argument, fields: Pairs, options: FieldCondition & ExpiryOrKeep = {}): Carried<C, 0 | 1> {
    const argv: Argument[] = ['HSETEX', key];
    if (options.fnx) argv.push('FNX');
    if (options.fxx) argv.push('FXX');
    pushExpiry(argv, options);
    const words: Argument[] = [];
    const count = pushPairs(words, fields);
    return this.execute<0 | 1>([...argv, 'FIELDS', count, ...words]);
  }
}
