/**
 * Commands that wait until there is something, as promises. Each waits on a client of its own: this one goes on. Timeouts
 * are in seconds, fractions too; 0 waits for ever, and null is the answer when the time is over.
 */
import type { Argument } from '../../base/argument.js';
import type { ResultMode } from '../../base/result-mode.js';
import { Commands } from '../commands.js';
import type { WaitOptions } from '../waits.js';
import { listed, pushCounted, type Keys } from './arguments.js';
import type { ListEnd } from './lists.js';
import { checked, refuse, type Shape, tooMany } from '../../base/option-check.js';
import type { ScoreEnd } from './sorted-sets.js';

export interface PopWaitOptions extends WaitOptions {
  /** How many elements to take at most; 1 by default. */
  readonly count?: number | undefined;
}

const WAIT: Shape<WaitOptions> = { signal: 'signal' };
const POP_WAIT: Shape<PopWaitOptions> = { signal: 'signal', count: 'integer' };

function pushCount(argv: Argument[], { count }: PopWaitOptions): Argument[] {
  if (count !== undefined) argv.push('COUNT', count);
  return argv;
}

/** The last arguments of a method that waits. */
interface Ending<Options> {
  readonly timeout: number;
  readonly options: Options | undefined;
  /** Number of arguments that were given, and of those that the method takes. */
  readonly given: number;
  readonly most: number;
}

/** Checks timeout and options, and runs a method. A refusal is a rejected promise, as every error of a wait. */
function waiting<Options extends WaitOptions, T>(
  method: string,
  { timeout, options, given, most }: Ending<Options>,
  shape: Shape<Options>,
  run: (options: Options) => Promise<T>,
): Promise<T> {
  try {
    if (typeof timeout !== 'number' || Number.isNaN(timeout))
      refuse(method, 'the timeout', 'a number (options are the argument behind it)', timeout);
    if (given > most) tooMany(method, most, given);
    return run(checked<Options>(method, options, shape));
  } catch (error) {
    return Promise.reject(error);
  }
}

export abstract class BlockingCommands<C extends ResultMode, Text extends string | Uint8Array> extends Commands<
  C,
  Text
> {
  /** Runs a command that may wait; it ends by itself when its `timeout` is not 0. */
  protected abstract executeWaiting<T>(argv: readonly Argument[], timeout: number, options: WaitOptions): Promise<T>;

  /** Takes the first element of the first list that has one. */
  blpop(keys: Keys, timeoutSeconds = 0, options?: WaitOptions): Promise<[key: Text, value: Text] | null> {
    const ending = { timeout: timeoutSeconds, options, given: arguments.length, most: 3 };
    return waiting('blpop', ending, WAIT, (wait) =>
      this.executeWaiting(['BLPOP', ...listed(keys), timeoutSeconds], timeoutSeconds, wait),
    );
  }

  /** Takes the last element of the first list that has one. */
  brpop(keys: Keys, timeoutSeconds = 0, options?: WaitOptions): Promise<[key: Text, value: Text] | null> {
    const ending = { timeout: timeoutSeconds, options, given: arguments.length, most: 3 };
    return waiting('brpop', ending, WAIT, (wait) =>
      this.executeWaiting(['BRPOP', ...listed(keys), timeoutSeconds], timeoutSeconds, wait),
    );
  }

  /** Takes an element from an end of one list to an end of another. */
  blmove(
    source: Argument,
    destination: Argument,
    from: ListEnd,
    to: ListEnd,
    timeoutSeconds = 0,
    options?: WaitOptions,
  ): Promise<Text | null> {
    const ending = { timeout: timeoutSeconds, options, given: arguments.length, most: 6 };
    return waiting('blmove', ending, WAIT, (wait) =>
      this.executeWaiting(['BLMOVE', source, destination, from, to, timeoutSeconds], timeoutSeconds, wait),
    );
  }

  /** Takes elements from an end of the first list that has some. */
  blmpop(
    keys: Keys,
    end: ListEnd,
    timeoutSeconds = 0,
    options?: PopWaitOptions,
  ): Promise<[key: Text, values: Text[]] | null> {
    const ending = { timeout: timeoutSeconds, options, given: arguments.length, most: 4 };
    return waiting('blmpop', ending, POP_WAIT, (wait) => {
      const argv = pushCounted(['BLMPOP', timeoutSeconds], keys);
      argv.push(end);
      return this.executeWaiting(pushCount(argv, wait), timeoutSeconds, wait);
    });
  }

  /** Takes the member with the lowest score of the first sorted set that has one. */
  bzpopmin(
    keys: Keys,
    timeoutSeconds = 0,
    options?: WaitOptions,
  ): Promise<[key: Text, member: Text, score: number] | null> {
    const ending = { timeout: timeoutSeconds, options, given: arguments.length, most: 3 };
    return waiting('bzpopmin', ending, WAIT, (wait) =>
      this.executeWaiting(['BZPOPMIN', ...listed(keys), timeoutSeconds], timeoutSeconds, wait),
    );
  }

  /** Takes the member with the highest score of the first sorted set that has one. */
  bzpopmax(
    keys: Keys,
    timeoutSeconds = 0,
    options?: WaitOptions,
  ): Promise<[key: Text, member: Text, score: number] | null> {
    const ending = { timeout: timeoutSeconds, options, given: arguments.length, most: 3 };
    return waiting('bzpopmax', ending, WAIT, (wait) =>
      this.executeWaiting(['BZPOPMAX', ...listed(keys), timeoutSeconds], timeoutSeconds, wait),
    );
  }

  /** Takes members with the lowest or highest scores of the first sorted set that has some. */
  bzmpop(
    keys: Keys,
    end: ScoreEnd,
    timeoutSeconds = 0,
    options?: PopWaitOptions,
  ): Promise<[key: Text, members: [member: Text, score: number][]] | null> {
    const ending = { timeout: timeoutSeconds, options, given: arguments.length, most: 4 };
    return waiting('bzmpop', ending, POP_WAIT, (wait) => {
      const argv = pushCounted(['BZMPOP', timeoutSeconds], keys);
      argv.push(end);
      return this.executeWaiting(pushCount(argv, wait), timeoutSeconds, wait);
    });
  }

  /** Waits for replicas, of which there are none: answers 0 at once when none is asked for, else when its time is over. */
  wait(replicas: number, timeoutMilliseconds: number, options?: WaitOptions): Promise<number> {
    const ending = { timeout: timeoutMilliseconds, options, given: arguments.length, most: 3 };
    return waiting('wait', ending, WAIT, (wait) =>
      this.executeWaiting(['WAIT', replicas, timeoutMilliseconds], timeoutMilliseconds, wait),
    );
  }
}
