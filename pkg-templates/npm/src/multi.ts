/**
 * Transactions: commands are queued here and sent together by `exec`, so that no command of another client runs between
 * them.
 */
import type { Argument } from './argument.js';
import type { Carried, ResultMode } from './result-mode.js';
import { Commands } from './commands.js';
import type { ReplyError } from './errors.js';

/** Result mode of a transaction: each method returns the transaction itself, with one more result in its type. */
export interface Queued<Results extends unknown[], Text extends string | Uint8Array> extends ResultMode {
  readonly carried: Multi<[...Results, this['value']], Text>;
}

/** Result of EXEC: a result or an error for each command, or null when a watched key had changed. */
export type ExecResult<Results extends unknown[]> = { [Index in keyof Results]: Results[Index] | ReplyError } | null;

/** Commands that `exec` runs as one step. Each method queues a command and returns this object. */
export class Multi<Results extends unknown[], Text extends string | Uint8Array = string> extends Commands<
  Queued<Results, Text>,
  Text
> {
  #queue: (readonly Argument[])[] = [];
  readonly #run: (queue: readonly (readonly Argument[])[]) => unknown;

  /** @internal Use `client.multi()`. */
  constructor(run: (queue: readonly (readonly Argument[])[]) => unknown) {
    super();
    this.#run = run;
  }

  /** Number of queued commands. */
  get length(): number {
    return this.#queue.length;
  }

  protected override execute<T>(argv: readonly Argument[]): Carried<Queued<Results, Text>, T> {
    this.#queue.push(argv);
    return this as unknown as Carried<Queued<Results, Text>, T>;
  }

  /**
   * Runs MULTI, the commands and EXEC as one step, and empties the queue. A command that fails when it runs is a
   * ReplyError at its index; the others have run. A command that is refused when it is queued makes the whole
   * transaction fail: EXECABORT is thrown, with the reasons in `cause`, and nothing has run.
   */
  exec(): ExecResult<Results> {
    const queue = this.#queue;
    this.#queue = [];
    return this.#run(queue) as ExecResult<Results>;
  }

  /** Empties the queue. Nothing was sent. */
  discard(): void {
    this.#queue = [];
  }
}
