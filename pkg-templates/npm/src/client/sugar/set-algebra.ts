/** Several sorted sets, or sets, put together. */
import type { Argument } from '../../base/argument.js';
import type { Carried, ResultMode } from '../../base/result-mode.js';
import { Executor } from '../executor.js';
import { pushAll, pushCounted, type Keys } from './arguments.js';
import { checked, type Shape, tooMany } from '../../base/option-check.js';
import { CARDINALITY, type CardinalityOptions } from './sets.js';

export interface CombineOptions {
  /** Factors of the scores of each set, in the order of the keys. */
  readonly weights?: readonly number[] | undefined;
  /** How the scores of a member of several sets are combined. Default `SUM`. */
  readonly aggregate?: 'SUM' | 'MIN' | 'MAX' | undefined;
}

type Scored = { readonly withscores: true };
type Unscored = { readonly withscores?: false | undefined };
type MaybeScored = { readonly withscores?: boolean | undefined };

const COMBINE: Shape<CombineOptions> = { weights: 'numbers', aggregate: ['SUM', 'MIN', 'MAX'] };
const DIFF: Shape<MaybeScored> = { withscores: 'flag' };
const SCORED: Shape<CombineOptions & MaybeScored> = { ...COMBINE, ...DIFF };

function pushCombined(argv: Argument[], keys: Keys, options: CombineOptions & MaybeScored): Argument[] {
  pushCounted(argv, keys);
  if (options.weights !== undefined) pushAll(argv, ['WEIGHTS', ...options.weights]);
  if (options.aggregate !== undefined) argv.push('AGGREGATE', options.aggregate);
  if (options.withscores) argv.push('WITHSCORES');
  return argv;
}

export abstract class SetAlgebraCommands<C extends ResultMode, Text extends string | Uint8Array> extends Executor<
  C,
  Text
> {
  /** The members of any of the sets, by their combined scores. */
  zunion(keys: Keys, options: CombineOptions & Scored): Carried<C, [member: Text, score: number][]>;
  zunion(keys: Keys, options?: CombineOptions & Unscored): Carried<C, Text[]>;
  zunion(keys: Keys, options?: CombineOptions & MaybeScored): Carried<C, Text[] | [Text, number][]> {
    const given = checked('zunion', options, SCORED);
    if (arguments.length > 2) tooMany('zunion', 2, arguments.length);
    return this.execute<Text[] | [Text, number][]>(pushCombined(['ZUNION'], keys, given));
  }

  /** The members that all sets have, by their combined scores. */
  zinter(keys: Keys, options: CombineOptions & Scored): Carried<C, [member: Text, score: number][]>;
  zinter(keys: Keys, options?: CombineOptions & Unscored): Carried<C, Text[]>;
  zinter(keys: Keys, options?: CombineOptions & MaybeScored): Carried<C, Text[] | [Text, number][]> {
    const given = checked('zinter', options, SCORED);
    if (arguments.length > 2) tooMany('zinter', 2, arguments.length);
    return this.execute<Text[] | [Text, number][]>(pushCombined(['ZINTER'], keys, given));
  }

  /** The members of the first set that are in none of the others. */
  zdiff(keys: Keys, options: Scored): Carried<C, [member: Text, score: number][]>;
  zdiff(keys: Keys, options?: Unscored): Carried<C, Text[]>;
  zdiff(keys: Keys, options?: MaybeScored): Carried<C, Text[] | [Text, number][]> {
    const given = checked('zdiff', options, DIFF);
    if (arguments.length > 2) tooMany('zdiff', 2, arguments.length);
    return this.execute<Text[] | [Text, number][]>(pushCombined(['ZDIFF'], keys, given));
  }

  /** Stores the result of `zunion`. Returns the number of members. */
  zunionstore(destination: Argument, keys: Keys, options?: CombineOptions): Carried<C, number> {
    const given = checked('zunionstore', options, COMBINE);
    if (arguments.length > 3) tooMany('zunionstore', 3, arguments.length);
    return this.execute<number>(pushCombined(['ZUNIONSTORE', destination], keys, given));
  }

  /** Stores the result of `zinter`. Returns the number of members. */
  zinterstore(destination: Argument, keys: Keys, options?: CombineOptions): Carried<C, number> {
    const given = checked('zinterstore', options, COMBINE);
    if (arguments.length > 3) tooMany('zinterstore', 3, arguments.length);
    return this.execute<number>(pushCombined(['ZINTERSTORE', destination], keys, given));
  }

  /** Stores the result of `zdiff`. Returns the number of members. */
  zdiffstore(destination: Argument, keys: Keys): Carried<C, number> {
    if (arguments.length > 2) tooMany('zdiffstore', 2, arguments.length);
    return this.execute<number>(pushCombined(['ZDIFFSTORE', destination], keys, {}));
  }

  /** How many members the sets have in common. */
  zintercard(keys: Keys, options?: CardinalityOptions): Carried<C, number> {
    const { limit } = checked('zintercard', options, CARDINALITY);
    if (arguments.length > 2) tooMany('zintercard', 2, arguments.length);
    const argv = pushCounted(['ZINTERCARD'], keys);
    if (limit !== undefined) argv.push('LIMIT', limit);
    return this.execute<number>(argv);
  }
}
