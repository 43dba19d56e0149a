/** Semaphores: a number of permits that holders share. */
import { checked, type Shape } from '../base/option-check.js';
import { holdFor, type Acquisitions } from './acquisition.js';
import { quoted, unavailable } from './errors.js';
import type { HeldLock, Lock } from './lock.js';
import { LockHandle } from './lock-handle.js';
import { LEASE, leaseOf, wholeNumber, type LeaseOptions } from './options.js';
import { CallerTypeError } from '../base/caller-errors.js';

/** Options of a semaphore's `request` and `acquire`. */
export interface PermitOptions extends LeaseOptions {
  /** How many permits to take; 1 by default. */
  readonly permits?: number | undefined;
  /** True: null in place of permits that are taken, without waiting. */
  readonly ifAvailable?: boolean | undefined;
}

const PERMITS: Shape<PermitOptions> = { ...LEASE, permits: 'integer', ifAvailable: 'flag' };

/** A semaphore of a name. */
export class Semaphore {
  /** Name of the semaphore. */
  readonly name: string;
  /** How many permits there are. Holders keep theirs when another client asks with a lower number. */
  readonly limit: number;
  readonly #acquisitions: Acquisitions;
  readonly #key: string;

  /** @internal */
  constructor(acquisitions: Acquisitions, name: string, key: string, limit: number) {
    this.name = name;
    this.limit = wholeNumber('semaphore', 'the number of permits', limit, 1);
    this.#acquisitions = acquisitions;
    this.#key = key;
  }

  /** Takes permits; resolves to null with `ifAvailable` if there are too few. */
  acquire(options: PermitOptions & { readonly ifAvailable: true }): Promise<Lock | null>;
  acquire(options?: PermitOptions & { readonly ifAvailable?: false | undefined }): Promise<Lock>;
  async acquire(options?: PermitOptions): Promise<Lock | null> {
    const lock = await this.#acquire('acquire', options);
    return lock && new LockHandle(lock);
  }

  /** Runs a callback while permits are held, and resolves to its result. */
  request<T>(callback: (lock: Lock) => T | Promise<T>): Promise<T>;
  request<T>(
    options: PermitOptions & { readonly ifAvailable: true },
    callback: (lock: Lock | null) => T | Promise<T>,
  ): Promise<T>;
  request<T>(
    options: PermitOptions & { readonly ifAvailable?: false | undefined },
    callback: (lock: Lock) => T | Promise<T>,
  ): Promise<T>;
  async request<T>(...given: readonly unknown[]): Promise<T> {
    const [options, callback] = given.length > 1 ? given : [undefined, given[0]];
    if (typeof callback !== 'function') throw new CallerTypeError('request: the callback must be a function');
    const lock = await this.#acquire('request', options as PermitOptions | undefined);
    return lock === null ? callback(null) : holdFor(lock, () => callback(lock));
  }

  async #acquire(method: string, given: PermitOptions | undefined): Promise<HeldLock | null> {
    const {
      permits = 1,
      ifAvailable = false,
      signal,
      ...lease
    } = checked(method, given, PERMITS, [['ifAvailable', 'wait']]);
    const count = wholeNumber(method, 'permits', permits, 1);
    if (count > this.limit)
      throw new CallerTypeError(`${method}: ${count} permits are more than the ${this.limit} there are`);
    const terms = leaseOf(method, ifAvailable ? { ...lease, wait: 0 } : lease);
    const lock = await this.#acquisitions.acquire({
      ...terms,
      names: [this.name],
      keys: [this.#key],
      intents: [],
      mode: 'shared',
      permits: { count, limit: this.limit },
      steal: false,
      delayMs: 0,
      signal,
    });
    if (lock === null && !ifAvailable) throw unavailable(`the semaphore ${quoted([this.name])}`, terms.waitMs);
    return lock;
  }
}
