/**
 * Commands that wait until there is something, as promises. Each waits on a client of its own: this one goes on. Timeouts
 * are in seconds, fractions too; 0 waits for ever, and null is the answer when the time is over.
 */
import type { Argument } from '../argument.js';
import type { ResultMode } from '../result-mode.js';
import { Commands } from '../commands.js';
import type { WaitOptions } from '../waits.js';
import { listed, type Keys } from './arguments.js';
import type { ListEnd } from './lists.js';
import type { ScoreEnd } from './sorted-sets.js';

export interface PopWaitOptions extends WaitOptions {
  /** How many elements to take at most; 1 by default. */
  readonly count?: number;
}

function pushCount(argv: Argument[], { count }: PopWaitOptions): Argument[] {
  if (count !== undefined) argv.push('COUNT', count);
  return argv;
}

export abstract class BlockingCommands<C extends ResultMode, Text extends string | Uint8Array> extends Commands<
  C,
  Text
> {
  /** Runs a command that may wait; it ends by itself when its `timeout` is not 0. */
  protected abstract executeWaiting<T>(argv: readonly Argument[], timeout: number, options: WaitOptions): Promise<T>;

  /** Takes the first element of the first list that has one. */
  blpop(keys: Keys, timeoutSeconds = 0, options: WaitOptions = {}): Promise<[key: Text, value: Text] | null> {
    return this.executeWaiting(['BLPOP', ...listed(keys), timeoutSeconds], timeoutSeconds, options);
  }

  /** Takes the last element of the first list that has one. */
  brpop(keys: Keys, timeoutSeconds = 0, options: WaitOptions = {}): Promise<[key: Text, value: Text] | null> {
    return this.executeWaiting(['BRPOP', ...listed(keys), timeoutSeconds], timeoutSeconds, options);
  }

  /** Takes an element from an end of one list to an end of another. */
  blmove(
    source: Argument,
    destination: Argument,
    from: ListEnd,
    to: ListEnd,
    timeoutSeconds = 0,
    options: WaitOptions = {},
  ): Promise<Text | null> {
    return this.executeWaiting(['BLMOVE', source, destination, from, to, timeoutSeconds], timeoutSeconds, options);
  }

  /** Takes elements from an end of the first list that has some. */
  blmpop(
    keys: Keys,
    end: ListEnd,
    timeoutSeconds = 0,
    options: PopWaitOptions = {},
  ): Promise<[key: Text, values: Text[]] | null> {
    const wanted = listed(keys);
    const argv = ['BLMPOP', timeoutSeconds, wanted.length, ...wanted, end];
    return this.executeWaiting(pushCount(argv, options), timeoutSeconds, options);
  }

  /** Takes the member with the lowest score of the first sorted set that has one. */
  bzpopmin(
    keys: Keys,
    timeoutSeconds = 0,
    options: WaitOptions = {},
  ): Promise<[key: Text, member: Text, score: number] | null> {
    return this.executeWaiting(['BZPOPMIN', ...listed(keys), timeoutSeconds], timeoutSeconds, options);
  }

  /** Takes the member with the highest score of the first sorted set that has one. */
  bzpopmax(
    keys: Keys,
    timeoutSeconds = 0,
    options: WaitOptions = {},
  ): Promise<[key: Text, member: Text, score: number] | null> {
    return this.executeWaiting(['BZPOPMAX', ...listed(keys), timeoutSeconds], timeoutSeconds, options);
  }

  /** Takes members with the lowest or highest scores of the first sorted set that has some. */
  bzmpop(
    keys: Keys,
    end: ScoreEnd,
    timeoutSeconds = 0,
    options: PopWaitOptions = {},
  ): Promise<[key: Text, members: [member: Text, score: number][]] | null> {
    const wanted = listed(keys);
    const argv = ['BZMPOP', timeoutSeconds, wanted.length, ...wanted, end];
    return this.executeWaiting(pushCount(argv, options), timeoutSeconds, options);
  }

  /** Waits for replicas, of which there are none: answers 0 at once when none is asked for, else when its time is over. */
  wait(replicas: number, timeoutMilliseconds: number, options: WaitOptions = {}): Promise<number> {
    return this.executeWaiting(['WAIT', replicas, timeoutMilliseconds], timeoutMilliseconds, options);
  }
}
