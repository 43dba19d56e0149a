/** Stores with exclusive locks of one key only: whatever needs more throws NotSupported with the command that is missing. */
import type { AcquireRequest, Claim, Coordination, Grant } from './coordination.js';
import { NotSupported } from './errors.js';

export abstract class MutexOnly implements Coordination {
  /** Ends the message of a refusal: the reason for which the store has no more. */
  protected abstract readonly limits: string;

  abstract acquire(request: AcquireRequest): Promise<Grant | null>;
  abstract renew(claim: Claim, ttlMs: number, asShared?: boolean): Promise<number>;
  abstract release(claim: Claim, token?: number): Promise<boolean>;
  abstract check(claim: Claim): Promise<boolean>;

  protected lacking(command: string, what: string): never {
    throw new NotSupported(command, `${what} needs ${command}, which ${this.limits}`);
  }

  /** The key of a request for an exclusive lock; refuses what takes more than that. */
  protected mutexOf(request: AcquireRequest): string {
    const { keys, intents, mode, permits, steal, delayMs } = request;
    const more = [
      [permits !== undefined, 'a semaphore'],
      [mode === 'shared', 'a shared lock'],
      [keys.length > 1, 'a lock of several names'],
      [intents.length > 0, 'a lock of a name below another'],
      [steal, 'stealing a lock'],
      [delayMs > 0, 'a delay after a lost lock'],
    ] as const;
    for (const [isAsked, what] of more) if (isAsked) this.lacking('LATCH.ACQUIRE', what);
    return keys[0] as string;
  }

  async inspect(): Promise<never> {
    return this.lacking('LATCH.INSPECT', 'a query of holders and waiters');
  }

  async limit(): Promise<never> {
    return this.lacking('LATCH.LIMIT', 'a rate limit');
  }

  async run(): Promise<never> {
    return this.lacking('LATCH.CHECK', 'a command that only the holder runs');
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
