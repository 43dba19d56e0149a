/** The objects of locks that programs make: over one store, or over a majority of several. */
import { CallerTypeError } from '../base/caller-errors.js';
import { checked } from '../base/option-check.js';
import { AskedCoordination } from './asked.js';
import type { LockStore } from './commander.js';
import { Locks } from './manager.js';
import { LOCKS, type LocksOptions } from './options.js';
import { currentPage } from './page.js';
import { RedlockCoordination } from './redlock.js';
import { SYSTEM_TIME, type Time } from './time.js';
import { isLocalEngine } from './trackers.js';

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
  return new Locks(new AskedCoordination(store, time, given.scripts), given, { time, page: currentPage() });
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
  const each = stores.map((store) => new AskedCoordination(store, SYSTEM_TIME, given.scripts));
  return new Locks(new RedlockCoordination(each, SYSTEM_TIME), given, { time: SYSTEM_TIME, page: currentPage() });
}

/** @internal Time of a store: an engine of this process has a clock of its own, which tests move. */
export function timeOf(store: LockStore): Time {
  return isLocalEngine(store) ? { ...SYSTEM_TIME, wallMs: () => store.now() } : SYSTEM_TIME;
}
