/** Web Locks as values: a lock is held until it is released, or until its page ends. */

/** A lock that is held. */
export interface HeldLock {
  /** Releases the lock; idempotent. */
  release(): void;
}

/** The part of `navigator.locks` that is used. */
export interface Locks {
  /** Runs `work` with the lock, or with null if it is not available; the lock is held until the result settles. */
  request<T>(
    name: string,
    options: { readonly ifAvailable?: boolean; readonly signal?: AbortSignal },
    work: (lock: unknown) => T | Promise<T>,
  ): Promise<T>;
}

/** The platform's locks, or undefined: an old browser, or a page that is not served over https. */
export function platformLocks(): Locks | undefined {
  return (globalThis as { readonly navigator?: { readonly locks?: Locks } }).navigator?.locks;
}

/** Waits for a lock. Rejects with the signal's reason. */
export function acquire(locks: Locks, name: string, signal?: AbortSignal): Promise<HeldLock> {
  return new Promise((resolve, reject) => {
    const work = (): Promise<void> => new Promise((release) => resolve({ release }));
    locks.request(name, signal === undefined ? {} : { signal }, work).catch(reject);
  });
}

/** Waits for a lock for a bounded time; undefined if it is held for longer. */
export async function acquireWithin(locks: Locks, name: string, ms: number): Promise<HeldLock | undefined> {
  const free = await acquireNow(locks, name);
  if (free !== undefined) return free;
  const waiting = new AbortController();
  const timer = setTimeout(() => waiting.abort(), ms);
  try {
    return await acquire(locks, name, waiting.signal);
  } catch (error) {
    if (waiting.signal.aborted) return undefined;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Takes a lock if it is free at this moment; undefined if it is not. */
function acquireNow(locks: Locks, name: string): Promise<HeldLock | undefined> {
  return new Promise((resolve, reject) => {
    const work = (lock: unknown): Promise<void> | undefined => {
      if (lock !== null) return new Promise((release) => resolve({ release }));
      resolve(undefined);
      return undefined;
    };
    locks.request(name, { ifAvailable: true }, work).catch(reject);
  });
}
