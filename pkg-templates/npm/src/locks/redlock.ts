/**
 * Redlock, as Redis documents it: a lock is held while most of N independent stores grant it to the same owner. Lengths
 * of leases are shortened by the time that asking took and by what the clocks may drift apart.
 */
import { repeated } from './backoff.js';
import type { AcquireRequest, Claim, Coordination, Grant } from './coordination.js';
import { NeverAcquired, NotSupported } from './errors.js';
import { MutexOnly } from './mutex-only.js';
import { elapsedMs, instant, type Time } from './time.js';

/** How far clocks may drift apart: this part of a lease, and the precision of expiry on servers. */
const DRIFT = 0.01;
const PRECISION_MS = 2;
/** One store that does not answer must not use up the lease: this part of it is the longest wait for any. */
const PATIENCE = 1 / 4;
/** The longest wait for the answers to a release, or to a check. */
const PATIENCE_MS = 1000;

function driftMs(ttlMs: number): number {
  return ttlMs * DRIFT + PRECISION_MS;
}

/** Votes of the stores at the moment at which they decide, or at which the patience ends. */
interface Votes {
  readonly yes: number;
  /** Stores that answered, with yes or no. */
  readonly reached: number;
  /** Errors of the others. */
  readonly errors: readonly unknown[];
}

/** N stores as one. */
export class RedlockCoordination extends MutexOnly {
  protected readonly limits = 'several stores do not have together: pass one of them to locks';
  readonly #stores: readonly Coordination[];
  readonly #time: Time;
  readonly #quorum: number;
  /** Owners of leases that are held or asked for: a grant that comes later than that is released. */
  readonly #live = new Set<string>();

  constructor(stores: readonly Coordination[], time: Time) {
    super();
    this.#stores = stores;
    this.#time = time;
    this.#quorum = Math.floor(stores.length / 2) + 1;
  }

  async acquire(request: AcquireRequest): Promise<Grant | null> {
    this.mutexOf(request);
    const { waitMs, signal } = request;
    return repeated(this.#time, { waitMs, signal }, () => this.#attempt(request));
  }

  /** Asks all stores once. Without a majority in time, whatever was granted is released. */
  async #attempt(request: AcquireRequest): Promise<Grant | null> {
    const { ttlMs, owner } = request;
    const sent = instant(this.#time);
    this.#live.add(owner);
    const votes = await this.#poll(ttlMs * PATIENCE, async (store) => {
      const isGranted = (await store.acquire({ ...request, waitMs: 0, signal: undefined })) !== null;
      if (isGranted && !this.#live.has(owner)) await store.release(request);
      return isGranted;
    });
    const validMs = ttlMs - driftMs(ttlMs);
    if (votes.yes >= this.#quorum && elapsedMs(this.#time, sent) < validMs) return { token: undefined, sent, validMs };
    await this.release(request).catch(() => {});
    this.#refuseUnreachable(votes);
    return null;
  }

  async renew(claim: Claim, ttlMs: number, asShared = false): Promise<number> {
    if (asShared) this.lacking('LATCH.RENEW', 'a shared lock');
    const sent = instant(this.#time);
    const votes = await this.#poll(ttlMs * PATIENCE, async (store) => (await store.renew(claim, ttlMs)) > 0);
    const validMs = ttlMs - driftMs(ttlMs);
    if (votes.yes >= this.#quorum) return elapsedMs(this.#time, sent) < validMs ? validMs : 0;
    // Stores that cannot be reached may still hold it: the lease is not lost before its end.
    this.#refuseUnreachable(votes);
    return 0;
  }

  /** Releases on all stores, also on those that did not seem to grant it. */
  async release(claim: Claim): Promise<boolean> {
    this.#live.delete(claim.owner);
    const votes = await this.#poll(PATIENCE_MS, (store) => store.release(claim));
    if (votes.yes >= this.#quorum) return true;
    this.#refuseUnreachable(votes);
    return false;
  }

  async check(claim: Claim): Promise<boolean> {
    const votes = await this.#poll(PATIENCE_MS, (store) => store.check(claim, undefined));
    if (votes.yes >= this.#quorum) return true;
    this.#refuseUnreachable(votes);
    return false;
  }

  /** Throws if no majority was reached. */
  #refuseUnreachable({ reached, errors }: Votes): void {
    if (reached >= this.#quorum) return;
    const [cause] = errors;
    const why = cause instanceof Error ? cause.message : 'no answer in time';
    const of = this.#stores.length;
    throw new NeverAcquired(`${reached} of ${of} stores answered, ${this.#quorum} are needed: ${why}`, { cause });
  }

  /** Asks all stores at once, until their answers decide or the patience ends. */
  async #poll(patienceMs: number, ask: (store: Coordination) => Promise<boolean>): Promise<Votes> {
    let yes = 0;
    let no = 0;
    const errors: unknown[] = [];
    await new Promise<void>((resolve) => {
      const cancel = this.#time.after(patienceMs, resolve, true);
      const of = this.#stores.length;
      const isDecided = (): boolean => yes >= this.#quorum || of - no < this.#quorum || yes + no + errors.length === of;
      for (const store of this.#stores) {
        const vote = ask(store).then(
          (isYes) => (isYes ? (yes += 1) : (no += 1)),
          (error: unknown) => errors.push(error),
        );
        void vote.then(() => {
          if (!isDecided()) return;
          cancel();
          resolve();
        });
      }
    });
    const lacks = errors.find((error) => error instanceof NotSupported);
    if (lacks !== undefined) throw lacks;
    return { yes, reached: yes + no, errors: [...errors] };
  }
}
