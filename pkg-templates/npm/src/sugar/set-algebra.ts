/** Several sorted sets, or sets, put together. */
import type { Argument } from '../argument.js';
import type { Carried, ResultMode } from '../result-mode.js';
import { Executor } from '../executor.js';
import { pushCounted, type Keys } from './arguments.js';
import type { CardinalityOptions } from './sets.js';

export interface CombineOptions {
  /** Factors of the scores of each set, in the order of the keys. */
  readonly weights?: readonly number[];
  /** How the scores of a member of several sets are combined. Default `SUM`. */
  readonly aggregate?: 'SUM' | 'MIN' | 'MAX';
}

type Scored = { readonly withscores: true };
type Unscored = { readonly withscores?: false };
type MaybeScored = { readonly withscores?: boolean };

function pushCombined(argv: Argument[], keys: Keys, options: CombineOptions & MaybeScored): Argument[] {
  pushCounted(argv, keys);
  if (options.weights !== undefined) argv.push('WEIGHTS', ...options.weights);
  if (options.aggregate !== undefined) argv.push('AGGREGATE', options.aggregate);
  if (options.withscores) argv.push('WITHSCORES');
  return argv;
}

export abstract class SetAlgebraCommands<C extends ResultMode, Text extends string | Uint8Array> extends Executor<
  C,
  Text
> {
  zunion(keys: Keys, options: CombineOptions & Scored): Carried<C, [member: Text, score: number][]>;
  zunion(keys: Keys, options?: CombineOptions & Unscored): Carried<C, Text[]>;
  zunion(keys: Keys, options: CombineOptions & MaybeScored = {}): Carried<C, Text[] | [Text, number][]> {
    return this.execute<Text[] | [Text, number][]>(pushCombined(['ZUNION'], keys, options));
  }

  zinter(keys: Keys, options: CombineOptions & Scored): Carried<C, [member: Text, score: number][]>;
  zinter(keys: Keys, options?: CombineOptions & Unscored): Carried<C, Text[]>;
  zinter(keys: Keys, options: CombineOptions & MaybeScored = {}): Carried<C, Text[] | [Text, number][]> {
    return this.execute<Text[] | [Text, number][]>(pushCombined(['ZINTER'], keys, options));
  }

  /** The members of the first set that are in none of the others. */
  zdiff(keys: Keys, options: Scored): Carried<C, [member: Text, score: number][]>;
  zdiff(keys: Keys, options?: Unscored): Carried<C, Text[]>;
  zdiff(keys: Keys, options: MaybeScored = {}): Carried<C, Text[] | [Text, number][]> {
    return this.execute<Text[] | [Text, number][]>(pushCombined(['ZDIFF'], keys, options));
  }

  /** These store the result and answer how many members it has. */
  zunionstore(destination: Argument, keys: Keys, options: CombineOptions = {}): Carried<C, number> {
    return this.execute<number>(pushCombined(['ZUNIONSTORE', destination], keys, options));
  }

  zinterstore(destination: Argument, keys: Keys, options: CombineOptions = {}): Carried<C, number> {
    return this.execute<number>(pushCombined(['ZINTERSTORE', destination], keys, options));
  }

  zdiffstore(destination: Argument, keys: Keys): Carried<C, number> {
    return this.execute<number>(pushCombined(['ZDIFFSTORE', destination], keys, {}));
  }

  /** How many members the sets have in common. */
  zintercard(keys: Keys, options: CardinalityOptions = {}): Carried<C, number> {
    const argv = pushCounted(['ZINTERCARD'], keys);
    if (options.limit !== undefined) argv.push('LIMIT', options.limit);
    return this.execute<number>(argv);
  }
}
