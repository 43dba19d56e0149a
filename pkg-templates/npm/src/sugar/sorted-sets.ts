/** Sorted sets: members, scores and ranks. Ranges are in ranges.ts, several sets together in set-algebra.ts. */
import type { Argument } from '../argument.js';
import type { Carried, ResultMode } from '../result-mode.js';
import { Executor } from '../executor.js';
import { Row } from '../generated/convention.js';
import { entriesOf, pushCounted, pushPage, type Keys, type PageOptions, type Pairs } from './arguments.js';
import type { PopOptions } from './lists.js';

export type ScoreEnd = 'MIN' | 'MAX';

/** A number, or as it is typed: `'+inf'`. */
export type Score = number | string;

/** Condition of ZADD: `nx` for new members, `xx` for existing ones, `gt` and `lt` for scores that rise or fall. */
export type AddCondition =
  | { readonly nx?: boolean; readonly xx?: undefined; readonly gt?: undefined; readonly lt?: undefined }
  | { readonly nx?: undefined; readonly xx?: boolean; readonly gt?: boolean; readonly lt?: undefined }
  | { readonly nx?: undefined; readonly xx?: boolean; readonly gt?: undefined; readonly lt?: boolean };

export type AddOptions = AddCondition & {
  /** Answer how many members changed, not only how many are new. */
  readonly ch?: boolean;
};

function pushCondition(argv: Argument[], options: AddCondition): void {
  for (const name of ['nx', 'xx', 'gt', 'lt'] as const) if (options[name]) argv.push(name.toUpperCase());
}

function pushWithScore(argv: Argument[], options: { readonly withscore: true } | undefined): Argument[] {
  if (options?.withscore) argv.push('WITHSCORE');
  return argv;
}

export abstract class SortedSetCommands<C extends ResultMode, Text extends string | Uint8Array> extends Executor<
  C,
  Text
> {
  /** Members with their scores: `{ ann: 120, bob: 95 }`, a Map, or pairs. Answers how many are new. */
  zadd(key: Argument, members: Pairs<Score>, options: AddOptions = {}): Carried<C, number> {
    const argv: Argument[] = ['ZADD', key];
    pushCondition(argv, options);
    if (options.ch) argv.push('CH');
    for (const [member, score] of entriesOf(members)) argv.push(score, member);
    return this.run<number>(Row.ZADD, argv);
  }

  /** Adds to a score and answers the new one; null when the condition refused. */
  zincrby(key: Argument, increment: Score, member: Argument): Carried<C, number>;
  zincrby(key: Argument, increment: Score, member: Argument, options: AddCondition): Carried<C, number | null>;
  zincrby(key: Argument, increment: Score, member: Argument, options?: AddCondition): Carried<C, number | null> {
    if (options === undefined) return this.run3<number | null>(Row.ZINCRBY, key, increment, member);
    const argv: Argument[] = ['ZADD', key];
    pushCondition(argv, options);
    return this.execute<number | null>([...argv, 'INCR', increment, member]);
  }

  /** How many members have a lower score. */
  zrank(key: Argument, member: Argument): Carried<C, number | null>;
  zrank(
    key: Argument,
    member: Argument,
    options: { readonly withscore: true },
  ): Carried<C, [rank: number, score: number] | null>;
  zrank(
    key: Argument,
    member: Argument,
    options?: { readonly withscore: true },
  ): Carried<C, number | [number, number] | null> {
    return this.execute<number | [number, number] | null>(pushWithScore(['ZRANK', key, member], options));
  }

  /** How many members have a higher score. */
  zrevrank(key: Argument, member: Argument): Carried<C, number | null>;
  zrevrank(
    key: Argument,
    member: Argument,
    options: { readonly withscore: true },
  ): Carried<C, [rank: number, score: number] | null>;
  zrevrank(
    key: Argument,
    member: Argument,
    options?: { readonly withscore: true },
  ): Carried<C, number | [number, number] | null> {
    return this.execute<number | [number, number] | null>(pushWithScore(['ZREVRANK', key, member], options));
  }

  /** Takes the member with the lowest score, or up to `count` of them. */
  zpopmin(key: Argument): Carried<C, [member: Text, score: number] | []>;
  zpopmin(key: Argument, count: number): Carried<C, [member: Text, score: number][]>;
  zpopmin(key: Argument, count?: number): Carried<C, [Text, number] | [] | [Text, number][]> {
    return count === undefined
      ? this.run1<[Text, number] | [] | [Text, number][]>(Row.ZPOPMIN, key)
      : this.run2<[Text, number] | [] | [Text, number][]>(Row.ZPOPMIN, key, count);
  }

  /** Takes the member with the highest score, or up to `count` of them. */
  zpopmax(key: Argument): Carried<C, [member: Text, score: number] | []>;
  zpopmax(key: Argument, count: number): Carried<C, [member: Text, score: number][]>;
  zpopmax(key: Argument, count?: number): Carried<C, [Text, number] | [] | [Text, number][]> {
    return count === undefined
      ? this.run1<[Text, number] | [] | [Text, number][]>(Row.ZPOPMAX, key)
      : this.run2<[Text, number] | [] | [Text, number][]>(Row.ZPOPMAX, key, count);
  }

  /** Takes members with the lowest or highest scores of the first sorted set that has some. */
  zmpop(
    keys: Keys,
    end: ScoreEnd,
    options: PopOptions = {},
  ): Carried<C, [key: Text, members: [member: Text, score: number][]] | null> {
    const argv = pushCounted(['ZMPOP'], keys);
    argv.push(end);
    if (options.count !== undefined) argv.push('COUNT', options.count);
    return this.execute<[Text, [Text, number][]] | null>(argv);
  }

  /** A random member, or up to `count` of them; with a negative count the same may come again. */
  zrandmember(key: Argument): Carried<C, Text | null>;
  zrandmember(
    key: Argument,
    count: number,
    options: { readonly withscores: true },
  ): Carried<C, [member: Text, score: number][]>;
  zrandmember(key: Argument, count: number, options?: { readonly withscores?: false }): Carried<C, Text[]>;
  zrandmember(
    key: Argument,
    count?: number,
    options: { readonly withscores?: boolean } = {},
  ): Carried<C, Text | null | Text[] | [Text, number][]> {
    const argv: Argument[] = ['ZRANDMEMBER', key];
    if (count !== undefined) argv.push(count);
    if (options.withscores) argv.push('WITHSCORES');
    return this.run<Text | null | Text[] | [Text, number][]>(Row.ZRANDMEMBER, argv);
  }

  /**
   * One page, score after member, and the cursor of the next; '0' starts and ends. Scores are text here, as the command
   * has it. `scanSortedSet` walks through all.
   */
  zscan(key: Argument, cursor: Argument = 0, options: PageOptions = {}): Carried<C, [cursor: Text, members: Text[]]> {
    return this.execute<[Text, Text[]]>(pushPage(['ZSCAN', key, cursor], options));
  }
}
