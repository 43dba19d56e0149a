/** Optimistic transactions across tabs: work on a client of its own, again while watched keys or the leader change. */
import { Keylatch } from '../db/built-in.js';
import type { TransactionOptions } from '../client/watched-transaction.js';
import type { SharedClient } from './shared-client.js';
import { TabsError } from './tabs-error.js';

const { abortReason, onAbort } = Keylatch.parts;
const { WatchError } = Keylatch.parts.errors;

const RETRIES = 16;

interface Attempt {
  readonly client: SharedClient;
  isAborted(): boolean;
}

/** The leader changed before EXEC was sent: nothing ran, and the work can begin anew. */
function isFresh(error: unknown): boolean {
  return error instanceof TabsError && error.code === 'LEADER_CHANGED' && !error.mayHaveRun;
}

/** Runs `work` until its transaction is committed, or until it ends without one. */
export async function runShared<T>(
  begin: () => Attempt,
  work: (client: SharedClient) => T | Promise<T>,
  { retries = RETRIES, signal }: TransactionOptions,
): Promise<T> {
  if (typeof work !== 'function') throw new TypeError('transaction: expected a function of a client');
  if (!Number.isSafeInteger(retries) || retries < 0)
    throw new TypeError('transaction: retries must be an integer from 0 on');
  for (let attempt = 0; attempt <= retries; attempt += 1) {
    if (signal?.aborted) throw abortReason(signal);
    const { client, isAborted } = begin();
    const stopListening = onAbort(signal, () => void client.close());
    try {
      const result = await work(client);
      if (!isAborted()) return result;
    } catch (error) {
      if (signal?.aborted && client.closed) throw abortReason(signal);
      if (!isFresh(error)) throw error;
    } finally {
      stopListening();
      await client.close();
    }
  }
  throw new WatchError(retries + 1);
}
