/** Sets. Replies that are sets are `Set`; as bytes their members are compared by identity, so walk them. */
import type { Argument } from '../../base/argument.js';
import type { Carried, ResultMode } from '../../base/result-mode.js';
import { Executor } from '../executor.js';
import { Row } from '../../host/generated/convention.js';
import { type Keys, PAGE, type PageOptions, pushCounted, pushPage } from './arguments.js';
import { checked, integer, type Shape, tooMany, whole } from '../../base/option-check.js';
import { type AsArray, type AsSet, setAs } from './result-forms.js';

export interface CardinalityOptions {
  /** Counting stops here; 0 for never. */
  readonly limit?: number | undefined;
}

/** @internal */
export const CARDINALITY: Shape<CardinalityOptions> = { limit: 'integer' };

export abstract class SetCommands<C extends ResultMode, Text extends string | Uint8Array> extends Executor<C, Text> {
  /** Takes a random member. */
  spop(key: Argument): Carried<C, Text | null>;
  /** Takes up to `count` random members: a Set, or an array with `{ as: 'array' }`. */
  spop(key: Argument, count: number, options: AsArray): Carried<C, Text[]>;
  /** Takes up to `count` random members: a Set, or an array with `{ as: 'array' }`. */
  spop(key: Argument, count: number, options?: AsSet): Carried<C, Set<Text>>;
  spop(key: Argument, count?: number, options?: AsArray | AsSet): Carried<C, Text | Set<Text> | Text[] | null> {
    if (arguments.length > 3) tooMany('spop', 3, arguments.length);
    const change = setAs('spop', options);
    if (count === undefined) return this.run1<Text | null>(Row.SPOP, key);
    integer('spop', 'count', count);
    return this.mapped(this.run2<Set<Text>>(Row.SPOP, key, count), change, 'spop');
  }

  /** A random member, or up to `count` of them; with a negative count the same may come again. */
  srandmember(key: Argument): Carried<C, Text | null>;
  srandmember(key: Argument, count: number): Carried<C, Text[]>;
  srandmember(key: Argument, count?: number): Carried<C, Text | Text[] | null> {
    if (arguments.length > 2) tooMany('srandmember', 2, arguments.length);
    whole('srandmember', 'count', count);
    return count === undefined
      ? this.run1<Text | Text[] | null>(Row.SRANDMEMBER, key)
      : this.run2<Text | Text[] | null>(Row.SRANDMEMBER, key, count);
  }

  /** How many members the sets have in common. */
  sintercard(keys: Keys, options?: CardinalityOptions): Carried<C, number> {
    const { limit } = checked('sintercard', options, CARDINALITY);
    if (arguments.length > 2) tooMany('sintercard', 2, arguments.length);
    const argv = pushCounted(['SINTERCARD'], keys);
    if (limit !== undefined) argv.push('LIMIT', limit);
    return this.execute<number>(argv);
  }

  /** One page of members and the cursor of the next; '0' starts and ends. `scanSet` walks through all. */
  sscan(key: Argument, cursor: Argument = 0, options?: PageOptions): Carried<C, [cursor: Text, members: Text[]]> {
    const given = checked('sscan', options, PAGE);
    if (arguments.length > 3) tooMany('sscan', 3, arguments.length);
    return this.execute<[Text, Text[]]>(pushPage(['SSCAN', key, cursor], given));
  }
}
