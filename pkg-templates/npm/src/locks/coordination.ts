/**
 * The seam between locks and their stores: operations that a store of locks has. Keys are those of the store. Times are
 * counted by the caller's clocks from the sending of a command, so that delays shorten a lease and never extend it.
 */
import type { AbortSignalLike } from '../base/abort.js';
import type { GuardedCommand } from './guarded-command.js';
import type { Instant } from './time.js';

/** Mode of a lock: alone, or together with others that are shared. */
export type LockMode = 'exclusive' | 'shared';

/** Permits of a semaphore that one holder takes, and how many there are. */
export interface Permits {
  readonly count: number;
  readonly limit: number;
}

/** Keys under one owner's id. */
export interface Claim {
  /** Keys that are locked, at least one. */
  readonly keys: readonly string[];
  /** Keys above them, which exclude locks of the whole. */
  readonly intents: readonly string[];
  /** Drawn for this acquisition alone. */
  readonly owner: string;
}

/** A request for a lease of some keys, all of them or none. */
export interface AcquireRequest extends Claim {
  readonly mode: LockMode;
  readonly permits: Permits | undefined;
  readonly ttlMs: number;
  /** Longest time to wait; 0 to answer at once, undefined for no limit. */
  readonly waitMs: number | undefined;
  readonly steal: boolean;
  /** Time after the end of a lost lease in which the key is not granted. */
  readonly delayMs: number;
  readonly signal: AbortSignalLike | undefined;
}

/** A lease. */
export interface Grant {
  /** Greater than the tokens of all earlier grants of the key; undefined where the store cannot order them. */
  readonly token: number | undefined;
  /** When the command was sent that the lease is counted from. */
  readonly sent: Instant;
  /** Length of the lease, less what clocks may differ. */
  readonly validMs: number;
}

/** A holder of a key. */
export interface Holder {
  readonly owner: string;
  readonly mode: string;
  readonly permits: number;
  readonly token: number;
  /** Negative: without an end. */
  readonly remainingMs: number;
}

/** An owner in the line of a key. */
export interface Waiter {
  readonly owner: string;
  readonly mode: string;
  readonly waitedMs: number;
}

/** Holders and line of a key. */
export interface Inspection {
  readonly holders: readonly Holder[];
  readonly waiters: readonly Waiter[];
}

/** A question to a limiter. */
export interface LimitRequest {
  readonly key: string;
  readonly limit: number;
  readonly periodMs: number;
  readonly burst: number | undefined;
  readonly cost: number;
  readonly kind: 'smooth' | 'fixed' | 'sliding';
  readonly peek: boolean;
}

/** Whether something may happen now, and when it may again. */
export interface LimitResult {
  /** True if it may. */
  readonly allowed: boolean;
  /** How much more is allowed at once. */
  readonly remaining: number;
  /** Milliseconds until the same request would be allowed; 0 if it is, Infinity if it never will. */
  readonly retryAfterMs: number;
  /** Milliseconds until the limiter is as new. */
  readonly resetMs: number;
}

/** A request to run a task; its result is kept. */
export interface OnceRequest {
  readonly key: string;
  readonly owner: string;
  readonly ttlMs: number;
  readonly waitMs: number | undefined;
  readonly signal: AbortSignalLike | undefined;
}

/** State of such a task. */
export type OnceState =
  | { readonly state: 'run'; readonly grant: Grant }
  | { readonly state: 'busy' }
  | { readonly state: 'done'; readonly result: unknown };

/** The end of such a task. */
export interface DoneRequest {
  readonly key: string;
  readonly owner: string;
  readonly token: number;
  readonly result: string;
  readonly keepMs: number;
}

/** A member's arrival at a barrier. */
export interface ArriveRequest {
  readonly key: string;
  readonly member: string;
  readonly parties: number;
  readonly ttlMs: number;
  readonly waitMs: number | undefined;
  readonly peek: boolean;
  readonly signal: AbortSignalLike | undefined;
}

/** A command of a holder. */
export interface RunRequest {
  readonly claim: Claim;
  readonly token: number;
  readonly command: GuardedCommand;
}

/** State of a barrier. */
export interface BarrierState {
  /** True once all have arrived. */
  readonly open: boolean;
  /** How many different members have arrived. */
  readonly arrived: number;
  /** How many open it. */
  readonly parties: number;
}

/** A store of locks. What it lacks throws NotSupported; errors of the server and the connection pass through. */
export interface Coordination {
  /** True for an engine of this process, which answers at once. */
  readonly isLocal?: boolean;
  /**
   * Acquires all keys, or null when the wait is over. An owner that asks again keeps its place and its grant. After an
   * abort the outcome is whatever it has become: the caller releases a grant that it no longer wants.
   */
  acquire(request: AcquireRequest): Promise<Grant | null>;
  /** Extends a lease; resolves to the milliseconds that are left from the sending on, 0 if it is lost. */
  renew(claim: Claim, ttlMs: number, asShared?: boolean): Promise<number>;
  /**
   * Ends a lease; resolves to false if it was lost before. The token of the grant shows that a release, which is sent again after
   * a lost reply, has ended it already.
   */
  release(claim: Claim, token?: number): Promise<boolean>;
  /** Whether a lease still stands. */
  check(claim: Claim, token: number | undefined): Promise<boolean>;
  /** Holders and line of a key. */
  inspect(key: string): Promise<Inspection>;
  /** Calls back once if a claim's lease ends before it is released. Undefined: the store does not report it. */
  watch?(claim: Claim, token: number, lost: () => void): (() => void) | undefined;
  /** Calls back soon and after each change of a key. Undefined: the store does not report changes. */
  changes?(key: string, changed: () => void): (() => void) | undefined;
  /** Asks a limiter. */
  limit(request: LimitRequest): Promise<LimitResult>;
  /** Runs a command in one step with the check of a lease; null if that is lost. */
  run(request: RunRequest): Promise<{ readonly reply: unknown } | null>;
  /** Asks whether to run a task. */
  once(request: OnceRequest): Promise<OnceState>;
  /** Stores the result of a task; false if the lease was lost. */
  done(request: DoneRequest): Promise<boolean>;
  /** Arrives at a barrier. */
  arrive(request: ArriveRequest): Promise<BarrierState>;
}
