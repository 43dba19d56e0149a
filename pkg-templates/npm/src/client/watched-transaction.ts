/** Optimistic transactions: work on a client of its own, again while watched keys change. */
import { WatchError } from '../base/errors.js';
import type { Shape } from '../base/option-check.js';
import { abortReason, onAbort, type AbortSignalLike } from '../base/abort.js';
import { CallerTypeError } from '../base/caller-errors.js';

/** Options of `transaction`. */
export interface TransactionOptions {
  /** Number of further attempts after the first. Default 16. */
  readonly retries?: number | undefined;
  /** Ends the transaction with the signal's reason, unless it was committed. */
  readonly signal?: AbortSignalLike | undefined;
}

/** @internal */
export const TRANSACTION: Shape<TransactionOptions> = { retries: 'integer', signal: 'signal' };

const RETRIES = 16;

/** @internal The client of a transaction; across tabs `close` returns a promise. */
export interface WatchingClient {
  readonly closed: boolean;
  close(): void | Promise<void>;
}

/** @internal A client for one attempt, and whether its last EXEC ran nothing. */
export interface Attempt<Client extends WatchingClient> {
  readonly client: Client;
  isAborted(): boolean;
}

/**
 * @internal
 * Runs `work` until its transaction is committed, or until it ends without one. After an error of which `isLost` is true
 * nothing has run, and the work begins anew.
 */
export async function runWatched<T, Client extends WatchingClient>(
  begin: () => Attempt<Client>,
  work: (client: Client) => T | Promise<T>,
  { retries = RETRIES, signal }: TransactionOptions,
  isLost: (error: unknown) => boolean = () => false,
): Promise<T> {
  if (typeof work !== 'function') throw new CallerTypeError('transaction: expected a function of a client');
  if (!Number.isSafeInteger(retries) || retries < 0)
    throw new CallerTypeError('transaction: retries must be an integer from 0 on');
  for (let attempt = 0; attempt <= retries; attempt += 1) {
    if (signal?.aborted) throw abortReason(signal);
    const { client, isAborted } = begin();
    const stopListening = onAbort(signal, () => void client.close());
    try {
      const result = await work(client);
      if (!isAborted()) return result;
    } catch (error) {
      if (signal?.aborted && client.closed) throw abortReason(signal);
      if (!isLost(error)) throw error;
    } finally {
      stopListening();
      const closing = client.close();
      if (closing !== undefined) await closing;
    }
  }
  throw new WatchError(retries + 1);
}
