/** Hashes. What lets single fields expire is in hash-expiry.ts. */
import type { Argument } from '../../base/argument.js';
import type { Carried, ResultMode } from '../../base/result-mode.js';
import { Executor } from '../executor.js';
import { Row } from '../../host/generated/convention.js';
import { methodAt, PAGE, type PageOptions, type Pairs, pushPage, pushPairs } from './arguments.js';
import { checked, integer, type Shape, tooMany } from '../../base/option-check.js';

const RANDOM: Shape<{ readonly withvalues?: boolean | undefined }> = { withvalues: 'flag' };
const HSCAN: Shape<PageOptions & { readonly novalues?: boolean | undefined }> = { ...PAGE, novalues: 'flag' };

export abstract class HashCommands<C extends ResultMode, Text extends string | Uint8Array> extends Executor<C, Text> {
  /**
   * Sets fields: an object, a Map, pairs, or fields and values by turns. Returns the number of new fields. An error of a
   * value names the key and the field.
   */
  hset(key: Argument, fields: Pairs): Carried<C, number>;
  hset(key: Argument, field: Argument, value: Argument, ...more: Argument[]): Carried<C, number>;
  hset(key: Argument, ...given: unknown[]): Carried<C, number> {
    const argv: Argument[] = ['HSET', key];
    pushPairs(argv, given, () => ({ at: methodAt('hset', key), name: 'field', value: 'value' }));
    return this.run<number>(Row.HSET, argv);
  }

  /** A random field, or up to `count` of them; with a negative count the same may come again. */
  hrandfield(key: Argument): Carried<C, Text | null>;
  hrandfield(
    key: Argument,
    count: number,
    options: { readonly withvalues: true },
  ): Carried<C, [field: Text, value: Text][]>;
  hrandfield(key: Argument, count: number, options?: { readonly withvalues?: false | undefined }): Carried<C, Text[]>;
  hrandfield(
    key: Argument,
    count?: number,
    options?: { readonly withvalues?: boolean | undefined },
  ): Carried<C, Text | null | Text[] | [Text, Text][]> {
    const { withvalues } = checked('hrandfield', options, RANDOM);
    if (arguments.length > 3) tooMany('hrandfield', 3, arguments.length);
    const argv: Argument[] = ['HRANDFIELD', key];
    if (count !== undefined) argv.push(integer('hrandfield', 'count', count));
    if (withvalues) argv.push('WITHVALUES');
    return this.run<Text | null | Text[] | [Text, Text][]>(Row.HRANDFIELD, argv);
  }

  /**
   * One page, field after value unless `novalues`, and the cursor of the next; '0' starts and ends. `scanHash` walks
   * through all.
   */
  hscan(
    key: Argument,
    cursor: Argument = 0,
    options?: PageOptions & { readonly novalues?: boolean | undefined },
  ): Carried<C, [cursor: Text, fields: Text[]]> {
    const given = checked('hscan', options, HSCAN);
    if (arguments.length > 3) tooMany('hscan', 3, arguments.length);
    const argv = pushPage(['HSCAN', key, cursor], given);
    if (given.novalues) argv.push('NOVALUES');
    return this.execute<[Text, Text[]]>(argv);
  }
}
