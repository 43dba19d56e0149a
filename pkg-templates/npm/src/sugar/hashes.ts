/** Hashes. What lets single fields expire is in hash-expiry.ts. */
import type { Argument } from '../argument.js';
import type { Carried, ResultMode } from '../result-mode.js';
import { Executor } from '../executor.js';
import { Row } from '../generated/convention.js';
import { pushPage, pushPairs, type PageOptions, type Pairs } from './arguments.js';

export abstract class HashCommands<C extends ResultMode, Text extends string | Uint8Array> extends Executor<C, Text> {
  /** How many fields are new. */
  hset(key: Argument, fields: Pairs): Carried<C, number> {
    const argv: Argument[] = ['HSET', key];
    pushPairs(argv, fields);
    return this.run<number>(Row.HSET, argv);
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
