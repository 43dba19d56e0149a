/** Sets. Replies that are sets are `Set`; as bytes their members are compared by identity, so walk them. */
import type { Argument } from '../argument.js';
import type { Carried, ResultMode } from '../result-mode.js';
import { Executor } from '../executor.js';
import { Row } from '../generated/convention.js';
import { pushCounted, pushPage, type Keys, type PageOptions } from './arguments.js';

export interface CardinalityOptions {
  /** Counting stops here; 0 for never. */
  readonly limit?: number;
}

export abstract class SetCommands<C extends ResultMode, Text extends string | Uint8Array> extends Executor<C, Text> {
  /** Takes a random member, or up to `count` of them. */
  spop(key: Argument): Carried<C, Text | null>;
  spop(key: Argument, count: number): Carried<C, Set<Text>>;
  spop(key: Argument, count?: number): Carried<C, Text | Set<Text> | null> {
    return count === undefined
      ? this.run1<Text | Set<Text> | null>(Row.SPOP, key)
      : this.run2<Text | Set<Text> | null>(Row.SPOP, key, count);
  }

  /** A random member, or up to `count` of them; with a negative count the same may come again. */
  srandmember(key: Argument): Carried<C, Text | null>;
  srandmember(key: Argument, count: number): Carried<C, Text[]>;
  srandmember(key: Argument, count?: number): Carried<C, Text | Text[] | null> {
    return count === undefined
      ? this.run1<Text | Text[] | null>(Row.SRANDMEMBER, key)
      : this.run2<Text | Text[] | null>(Row.SRANDMEMBER, key, count);
  }

  /** How many members the sets have in common. */
  sintercard(keys: Keys, options: CardinalityOptions = {}): Carried<C, number> {
    const argv = pushCounted(['SINTERCARD'], keys);
    if (options.limit !== undefined) argv.push('LIMIT', options.limit);
    return this.execute<number>(argv);
  }

  /** One page of members and the cursor of the next; '0' starts and ends. `scanSet` walks through all. */
  sscan(key: Argument, cursor: Argument = 0, options: PageOptions = {}): Carried<C, [cursor: Text, members: Text[]]> {
    return this.execute<[Text, Text[]]>(pushPage(['SSCAN', key, cursor], options));
  }
}
