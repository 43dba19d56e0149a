/** The way of a request to its lock: waiting, abort, the renewal after a long wait. */
import type { AbortSignalLike } from '../base/abort.js';
import type { AcquireRequest, Claim, Coordination, Grant } from './coordination.js';
import { answered, answeredWithin, type Bounds } from './bounds.js';
import { Aborted, isUnknown, quoted, refused } from './errors.js';
import { HeldLock, RENEWAL, type Terms } from './lock.js';
import { onPageEnd, type Page } from './page.js';
import { elapsedMs, instant, newOwner, type Time } from './time.js';

/** A request that waits. */
export interface Pending {
  readonly names: readonly string[];
  readonly mode: string;
  readonly owner: string;
}

/** A request for a lock, checked. */
export interface LockRequest
  extends Pick<AcquireRequest, 'mode' | 'permits' | 'ttlMs' | 'waitMs' | 'steal' | 'delayMs' | 'signal'> {
  readonly names: readonly string[];
  readonly keys: readonly string[];
  readonly intents: readonly string[];
  readonly renews: boolean;
  /** Begins the owner's id, for others to read. */
  readonly ownerName?: string | undefined;
}

/** The parts of a request that `refreshed` reads. */
export type Refreshable = Pick<LockRequest, 'names' | 'ttlMs' | 'signal'>;

/** A store with what is held and awaited through it. */
export class Acquisitions {
  readonly held = new Set<HeldLock>();
  readonly pending = new Set<Pending>();
  #unlisten: (() => void) | undefined;

  constructor(
    readonly coordination: Coordination,
    readonly time: Time,
    readonly page: Page,
  ) {}

  /** Acquires a lock, or null when the wait is over. */
  async acquire(request: LockRequest): Promise<HeldLock | null> {
    const { names, keys, intents, mode, signal } = request;
    refuseAborted(names, signal);
    const { time } = this;
    const start = instant(time);
    const claim = { keys, intents, owner: `${request.ownerName ?? ''}${newOwner()}` };
    const pending = { names, mode, owner: claim.owner };
    this.pending.add(pending);
    try {
      for (;;) {
        const left = request.waitMs && Math.max(0, request.waitMs - elapsedMs(time, start));
        const grant = await this.#ask({ ...request, ...claim, waitMs: left });
        if (grant === null) return null;
        const fresh = await this.refreshed(request, claim, grant);
        if (fresh !== null) return this.holding({ ...request, claim, coordination: this.coordination, time }, fresh);
      }
    } finally {
      this.pending.delete(pending);
    }
  }

  /** One answer of the store within the time to wait. What is granted later, or beside an abort, is given back. */
  async #ask(request: AcquireRequest & LockRequest): Promise<Grant | null> {
    const { coordination, time } = this;
    const { names, signal, waitMs } = request;
    const giveBack = (): void => void coordination.release(request).catch(() => {});
    let grant: Grant | null;
    try {
      const ask = (bounds: Bounds): Promise<Grant | null> => coordination.acquire({ ...request, ...bounds });
      grant = await answeredWithin(coordination, time, request, ask, (found) => found !== null && giveBack());
    } catch (error) {
      // The lock may have been granted all the same.
      if (isUnknown(error)) giveBack();
      refuseAborted(names, signal);
      throw refused(names, error, waitMs);
    }
    if (!signal?.aborted) return grant;
    if (grant !== null) giveBack();
    return refuseAborted(names, signal);
  }

  /**
   * A grant with at least two thirds of its lease ahead: after a long wait it is renewed first. Null if it has been lost
   * meanwhile. After an abort the grant is given back.
   */
  async refreshed(request: Refreshable, claim: Claim, grant: Grant): Promise<Grant | null> {
    const { coordination, time } = this;
    const { ttlMs, names, signal } = request;
    if (elapsedMs(time, grant.sent) <= ttlMs * RENEWAL) return grant;
    const sent = instant(time);
    const question = { limitMs: ttlMs, signal, ask: () => coordination.renew(claim, ttlMs) };
    const leftMs = await answered(coordination, time, question).catch((error: unknown) => {
      if (signal?.aborted) return 0;
      throw refused(names, error);
    });
    if (signal?.aborted) coordination.release(claim).catch(() => {});
    refuseAborted(names, signal);
    return leftMs > elapsedMs(time, sent) ? { token: grant.token, sent, validMs: leftMs } : null;
  }

  /** A lock of a grant, which counts as held until it ends. */
  holding(terms: Omit<Terms, 'ended'>, grant: Grant): HeldLock {
    const lock = new HeldLock({ ...terms, ended: (ended) => this.#ended(ended) }, grant);
    this.held.add(lock);
    this.#unlisten ??= onPageEnd(this.page, (why) => {
      for (const held of [...this.held]) held.abandon(why);
    });
    return lock;
  }

  #ended(lock: HeldLock): void {
    this.held.delete(lock);
    if (this.held.size > 0) return;
    this.#unlisten?.();
    this.#unlisten = undefined;
  }
}

/** Runs a callback with a lock and releases it. Rejects with the loss if the lock was lost before the end. */
export async function holdFor<T>(lock: HeldLock, callback: () => T | Promise<T>): Promise<T> {
  let result: T;
  try {
    result = await callback();
  } catch (error) {
    await lock.finish();
    throw error;
  }
  const loss = await lock.finish();
  if (loss !== undefined) throw loss;
  return result;
}

/** Throws if a signal is aborted. */
export function refuseAborted(names: readonly string[], signal: AbortSignalLike | undefined): null {
  if (signal?.aborted) throw new Aborted(`the request of the lock ${quoted(names)} was aborted`, signal.reason);
  return null;
}
