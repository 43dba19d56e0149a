/**
 * Entry `keylatch/locks`: locks with leases, in the form of the Web Locks API. Over an engine of this process, a keylatch
 * behind any client object, or (exclusive locks only) a plain Redis or Valkey. Imports neither an engine nor a client.
 */
import { AskedCoordination } from '../locks/asked.js';
import type { LockStore } from '../locks/commander.js';
import { Locks } from '../locks/manager.js';
import { LOCKS, type LocksOptions } from '../locks/options.js';
import { currentPage } from '../locks/page.js';
import { RedlockCoordination } from '../locks/redlock.js';
import { SYSTEM_TIME, type Time } from '../locks/time.js';
import { isLocalEngine } from '../locks/trackers.js';
import { checked } from '../base/option-check.js';
import { CallerTypeError } from '../base/caller-errors.js';

export type { Barrier, ArriveOptions, BarrierOptions } from '../locks/barrier.js';
export type { CallClient, ExecClient, LockStore, SendClient } from '../locks/commander.js';
export type { BarrierState, LimitResult, LockMode } from '../locks/coordination.js';
export type { Election, ElectionOptions, Leader, ObserveOptions } from '../locks/election.js';
export {
  Aborted,
  Deadlock,
  LockError,
  Lost,
  NeverAcquired,
  NoAnswer,
  NotSupported,
  Stolen,
  TimedOut,
  type LockErrorCode,
} from '../locks/errors.js';
export type { LimitOptions } from '../locks/limit.js';
export type { Lock, LossSignal, UpgradeOptions } from '../locks/lock.js';
export type { HeldLockInfo, LockInfo, Locks, LocksSnapshot } from '../locks/manager.js';
export type { OnceOptions } from '../locks/once.js';
export type { LeaseOptions, LockOptions, LocksOptions } from '../locks/options.js';
export type { PermitOptions, Semaphore } from '../locks/semaphore.js';

/**
 * Locks of a store: a database of keylatch, or a client object of ioredis, node-redis or @upstash/redis. What its server
 * can do is asked with the first request.
 *
 * @example
 * const result = await locks(db).request('report', { ttl: 10_000 }, async (lock) => {
 *   await write({ token: lock.token });
 * });
 */
export function locks(store: LockStore, options?: LocksOptions): Locks {
  const given = checked('locks', options, LOCKS);
  const time = timeOf(store);
  return new Locks(new AskedCoordination(store, time), given, { time, page: currentPage() });
}

/**
 * Redlock: locks that most of several independent stores grant. Exclusive locks only, without fencing tokens. Safe while
 * clocks run at about the same rate and no store forgets what it granted.
 */
export function redlock(stores: readonly LockStore[], options?: LocksOptions): Locks {
  const given = checked('redlock', options, LOCKS);
  if (!Array.isArray(stores) || stores.length === 0)
    throw new CallerTypeError('redlock: expected an array of stores, three or five of them');
  if (new Set(stores).size < stores.length) throw new CallerTypeError('redlock: a store is given twice');
  const each = stores.map((store) => new AskedCoordination(store, SYSTEM_TIME));
  return new Locks(new RedlockCoordination(each, SYSTEM_TIME), given, { time: SYSTEM_TIME, page: currentPage() });
}

/** An engine of this process has a clock of its own, which tests move. */
function timeOf(store: LockStore): Time {
  return isLocalEngine(store) ? { ...SYSTEM_TIME, wallMs: () => store.now() } : SYSTEM_TIME;
}
