/** Tasks that run once: the first caller runs the task, and all callers get its result for as long as that is kept. */
import { checked, type Shape } from '../base/option-check.js';
import { refuseAborted, type Acquisitions, type Refreshable } from './acquisition.js';
import { ANSWER_MS, answered, answeredWithin, type Bounds } from './bounds.js';
import type { OnceRequest, OnceState } from './coordination.js';
import { isUnknown, Lost, NeverAcquired, quoted, refused, TimedOut } from './errors.js';
import type { HeldLock, Lock } from './lock.js';
import { LEASE, leaseOf, wholeNumber, type LeaseOptions } from './options.js';
import { newOwner } from './time.js';

/** Options of `once`. */
export interface OnceOptions extends LeaseOptions {
  /** How long the result is kept, in milliseconds; a day by default. */
  readonly keep?: number | undefined;
}

const ONCE: Shape<OnceOptions> = { ...LEASE, keep: 'integer' };

/** A day. */
const KEEP_MS = 86_400_000;

/** A result as the store keeps it: JSON of an array, which has a place for undefined. */
function encoded(result: unknown): string {
  return JSON.stringify(result === undefined ? [] : [result]);
}

/** The result of a stored one. @upstash/redis has parsed it already, unless told not to. */
function decoded(stored: unknown): unknown {
  return ((typeof stored === 'string' ? JSON.parse(stored) : stored) as unknown[])[0];
}

/** @internal A task, with the name and key of its id. */
export interface Task<T> {
  readonly id: string;
  readonly key: string;
  readonly run: (lock: Lock) => T | Promise<T>;
}

/**
 * @internal Runs a task unless its result is there already. A task that fails is not done: the next caller runs it. One
 * with a lost lease rejects with that loss, and its result is dropped.
 */
export async function runOnce<T>(
  acquisitions: Acquisitions,
  { id, key, run }: Task<T>,
  given: OnceOptions | undefined,
): Promise<T> {
  const { keep = KEEP_MS, signal, ...lease } = checked('once', given, ONCE);
  const keepMs = wholeNumber('once', 'keep', keep, 1);
  const terms = { ...leaseOf('once', lease), names: [id], signal };
  const claim = { keys: [key], intents: [], owner: newOwner() };
  refuseAborted(terms.names, signal);
  const state = await asked(acquisitions, { ...terms, key, owner: claim.owner });
  if (signal?.aborted && state.state === 'run') await acquisitions.coordination.release(claim).catch(() => {});
  refuseAborted(terms.names, signal);
  if (state.state === 'done') return decoded(state.result) as T;
  if (state.state === 'busy') throw busy(id, terms.waitMs);
  const fresh = await acquisitions.refreshed(terms, claim, state.grant);
  if (fresh === null) throw new Lost(`the task ${quoted([id])} was lost before it ran`);
  const { coordination, time } = acquisitions;
  const lock = acquisitions.holding(
    { ...terms, claim, mode: 'exclusive', permits: undefined, delayMs: 0, coordination, time },
    fresh,
  );
  return finished(acquisitions, lock, { id, key, run }, keepMs);
}

/** Asks the store. A task that was granted although its reply was lost, or came too late, is given back. */
async function asked(
  { coordination, time }: Acquisitions,
  request: OnceRequest & Pick<Refreshable, 'names'>,
): Promise<OnceState> {
  const { key, owner, names, signal, waitMs } = request;
  const giveBack = (): void => void coordination.release({ keys: [key], intents: [], owner }).catch(() => {});
  try {
    const ask = (bounds: Bounds): Promise<OnceState> => coordination.once({ ...request, ...bounds });
    return await answeredWithin(coordination, time, request, ask, ({ state }) => state === 'run' && giveBack());
  } catch (error) {
    if (isUnknown(error)) giveBack();
    refuseAborted(names, signal);
    throw refused(names, error, waitMs);
  }
}

async function finished<T>(
  { coordination, time }: Acquisitions,
  lock: HeldLock,
  { id, key, run }: Task<T>,
  keepMs: number,
): Promise<T> {
  let result: T;
  let text: string;
  try {
    result = await run(lock);
    text = encoded(result);
  } catch (error) {
    await lock.finish();
    throw error;
  }
  if (lock.loss !== undefined) throw lock.loss;
  const { owner, token } = lock;
  const isDone = await answered(coordination, time, {
    limitMs: Math.max(lock.remainingMs, ANSWER_MS),
    ask: () => coordination.done({ key, owner, token, result: text, keepMs }),
  }).finally(() => lock.consumed());
  if (!isDone) throw new Lost(`the task ${quoted([id])} was lost while it ran: its result was not stored`);
  return result;
}

function busy(id: string, waitMs: number | undefined): NeverAcquired {
  const what = `the task ${quoted([id])} is run by another caller`;
  return waitMs === 0 ? new NeverAcquired(what) : new TimedOut(`${what}, for longer than ${waitMs} ms`);
}
