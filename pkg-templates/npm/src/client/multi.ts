/**
 * Transactions: commands are queued here and sent together by `exec`, so that no command of another client runs between
 * them.
 */
import type { Argument } from '../base/argument.js';
import type { Carried, ResultMode } from '../base/result-mode.js';
import { Commands } from './commands.js';
import { ExecError, type ReplyError, UnsafeIntegerError } from '../base/errors.js';
import { checked, type Shape } from '../base/option-check.js';

/** Result mode of a transaction: each method returns the transaction itself, with one more result in its type. */
export interface Queued<Results extends unknown[], Text extends string | Uint8Array> extends ResultMode {
  readonly carried: Multi<[...Results, this['value']], Text>;
}

/** Error in place of a result: of the command, or because a number cannot hold the result. */
export type CommandError = ReplyError | UnsafeIntegerError;

/** Result of `exec`: a result for each command, or null when a watched key had changed. */
export type ExecResult<Results extends unknown[]> = Results | null;

/** Result of `exec({ errors: 'return' })`: a result or an error for each command, or null when a watched key had changed. */
export type ExecReplies<Results extends unknown[]> = { [Index in keyof Results]: Results[Index] | CommandError } | null;

/** Treatment of commands that failed when they ran. */
export interface ExecOptions {
  /** `throw` an ExecError after all commands have run, or `return` errors among the results. Default `throw`. */
  readonly errors?: 'throw' | 'return' | undefined;
}

const EXEC: Shape<ExecOptions> = { errors: ['return', 'throw'] };

type Change = (reply: unknown, method: string) => unknown;

type Queue = readonly (readonly Argument[])[];

/** @internal The queue of a transaction, taken to be run. */
export interface Taken {
  readonly queue: Queue;
  /** The result of `exec` for the result of running the queue. */
  finish(replies: unknown): unknown;
}

/** Commands that are queued: each method queues one and returns this object. */
export abstract class QueuedCommands<C extends ResultMode, Text extends string | Uint8Array> extends Commands<C, Text> {
  #queue: (readonly Argument[])[] = [];
  /** Changes of results into the form that the methods return, by the command's index. */
  #changes = new Map<number, (reply: unknown) => unknown>();

  /** Number of queued commands. */
  get length(): number {
    return this.#queue.length;
  }

  protected override execute<T>(argv: readonly Argument[]): Carried<C, T> {
    this.#queue.push(argv);
    return this as unknown as Carried<C, T>;
  }

  /** @internal */
  protected override mapped<T>(_: unknown, change: Change, method: string): Carried<C, T> {
    this.#changes.set(this.#queue.length - 1, (reply) => change(reply, method));
    return this as unknown as Carried<C, T>;
  }

  /** Empties the queue. Nothing was sent. */
  discard(): void {
    this.#queue = [];
    this.#changes = new Map();
  }

  /** @internal Empties the queue into what `exec` has to run. */
  protected take(options: ExecOptions | undefined): Taken {
    const { errors } = checked('exec', options, EXEC);
    const queue = this.#queue;
    const changes = this.#changes;
    this.discard();
    const finish = (replies: unknown): unknown => {
      if (!Array.isArray(replies)) return replies;
      const results = replies.map((reply, index) => changed(reply, changes.get(index)));
      if (errors !== 'return' && results.some((result) => result instanceof Error)) throw new ExecError(results);
      return results;
    };
    return { queue, finish };
  }
}

/** Commands that `exec` runs as one step. Each method queues a command and returns this object. */
export class Multi<Results extends unknown[], Text extends string | Uint8Array = string> extends QueuedCommands<
  Queued<Results, Text>,
  Text
> {
  readonly #run: (queue: Queue) => unknown;

  /** @internal Use `client.multi()`. */
  constructor(run: (queue: Queue) => unknown) {
    super();
    this.#run = run;
  }

  /**
   * Runs MULTI, the commands and EXEC as one step, and empties the queue. Returns null when a watched key had changed.
   *
   * If a command fails when it runs, the others run all the same, as in Redis, and ExecError is thrown with all results
   * in `replies`. With `{ errors: 'return' }` the error is returned in place of the command's result.
   *
   * A command that is refused when it is queued makes the whole transaction fail: a ReplyError with the code EXECABORT
   * is thrown, with the reasons in `cause`, and nothing has run.
   */
  exec(options: { readonly errors: 'return' }): ExecReplies<Results>;
  exec(options?: { readonly errors?: 'throw' | undefined }): ExecResult<Results>;
  exec(options?: ExecOptions): ExecReplies<Results> {
    const { queue, finish } = this.take(options);
    return finish(this.#run(queue)) as ExecReplies<Results>;
  }
}

/** A result in the form that its method returns, or the error in its place. */
function changed(reply: unknown, change: ((reply: unknown) => unknown) | undefined): unknown {
  if (change === undefined || reply instanceof Error) return reply;
  try {
    return change(reply);
  } catch (error) {
    if (error instanceof UnsafeIntegerError) return error;
    throw error;
  }
}
