/** Hashes. What lets single fields expire is in hash-expiry.ts. */
import type { Argument } from '../argument.js';
import type { Carried, ResultMode } from '../result-mode.js';
import { Row } from '../generated/convention.js';
import { pushPage, pushPairs, type PageOptions, type Pairs } from './arguments.js';
import { SetCommands } from './sets.js';

export abstract class HashCommands<C extends ResultMode, Text extends string | Uint8Array> extends SetCommands<
  C,
  Text
> {
  /** How many fields are new. */
  hset(key: Argument, fields: Pairs): Carried<C, number> {
    const argv: Argument[] = ['HSET', key];
    pushPairs(argv, fields);
    return this.run<number>(Row.HSET, argv);
  }

  /** 1 when the field was absent and is set now. */
  hsetnx(key: Argument, field: Argument, value: Argument): Carried<C, 0 | 1> {
    return this.run3<0 | 1>(Row.HSETNX, key, field, value);
  }

  hget(key: Argument, field: Argument): Carried<C, Text | null> {
    return this.run2<Text | null>(Row.HGET, key, field);
  }

  hmget(key: Argument, ...fields: Argument[]): Carried<C, (Text | null)[]> {
    return this.run<(Text | null)[]>(Row.HMGET, ['HMGET', key, ...fields]);
  }

  /** Every field with its value; an empty map without a hash. */
  hgetall(key: Argument): Carried<C, Map<Text, Text>> {
    return this.run1<Map<Text, Text>>(Row.HGETALL, key);
  }

  /** The values of fields, which are deleted with this. */
  hgetdel(key: Argument, ...fields: Argument[]): Carried<C, (Text | null)[]> {
    return this.run<(Text | null)[]>(Row.HGETDEL, ['HGETDEL', key, 'FIELDS', fields.length, ...fields]);
  }

  /** How many of the fields were there. */
  hdel(key: Argument, ...fields: Argument[]): Carried<C, number> {
    return this.run<number>(Row.HDEL, ['HDEL', key, ...fields]);
  }

  hexists(key: Argument, field: Argument): Carried<C, 0 | 1> {
    return this.run2<0 | 1>(Row.HEXISTS, key, field);
  }

  hlen(key: Argument): Carried<C, number> {
    return this.run1<number>(Row.HLEN, key);
  }

  hstrlen(key: Argument, field: Argument): Carried<C, number> {
    return this.run2<number>(Row.HSTRLEN, key, field);
  }

  hkeys(key: Argument): Carried<C, Text[]> {
    return this.run1<Text[]>(Row.HKEYS, key);
  }

  hvals(key: Argument): Carried<C, Text[]> {
    return this.run1<Text[]>(Row.HVALS, key);
  }

  hincrby(key: Argument, field: Argument, increment: number | bigint): Carried<C, number | bigint> {
    return this.run3<number | bigint>(Row.HINCRBY, key, field, increment);
  }

  /** The new value as text, with all its digits. */
  hincrbyfloat(key: Argument, field: Argument, increment: number | string): Carried<C, Text> {
    return this.run3<Text>(Row.HINCRBYFLOAT, key, field, increment);
  }

  /** A random field, or up to `count` of them; with a negative count the same may come again. */
  hrandfield(key: Argument): Carried<C, Text | null>;
  hrandfield(
    key: Argument,
    count: number,
    options: { readonly withvalues: true },
  ): Carried<C, [field: Text, value: Text][]>;
  hrandfield(key: Argument, count: number, options?: { readonly withvalues?: false }): Carried<C, Text[]>;
  hrandfield(
    key: Argument,
    count?: number,
    options: { readonly withvalues?: boolean } = {},
  ): Carried<C, Text | null | Text[] | [Text, Text][]> {
    const argv: Argument[] = ['HRANDFIELD', key];
    if (count !== undefined) argv.push(count);
    if (options.withvalues) argv.push('WITHVALUES');
    return this.run<Text | null | Text[] | [Text, Text][]>(Row.HRANDFIELD, argv);
  }

  /**
   * One page, field after value unless `novalues`, and the cursor of the next; '0' starts and ends. `scanHash` walks
   * through all.
   */
  hscan(
    key: Argument,
    cursor: Argument = 0,
    options: PageOptions & { readonly novalues?: boolean } = {},
  ): Carried<C, [cursor: Text, fields: Text[]]> {
    const argv = pushPage(['HSCAN', key, cursor], options);
    if (options.novalues) argv.push('NOVALUES');
    return this.execute<[Text, Text[]]>(argv);
  }
}
