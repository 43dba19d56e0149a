/** Transactions of one connection, for its client and for views of it. */
import type { Argument } from '../base/argument.js';
import { Multi } from './multi.js';
import { PreparedScripts } from './sugar/prepared-scripts.js';

/** Commands of a connection, with transactions. */
export abstract class TransactionCommands<Text extends string | Uint8Array> extends PreparedScripts<Text> {
  /** @internal Runs MULTI, the commands and EXEC; the replies, or null. */
  protected abstract transact(queue: readonly (readonly Argument[])[]): unknown;

  /** A transaction: queue commands on it, then `exec()`. */
  multi(): Multi<[], Text> {
    return new Multi<[], Text>((queue) => this.transact(queue));
  }

  /** Watches keys: if one changes, the next transaction of this client returns null. */
  watch(...keys: Argument[]): 'OK' {
    return this.execute<'OK'>(['WATCH', ...keys]);
  }

  /** Forgets all watched keys of this client. */
  unwatch(): 'OK' {
    return this.execute<'OK'>(['UNWATCH']);
  }
}
