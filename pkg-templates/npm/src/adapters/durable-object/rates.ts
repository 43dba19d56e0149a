/**
 * Limits of commands a second: token buckets that hold the commands of one second. They are in memory: an object that slept long
 * enough to forget them would find them full.
 */
import type { Access, RateLimit } from '../upstash/access.js';
import { Failure } from '../upstash/exchange.js';

const SECOND_MS = 1000;
/** Buckets that are remembered: the one that was unused for the longest time is forgotten first. */
const BUCKETS_MAX = 10_000;
/** Fractions of a millisecond that sums of fractions may be too long. */
const ROUNDING_MS = 1e-6;

/** The time that the commands of a bucket take at its rate, as far as it has not passed at an instant. */
interface Bucket {
  readonly backlogMs: number;
  readonly atMs: number;
}

/** Commands that a limit does not admit now. */
export interface RateRefusal {
  readonly message: string;
  readonly retryAfterSeconds: number;
}

export class Rates {
  readonly #buckets = new Map<string, Bucket>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Counts commands that are run together, or refuses them all. More than a second has need a full bucket, and those behind
   * them wait accordingly longer.
   */
  take({ rates }: Access, count: number): RateRefusal | undefined {
    if (rates === undefined) return undefined;
    const nowMs = this.#now();
    for (const rate of rates) {
      const waitMs = this.#backlogOf(rate, nowMs) + costMs(rate, Math.min(count, rate.perSecond)) - SECOND_MS;
      if (waitMs <= ROUNDING_MS) continue;
      // From here on time passes for it, also if the clock was set back.
      this.#add(rate, 0, nowMs);
      return refusalOf(rate, waitMs);
    }
    for (const rate of rates) this.#add(rate, costMs(rate, count), nowMs);
    return undefined;
  }

  /** Counts a command that is run in any case: one that changes the state of its connection. */
  force({ rates = [] }: Access): void {
    const nowMs = this.#now();
    for (const rate of rates) {
      // An empty bucket stays as it is: the commands behind wait for a second at most.
      if (this.#backlogOf(rate, nowMs) < SECOND_MS) this.#add(rate, costMs(rate, 1), nowMs);
    }
  }

  #backlogOf({ bucket }: RateLimit, nowMs: number): number {
    const { backlogMs, atMs } = this.#buckets.get(bucket) ?? { backlogMs: 0, atMs: nowMs };
    // A clock that was set back adds no time.
    return Math.max(0, backlogMs - Math.max(0, nowMs - atMs));
  }

  #add(rate: RateLimit, addedMs: number, nowMs: number): void {
    const backlogMs = this.#backlogOf(rate, nowMs) + addedMs;
    this.#buckets.delete(rate.bucket);
    if (this.#buckets.size >= BUCKETS_MAX) this.#buckets.delete(this.#buckets.keys().next().value as string);
    this.#buckets.set(rate.bucket, { backlogMs, atMs: nowMs });
  }
}

/** Response to a request that is refused. */
export function failureOfRate({ message, retryAfterSeconds }: RateRefusal): Failure {
  return new Failure(429, message, { 'retry-after': String(retryAfterSeconds) });
}

function costMs({ perSecond }: RateLimit, count: number): number {
  return (count * SECOND_MS) / perSecond;
}

function refusalOf({ bucket, perSecond }: RateLimit, waitMs: number): RateRefusal {
  const retryAfterSeconds = Math.ceil(waitMs / SECOND_MS);
  const tokens = bucket === '' ? 'all tokens together' : 'this token';
  const message = `RATELIMIT ${tokens} may run ${perSecond} commands a second: try again in ${retryAfterSeconds} s`;
  return { message, retryAfterSeconds };
}
