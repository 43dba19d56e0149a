/** A store for express-rate-limit. It has the interface of its stores and imports neither that nor an engine. */
import { CallerTypeError } from '../../base/caller-errors.js';
import { checked, type Shape } from '../../base/option-check.js';
import type { LockStore } from '../../locks/commander.js';
import { wholeNumber } from '../../locks/options.js';
import { Counters, type Count } from './counters.js';

/** Options of `RateLimitStore`. */
export interface RateLimitStoreOptions {
  /** Text in front of each key; `rate:` by default. Limiters that count apart need prefixes of their own. */
  readonly prefix?: string | undefined;
  /** Longest time to wait for the store in milliseconds; 2000 by default. */
  readonly timeout?: number | undefined;
}

/** Hits of a client, as express-rate-limit reads them. */
export interface ClientHits {
  /** How often the client came since its window began. */
  totalHits: number;
  /** When the window ends. */
  resetTime: Date | undefined;
}

const OPTIONS: Shape<RateLimitStoreOptions> = { prefix: 'text', timeout: 'integer' };

/** A minute, as express-rate-limit has it. */
const WINDOW_MS = 60_000;

/**
 * A store for `rateLimit({ store: new RateLimitStore(db) })`: all processes count together. A window begins with the first
 * hit of a client, and ends with its key.
 */
export class RateLimitStore {
  /** Text in front of each key. */
  readonly prefix: string;
  /** Other objects with the same prefix share the counts. */
  readonly localKeys = false;
  readonly #counters: Counters;
  #windowMs = WINDOW_MS;

  constructor(store: LockStore, options?: RateLimitStoreOptions) {
    const { prefix = 'rate:', timeout } = checked('RateLimitStore', options, OPTIONS);
    this.prefix = prefix;
    this.#counters = new Counters('RateLimitStore', store, timeout);
  }

  /** Takes the length of a window from the options of the middleware, which calls this once. */
  init({ windowMs }: { readonly windowMs: number }): void {
    this.#windowMs = wholeNumber('RateLimitStore', 'windowMs', windowMs, 1);
  }

  /** Counts a hit. */
  async increment(key: string): Promise<ClientHits> {
    const count = await this.#counters.add(this.#keyOf(key), 1, this.#windowMs);
    return this.#hitsOf(count);
  }

  /** Takes a hit back, as for requests that are not to count. */
  async decrement(key: string): Promise<void> {
    await this.#counters.add(this.#keyOf(key), -1, this.#windowMs);
  }

  /** Hits of a client; undefined if it did not come in a window that runs. */
  async get(key: string): Promise<ClientHits | undefined> {
    const count = await this.#counters.read(this.#keyOf(key));
    return count === null ? undefined : this.#hitsOf(count);
  }

  /** Forgets a client. */
  async resetKey(key: string): Promise<void> {
    await this.#counters.remove(this.#keyOf(key));
  }

  /** Forgets all clients: looks at every key of the database. */
  async resetAll(): Promise<void> {
    if (this.prefix === '') throw new CallerTypeError('resetAll: without a prefix it would empty the database');
    await this.#counters.removeAll(this.prefix);
  }

  #keyOf(key: string): string {
    return this.prefix + key;
  }

  #hitsOf({ count, leftMs }: Count): ClientHits {
    // Hits that were taken back after the end of their window make a count of the next one too small.
    const totalHits = Math.max(count, 1);
    return { totalHits, resetTime: leftMs < 0 ? undefined : new Date(this.#counters.time.wallMs() + leftMs) };
  }
}
