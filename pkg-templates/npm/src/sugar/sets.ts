/** Sets. Replies that are sets are `Set`; as bytes their members are compared by identity, so walk them. */
import type { Argument } from '../argument.js';
import type { Carried, ResultMode } from '../result-mode.js';
import { Row } from '../generated/convention.js';
import { pushCounted, pushPage, type Keys, type PageOptions } from './arguments.js';
import { ListCommands } from './lists.js';

export interface CardinalityOptions {
  /** Counting stops here; 0 for never. */
  readonly limit?: number;
}

export abstract class SetCommands<C extends ResultMode, Text extends string | Uint8Array> extends ListCommands<
  C,
  Text
> {
  /** How many members are new. */
  sadd(key: Argument, ...members: Argument[]): Carried<C, number> {
    return this.run<number>(Row.SADD, ['SADD', key, ...members]);
  }

  /** How many members were there. */
  srem(key: Argument, ...members: Argument[]): Carried<C, number> {
    return this.run<number>(Row.SREM, ['SREM', key, ...members]);
  }

  scard(key: Argument): Carried<C, number> {
    return this.run1<number>(Row.SCARD, key);
  }

  sismember(key: Argument, member: Argument): Carried<C, 0 | 1> {
    return this.run2<0 | 1>(Row.SISMEMBER, key, member);
  }

  smismember(key: Argument, ...members: Argument[]): Carried<C, (0 | 1)[]> {
    return this.run<(0 | 1)[]>(Row.SMISMEMBER, ['SMISMEMBER', key, ...members]);
  }

  smembers(key: Argument): Carried<C, Set<Text>> {
    return this.run1<Set<Text>>(Row.SMEMBERS, key);
  }

  /** 1 when the member was in the source. */
  smove(source: Argument, destination: Argument, member: Argument): Carried<C, 0 | 1> {
    return this.run3<0 | 1>(Row.SMOVE, source, destination, member);
  }

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

  sinter(...keys: Argument[]): Carried<C, Set<Text>> {
    return this.run<Set<Text>>(Row.SINTER, ['SINTER', ...keys]);
  }

  sunion(...keys: Argument[]): Carried<C, Set<Text>> {
    return this.run<Set<Text>>(Row.SUNION, ['SUNION', ...keys]);
  }

  /** The members of the first set that are in none of the others. */
  sdiff(...keys: Argument[]): Carried<C, Set<Text>> {
    return this.run<Set<Text>>(Row.SDIFF, ['SDIFF', ...keys]);
  }

  /** These store the result and answer how many members it has. */
  sinterstore(destination: Argument, ...keys: Argument[]): Carried<C, number> {
    return this.run<number>(Row.SINTERSTORE, ['SINTERSTORE', destination, ...keys]);
  }

  sunionstore(destination: Argument, ...keys: Argument[]): Carried<C, number> {
    return this.run<number>(Row.SUNIONSTORE, ['SUNIONSTORE', destination, ...keys]);
  }

  sdiffstore(destination: Argument, ...keys: Argument[]): Carried<C, number> {
    return this.run<number>(Row.SDIFFSTORE, ['SDIFFSTORE', destination, ...keys]);
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
