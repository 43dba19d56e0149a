/** The object of `locks(store)`: requests of locks in the form of the Web Locks API, and what stands beside them. */
import { checked } from '../base/option-check.js';
import { Acquisitions, holdFor } from './acquisition.js';
import { Barrier, BARRIER, type BarrierOptions } from './barrier.js';
import type { Coordination, LimitResult, LockMode } from './coordination.js';
import { Election, ELECTION, type ElectionOptions } from './election.js';
import { quoted, unavailable } from './errors.js';
import { askLimit, type LimitOptions } from './limit.js';
import type { HeldLock, Lock } from './lock.js';
import { LockHandle } from './lock-handle.js';
import { runOnce, type OnceOptions } from './once.js';
import {
  leaseOf,
  lockOptions,
  namesAbove,
  namesOf,
  wholeNumber,
  type LockOptions,
  type LocksOptions,
} from './options.js';
import type { Page } from './page.js';
import { Semaphore } from './semaphore.js';
import type { Time } from './time.js';
import { CallerTypeError } from '../base/caller-errors.js';

/** A lock in the result of `query`. */
export interface LockInfo {
  /** Name of the lock. */
  readonly name: string;
  /** Mode as the Web Locks API has it; a permit of a semaphore counts as shared. */
  readonly mode: LockMode;
  /** Id of the acquisition: `lock.owner`. */
  readonly clientId: string;
}

/** A lock that is held, in the result of `query`. */
export interface HeldLockInfo extends LockInfo {
  /** Fencing token of the holder. */
  readonly token: number;
  /** Milliseconds until its lease ends unless it is renewed; Infinity for none. */
  readonly remainingMs: number;
}

/** Result of `query`, as the Web Locks API has it. */
export interface LocksSnapshot {
  /** Holders. */
  readonly held: readonly HeldLockInfo[];
  /** Requests that wait, in their order. */
  readonly pending: readonly LockInfo[];
}

type WithLock<T> = (lock: Lock) => T | Promise<T>;

/** @internal Surroundings of the locks, which tests replace. */
export interface Surroundings {
  readonly time: Time;
  readonly page: Page;
}

/** Modes of holders in the store's letters: others than these are of semaphores. */
const MODES: Readonly<Record<string, LockMode>> = { x: 'exclusive', s: 'shared', ix: 'shared', is: 'shared' };

/** Locks of a store, by their names. */
export class Locks {
  readonly #acquisitions: Acquisitions;
  readonly #prefix: string;
  readonly #hierarchy: boolean;

  /** @internal */
  constructor(
    coordination: Coordination,
    { prefix = 'lock:', hierarchy = false }: LocksOptions,
    { time, page }: Surroundings,
  ) {
    this.#acquisitions = new Acquisitions(coordination, time, page);
    this.#prefix = prefix;
    this.#hierarchy = hierarchy;
  }

  /**
   * Runs a callback while a lock is held, and resolves to its result. Several names are locked together or not at all.
   * With `ifAvailable` the callback gets null if the lock is held by others. Rejects with NeverAcquired or a subclass if
   * the callback did not run, and with Lost or Stolen if the lock was lost while it ran.
   */
  request<T>(name: string | readonly string[], callback: WithLock<T>): Promise<T>;
  request<T>(
    name: string | readonly string[],
    options: LockOptions & { readonly ifAvailable: true },
    callback: (lock: Lock | null) => T | Promise<T>,
  ): Promise<T>;
  request<T>(
    name: string | readonly string[],
    options: LockOptions & { readonly ifAvailable?: false | undefined },
    callback: WithLock<T>,
  ): Promise<T>;
  request<T>(
    name: string | readonly string[],
    options: LockOptions,
    callback: (lock: Lock | null) => T | Promise<T>,
  ): Promise<T>;
  async request<T>(name: string | readonly string[], ...given: readonly unknown[]): Promise<T> {
    const [options, callback] = given.length > 1 ? given : [undefined, given[0]];
    if (typeof callback !== 'function') throw new CallerTypeError('request: the callback must be a function');
    const lock = await this.#acquire('request', name, options as LockOptions | undefined);
    return lock === null ? callback(null) : holdFor(lock, () => callback(lock));
  }

  /** Acquires a lock: `await using lock = await locks.acquire('name')` releases it at the end of the block. */
  acquire(
    name: string | readonly string[],
    options: LockOptions & { readonly ifAvailable: true },
  ): Promise<Lock | null>;
  acquire(
    name: string | readonly string[],
    options?: LockOptions & { readonly ifAvailable?: false | undefined },
  ): Promise<Lock>;
  acquire(name: string | readonly string[], options: LockOptions): Promise<Lock | null>;
  async acquire(name: string | readonly string[], options?: LockOptions): Promise<Lock | null> {
    const lock = await this.#acquire('acquire', name, options);
    return lock && new LockHandle(lock);
  }

  /** Holders and waiting requests of the given names; of those that are held or awaited through this object by default. */
  async query(name?: string | readonly string[]): Promise<LocksSnapshot> {
    const { held, pending, coordination } = this.#acquisitions;
    const own = [...held, ...pending].flatMap(({ names }) => names);
    const names = name === undefined ? [...new Set(own)] : namesOf('query', name);
    const snapshot = { held: [] as HeldLockInfo[], pending: [] as LockInfo[] };
    for (const one of names) {
      const { holders, waiters } = await coordination.inspect(this.#keyOf(one));
      for (const { owner, mode, token, remainingMs } of holders) {
        const leftMs = remainingMs < 0 ? Number.POSITIVE_INFINITY : remainingMs;
        snapshot.held.push({ ...infoOf(one, mode, owner), token, remainingMs: leftMs });
      }
      for (const { owner, mode } of waiters) snapshot.pending.push(infoOf(one, mode, owner));
    }
    return snapshot;
  }

  /** A semaphore: at most `limit` permits of the name are held at a time. */
  semaphore(name: string, limit: number): Semaphore {
    const [only = ''] = namesOf('semaphore', name);
    return new Semaphore(this.#acquisitions, only, this.#keyOf(only), limit);
  }

  /** Whether something may happen now: `limit: 10, period: 1000` allows it ten times a second. A refusal takes nothing. */
  limit(name: string, options: LimitOptions): Promise<LimitResult> {
    return askLimit(this.#acquisitions, (one) => this.#keyOf(one), name, options);
  }

  /**
   * Runs a task unless its result is there, and resolves to the result, which is kept as a JSON array of one. Concurrent callers wait
   * for the one that runs it.
   */
  once<T>(id: string, task: WithLock<T>): Promise<T>;
  once<T>(id: string, options: OnceOptions, task: WithLock<T>): Promise<T>;
  async once<T>(id: string, ...given: readonly unknown[]): Promise<T> {
    const [options, task] = given.length > 1 ? given : [undefined, given[0]];
    if (typeof task !== 'function') throw new CallerTypeError('once: the task must be a function');
    const [only = ''] = namesOf('once', id);
    const run = task as WithLock<T>;
    return runOnce(this.#acquisitions, { id: only, key: this.#keyOf(only), run }, options as OnceOptions | undefined);
  }

  /** An election of a leader. */
  elect(name: string, options?: ElectionOptions): Election {
    const [only = ''] = namesOf('elect', name);
    return new Election(this.#acquisitions, only, this.#keyOf(only), checked('elect', options, ELECTION));
  }

  /** A barrier that opens when `parties` members have arrived. */
  barrier(name: string, options: BarrierOptions): Barrier {
    const [only = ''] = namesOf('barrier', name);
    return new Barrier(this.#acquisitions, only, this.#keyOf(only), checked('barrier', options, BARRIER));
  }

  #keyOf(name: string): string {
    return this.#prefix + name;
  }

  async #acquire(method: string, name: unknown, given: LockOptions | undefined): Promise<HeldLock | null> {
    const names = namesOf(method, name);
    const options = lockOptions(method, given);
    const { ifAvailable = false, mode = 'exclusive', steal = false, delay = 0, signal } = options;
    const lease = leaseOf(method, ifAvailable ? { ...options, wait: 0 } : options);
    const above = this.#hierarchy ? new Set(names.flatMap(namesAbove)) : new Set<string>();
    for (const one of names) above.delete(one);
    const lock = await this.#acquisitions.acquire({
      ...lease,
      names,
      keys: names.map((one) => this.#keyOf(one)),
      intents: [...above].map((one) => this.#keyOf(one)),
      mode,
      permits: undefined,
      steal,
      delayMs: wholeNumber(method, 'delay', delay, 0),
      signal,
    });
    if (lock === null && !ifAvailable) throw unavailable(`the lock ${quoted(names)}`, lease.waitMs);
    return lock;
  }
}

function infoOf(name: string, mode: string, clientId: string): LockInfo {
  return { name, mode: MODES[mode] ?? 'shared', clientId };
}
