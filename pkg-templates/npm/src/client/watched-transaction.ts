/** Optimistic transactions: work on a client of its own, again while watched keys change. */
import type { Client } from './client.js';
import { WatchError } from '../base/errors.js';
import type { Shape } from '../base/option-check.js';
import { abortReason, onAbort, type AbortSignalLike } from '../base/abort.js';

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

/** @internal A client for one attempt, and whether its last EXEC ran nothing. */
export interface Attempt {
  readonly client: Client;
  isAborted(): boolean;
}

/** @internal Runs `work` until its transaction is committed, or until it ends without one. */
export async function runWatched<T>(
  begin: () => Attempt,
  work: (client: Client) => T | Promise<T>,
  { retries = RETRIES, signal }: TransactionOptions,
): Promise<T> {
  if (typeof work !== 'function') throw new TypeError('transaction: expected a function of a client');
  if (!Number.isSafeInteger(retries) || retries < 0)
    throw new TypeError('transaction: retries must be an integer from 0 on');
  for (let attempt = 0; attempt <= retries; attempt += 1) {
    if (signal?.aborted) throw abortReason(signal);
    const { client, isAborted } = begin();
    const stopListening = onAbort(signal, () => client.close());
    try {
      const result = await work(client);
      if (!isAborted()) return result;
    } catch (error) {
      throw signal?.aborted && client.closed ? abortReason(signal) : error;
    } finally {
      stopListening();
      client.close();
    }
  }
  throw new WatchError(retries + 1);
}
