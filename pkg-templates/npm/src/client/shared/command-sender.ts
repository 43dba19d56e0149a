/** One client of a database that others share: sends commands, and keeps what a new connection would not know. */
import type { Argument } from '../../base/argument.js';
import type { WaitOptions } from '../waits.js';

export interface CommandSender {
  readonly closed: boolean;
  /** Number of the client's database. */
  readonly db: number;
  /** Runs a command. Rejects with its error. */
  run(argv: readonly Argument[], asBytes: boolean): Promise<unknown>;
  /** Runs a command that may wait, without delaying others. */
  wait(argv: readonly Argument[], timeoutSeconds: number, asBytes: boolean, options: WaitOptions): Promise<unknown>;
  /** Runs commands between MULTI and EXEC: their replies, or null if a watched key had changed. */
  transaction(queue: readonly (readonly Argument[])[], asBytes: boolean): Promise<unknown>;
  /** Disconnects. */
  close(): void;
}
