/** Transactions of a shared database: commands are queued here and sent in one call. */
import type { Argument } from '../../base/argument.js';
import { type ExecOptions, type ExecReplies, type ExecResult, QueuedCommands } from '../multi.js';
import type { ResultMode } from '../../base/result-mode.js';

/** Result mode of such a transaction: each method returns the transaction, with one more result in its type. */
export interface QueuedLater<Results extends unknown[], Text extends string | Uint8Array> extends ResultMode {
  /** The transaction. */
  readonly carried: SharedMulti<[...Results, this['value']], Text>;
}

type Queue = readonly (readonly Argument[])[];

/** Commands that `exec` runs as one step. Each method queues a command and returns this object. */
export class SharedMulti<Results extends unknown[], Text extends string | Uint8Array = string> extends QueuedCommands<
  QueuedLater<Results, Text>,
  Text
> {
  readonly #run: (queue: Queue) => Promise<unknown>;

  /** @internal Use `client.multi()`. */
  constructor(run: (queue: Queue) => Promise<unknown>) {
    super();
    this.#run = run;
  }

  /**
   * Runs the commands as one step, and empties the queue; null when a watched key had changed. A lost answer rejects: across
   * tabs with TabsError and a `mayHaveRun` that tells whether the commands were sent, else with MayHaveRun.
   */
  exec(options: { readonly errors: 'return' }): Promise<ExecReplies<Results>>;
  exec(options?: { readonly errors?: 'throw' | undefined }): Promise<ExecResult<Results>>;
  async exec(options?: ExecOptions): Promise<ExecReplies<Results>> {
    const { queue, finish } = this.take(options);
    return finish(await this.#run(queue)) as ExecReplies<Results>;
  }
}
