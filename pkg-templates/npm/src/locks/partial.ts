/** Stores that lack some operations: a request for them throws NotSupported with the command that is missing. */
import type { AcquireRequest, Claim, Coordination, Grant, Inspection } from './coordination.js';
import { NotSupported } from './errors.js';

/** Locks without rate limits, tasks and barriers. */
export abstract class PartialCoordination implements Coordination {
  /** Ends the message of a refusal: the reason for which the store has no more. */
  protected abstract readonly limits: string;

  abstract acquire(request: AcquireRequest): Promise<Grant | null>;
  abstract renew(claim: Claim, ttlMs: number, asShared?: boolean): Promise<number>;
  abstract release(claim: Claim, token?: number): Promise<boolean>;
  abstract check(claim: Claim, token: number | undefined): Promise<boolean>;
  abstract inspect(key: string): Promise<Inspection>;

  protected lacking(command: string, what: string): never {
    throw new NotSupported(command, `${what} needs ${command}, which ${this.limits}`);
  }

  /** Refuses a request for more than one key. */
  protected refuseSeveral({ keys, intents }: AcquireRequest): void {
    if (keys.length > 1) this.lacking('LATCH.ACQUIRE', 'a lock of several names');
    if (intents.length > 0) this.lacking('LATCH.ACQUIRE', 'a lock of a name below another');
  }

  async limit(): Promise<never> {
    return this.lacking('LATCH.LIMIT', 'a rate limit');
  }

  async once(): Promise<never> {
    return this.lacking('LATCH.ONCE', 'a task that runs once');
  }

  async done(): Promise<never> {
    return this.lacking('LATCH.DONE', 'a task that runs once');
  }

  async arrive(): Promise<never> {
    return this.lacking('LATCH.ARRIVE', 'a barrier');
  }
}

/** Exclusive locks of one key only. */
export abstract class MutexOnly extends PartialCoordination {
  /** The key of a request for an exclusive lock; refuses what takes more than that. */
  protected mutexOf(request: AcquireRequest): string {
    const { keys, mode, permits, steal, delayMs } = request;
    const more = [
      [permits !== undefined, 'a semaphore'],
      [mode === 'shared', 'a shared lock'],
      [steal, 'stealing a lock'],
      [delayMs > 0, 'a delay after a lost lock'],
    ] as const;
    for (const [isAsked, what] of more) if (isAsked) this.lacking('LATCH.ACQUIRE', what);
    this.refuseSeveral(request);
    return keys[0] as string;
  }

  async inspect(): Promise<never> {
    return this.lacking('LATCH.INSPECT', 'a query of holders and waiters');
  }
}
