/** Sorted sets: members, scores and ranks. Ranges are in ranges.ts, several sets together in set-algebra.ts. */
import type { Argument } from '../../base/argument.js';
import type { Carried, ResultMode } from '../../base/result-mode.js';
import { Executor } from '../executor.js';
import { Row } from '../../host/generated/convention.js';
import {
  type Keys,
  methodAt,
  PAGE,
  type PageOptions,
  type Pairs,
  pairsOf,
  pushCounted,
  pushPage,
  refusePair,
} from './arguments.js';
import { POP, type PopOptions } from './lists.js';
import { checked, integer, isArgument, type Shape, tooMany, whole } from '../../base/option-check.js';
import { CallerTypeError } from '../../base/caller-errors.js';

export type ScoreEnd = 'MIN' | 'MAX';

/** A number, or as it is typed: `'+inf'`. */
export type Score = number | string;

/** Condition of ZADD: `nx` for new members, `xx` for existing ones, `gt` and `lt` for scores that rise or fall. */
export type AddCondition =
  | { readonly nx?: boolean | undefined; readonly xx?: undefined; readonly gt?: undefined; readonly lt?: undefined }
  | {
      readonly nx?: undefined;
      readonly xx?: boolean | undefined;
      readonly gt?: boolean | undefined;
      readonly lt?: undefined;
    }
  | {
      readonly nx?: undefined;
      readonly xx?: boolean | undefined;
      readonly gt?: undefined;
      readonly lt?: boolean | undefined;
    };

export type AddOptions = AddCondition & {
  /** Answer how many members changed, not only how many are new. */
  readonly ch?: boolean | undefined;
};

const CONDITION: Shape<AddCondition> = { nx: 'flag', xx: 'flag', gt: 'flag', lt: 'flag' };
const ADD: Shape<AddOptions> = { ...CONDITION, ch: 'flag' };
const EXCLUSIVE = [
  ['nx', 'xx'],
  ['nx', 'gt', 'lt'],
] as const;

type WithScore = { readonly withscore?: boolean | undefined };
type WithScores = { readonly withscores?: boolean | undefined };

const WITH_SCORE: Shape<WithScore> = { withscore: 'flag' };
const WITH_SCORES: Shape<WithScores> = { withscores: 'flag' };

function pushCondition(argv: Argument[], { nx, xx, gt, lt }: AddCondition): void {
  if (nx) argv.push('NX');
  if (xx) argv.push('XX');
  if (gt) argv.push('GT');
  if (lt) argv.push('LT');
}

function isScore(value: unknown): boolean {
  return typeof value === 'string' || (typeof value === 'number' && !Number.isNaN(value));
}

function pushScores(argv: Argument[], key: Argument, given: readonly unknown[]): Argument[] {
  const names = () => ({ at: methodAt('zadd', key), name: 'member', value: 'score' });
  for (const [member, score] of pairsOf<Score>(given, names)) {
    if (!isArgument(member) || !isScore(score)) refusePair(names(), member, score, "a number or text such as '+inf'");
    argv.push(score, member);
  }
  return argv;
}

/** Arguments of ZADD from scores and members by turns, as they are typed. */
function typedScores(key: Argument, given: readonly unknown[]): Argument[] {
  if (given.length % 2 !== 0)
    throw new CallerTypeError(`${methodAt('zadd', key)}: expected scores and members by turns`);
  const pairs: (readonly [unknown, unknown])[] = [];
  for (let index = 0; index < given.length; index += 2) pairs.push([given[index + 1], given[index]]);
  return pushScores(['ZADD', key], key, [pairs]);
}

/** Arguments of ZRANK and ZREVRANK. `given` counts the arguments of the method. */
function rankOf(method: string, argv: Argument[], options: WithScore | undefined, given: number): Argument[] {
  const { withscore } = checked(method, options, WITH_SCORE);
  if (given > 3) tooMany(method, 3, given);
  if (withscore) argv.push('WITHSCORE');
  return argv;
}

export abstract class SortedSetCommands<C extends ResultMode, Text extends string | Uint8Array> extends Executor<
  C,
  Text
> {
  /**
   * Adds members with their scores: `{ ann: 120, bob: 95 }`, a Map, or pairs; or scores and members by turns, as they are
   * typed. Returns the number of new members.
   */
  zadd(key: Argument, members: Pairs<Score>, options?: AddOptions): Carried<C, number>;
  zadd(key: Argument, score: Score, member: Argument, ...more: Argument[]): Carried<C, number>;
  zadd(key: Argument, ...given: unknown[]): Carried<C, number> {
    if (isScore(given[0]) || Number.isNaN(given[0])) return this.run<number>(Row.ZADD, typedScores(key, given));
    if (given.length > 2) tooMany('zadd', 3, arguments.length);
    const argv: Argument[] = ['ZADD', key];
    if (given[1] !== undefined) {
      const options = checked('zadd', given[1] as AddOptions, ADD, EXCLUSIVE);
      pushCondition(argv, options);
      if (options.ch) argv.push('CH');
    }
    return this.run<number>(Row.ZADD, pushScores(argv, key, [given[0]]));
  }

  /** Adds to a score and answers the new one; null when the condition refused. */
  zincrby(key: Argument, increment: Score, member: Argument): Carried<C, number>;
  zincrby(key: Argument, increment: Score, member: Argument, options: AddCondition): Carried<C, number | null>;
  zincrby(key: Argument, increment: Score, member: Argument, options?: AddCondition): Carried<C, number | null> {
    if (arguments.length > 4) tooMany('zincrby', 4, arguments.length);
    if (options === undefined) return this.run3<number | null>(Row.ZINCRBY, key, increment, member);
    const argv: Argument[] = ['ZADD', key];
    pushCondition(argv, checked('zincrby', options, CONDITION, EXCLUSIVE));
    return this.execute<number | null>([...argv, 'INCR', increment, member]);
  }

  /** How many members have a lower score. */
  zrank(
    key: Argument,
    member: Argument,
    options?: { readonly withscore?: false | undefined },
  ): Carried<C, number | null>;
  zrank(
    key: Argument,
    member: Argument,
    options: { readonly withscore: true },
  ): Carried<C, [rank: number, score: number] | null>;
  zrank(key: Argument, member: Argument, options?: WithScore): Carried<C, number | [number, number] | null> {
    return this.execute<number | [number, number] | null>(
      rankOf('zrank', ['ZRANK', key, member], options, arguments.length),
    );
  }

  /** How many members have a higher score. */
  zrevrank(
    key: Argument,
    member: Argument,
    options?: { readonly withscore?: false | undefined },
  ): Carried<C, number | null>;
  zrevrank(
    key: Argument,
    member: Argument,
    options: { readonly withscore: true },
  ): Carried<C, [rank: number, score: number] | null>;
  zrevrank(key: Argument, member: Argument, options?: WithScore): Carried<C, number | [number, number] | null> {
    return this.execute<number | [number, number] | null>(
      rankOf('zrevrank', ['ZREVRANK', key, member], options, arguments.length),
    );
  }

  /** Takes the member with the lowest score, or up to `count` of them. */
  zpopmin(key: Argument): Carried<C, [member: Text, score: number] | []>;
  zpopmin(key: Argument, count: number): Carried<C, [member: Text, score: number][]>;
  zpopmin(key: Argument, count?: number): Carried<C, [Text, number] | [] | [Text, number][]> {
    if (arguments.length > 2) tooMany('zpopmin', 2, arguments.length);
    whole('zpopmin', 'count', count);
    return count === undefined
      ? this.run1<[Text, number] | [] | [Text, number][]>(Row.ZPOPMIN, key)
      : this.run2<[Text, number] | [] | [Text, number][]>(Row.ZPOPMIN, key, count);
  }

  /** Takes the member with the highest score, or up to `count` of them. */
  zpopmax(key: Argument): Carried<C, [member: Text, score: number] | []>;
  zpopmax(key: Argument, count: number): Carried<C, [member: Text, score: number][]>;
  zpopmax(key: Argument, count?: number): Carried<C, [Text, number] | [] | [Text, number][]> {
    if (arguments.length > 2) tooMany('zpopmax', 2, arguments.length);
    whole('zpopmax', 'count', count);
    return count === undefined
      ? this.run1<[Text, number] | [] | [Text, number][]>(Row.ZPOPMAX, key)
      : this.run2<[Text, number] | [] | [Text, number][]>(Row.ZPOPMAX, key, count);
  }

  /** Takes members with the lowest or highest scores of the first sorted set that has some. */
  zmpop(
    keys: Keys,
    end: ScoreEnd,
    options?: PopOptions,
  ): Carried<C, [key: Text, members: [member: Text, score: number][]] | null> {
    const { count } = checked('zmpop', options, POP);
    if (arguments.length > 3) tooMany('zmpop', 3, arguments.length);
    const argv = pushCounted(['ZMPOP'], keys);
    argv.push(end);
    if (count !== undefined) argv.push('COUNT', count);
    return this.execute<[Text, [Text, number][]] | null>(argv);
  }

  /** A random member, or up to `count` of them; with a negative count the same may come again. */
  zrandmember(key: Argument): Carried<C, Text | null>;
  zrandmember(
    key: Argument,
    count: number,
    options: { readonly withscores: true },
  ): Carried<C, [member: Text, score: number][]>;
  zrandmember(key: Argument, count: number, options?: { readonly withscores?: false | undefined }): Carried<C, Text[]>;
  zrandmember(
    key: Argument,
    count?: number,
    options?: WithScores,
  ): Carried<C, Text | null | Text[] | [Text, number][]> {
    const { withscores } = checked('zrandmember', options, WITH_SCORES);
    if (arguments.length > 3) tooMany('zrandmember', 3, arguments.length);
    const argv: Argument[] = ['ZRANDMEMBER', key];
    if (count !== undefined) argv.push(integer('zrandmember', 'count', count));
    if (withscores) argv.push('WITHSCORES');
    return this.run<Text | null | Text[] | [Text, number][]>(Row.ZRANDMEMBER, argv);
  }

  /**
   * One page, score after member, and the cursor of the next; '0' starts and ends. Scores are text here, as the command
   * has it. `scanSortedSet` walks through all.
   */
  zscan(key: Argument, cursor: Argument = 0, options?: PageOptions): Carried<C, [cursor: Text, members: Text[]]> {
    const given = checked('zscan', options, PAGE);
    if (arguments.length > 3) tooMany('zscan', 3, arguments.length);
    return this.execute<[Text, Text[]]>(pushPage(['ZSCAN', key, cursor], given));
  }
}
