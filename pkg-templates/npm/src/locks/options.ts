/** Options of locks, checked. */
import { checked, refuse, type Shape } from '../base/option-check.js';
import type { AbortSignalLike } from '../base/abort.js';
import type { LockMode } from './coordination.js';
import { CallerTypeError } from '../base/caller-errors.js';
import type { ScriptForm } from './script-forms.js';

/** Options of `locks`. */
export interface LocksOptions {
  /** Text in front of each name, which makes the keys of the store; `lock:` by default. */
  readonly prefix?: string | undefined;
  /** True: a lock of `a/b` and one of `a` exclude each other. Not with `redlock`. */
  readonly hierarchy?: boolean | undefined;
  /**
   * How the script of a Redis or Valkey runs: by `eval`, the default, or as a `function` where EVAL is forbidden. Each master needs
   * the library then: `keylatch latch.lua --function | redis-cli -x FUNCTION LOAD REPLACE`.
   */
  readonly scripts?: ScriptForm | undefined;
}

/** Options of whatever waits for a lease. */
export interface LeaseOptions {
  /** Length of the lease in milliseconds, 30,000 by default. It is renewed each third of it while the lock is held. */
  readonly ttl?: number | undefined;
  /** Longest time to wait in milliseconds; 0 not to wait. No limit by default. */
  readonly wait?: number | undefined;
  /** Ends the wait: the request rejects with `Aborted`. */
  readonly signal?: AbortSignalLike | undefined;
  /** False: the lease is not renewed by itself, and ends after `ttl`. */
  readonly renew?: boolean | undefined;
}

/** Options of `request` and `acquire`. */
export interface LockOptions extends LeaseOptions {
  /** `exclusive` by default; `shared` locks of a name can be held together. */
  readonly mode?: LockMode | undefined;
  /** True: null in place of a lock that is held by others, without waiting. */
  readonly ifAvailable?: boolean | undefined;
  /** True: takes the lock from its holders, which are told by their signals. */
  readonly steal?: boolean | undefined;
  /** Milliseconds after the end of a lease that was not released, in which nothing is granted. */
  readonly delay?: number | undefined;
}

/** Options of `lock.upgrade`. */
export interface UpgradeOptions {
  /** Longest time to wait in milliseconds; no limit by default. */
  readonly wait?: number | undefined;
  /** Ends the wait; the lock stays shared. */
  readonly signal?: AbortSignalLike | undefined;
}

/** @internal */
export const UPGRADE: Shape<UpgradeOptions> = { wait: 'number', signal: 'signal' };

/** @internal */
export const LOCKS: Shape<LocksOptions> = { prefix: 'text', hierarchy: 'flag', scripts: ['eval', 'function'] };

/** @internal */
export const LEASE: Shape<LeaseOptions> = { ttl: 'integer', wait: 'number', signal: 'signal', renew: 'flag' };

/** @internal */
export const LOCK: Shape<LockOptions> = {
  ...LEASE,
  mode: ['exclusive', 'shared'],
  ifAvailable: 'flag',
  steal: 'flag',
  delay: 'integer',
};

const EXCLUSIVE = [
  ['ifAvailable', 'steal'],
  ['ifAvailable', 'wait'],
];

/** Length of a lease unless given. */
export const TTL_MS = 30_000;

/** Longest time in milliseconds: a deadline has to stay a safe integer. */
const LONGEST_MS = 2 ** 52;

/** @internal A number of milliseconds, or of other things, that is an integer in a range. */
export function wholeNumber(method: string, name: string, value: unknown, least: number): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < least || value > LONGEST_MS)
    refuse(method, name, `an integer from ${least} to 2^52`, value);
  return value;
}

/** @internal A time to wait: undefined for no limit. */
export function waitOf(method: string, wait: number | undefined): number | undefined {
  if (wait === undefined || wait === Number.POSITIVE_INFINITY) return undefined;
  return wholeNumber(method, 'wait', wait, 0);
}

/** @internal Lease options with their defaults. */
export function leaseOf(
  method: string,
  { ttl = TTL_MS, wait, renew = true }: LeaseOptions,
): { readonly ttlMs: number; readonly waitMs: number | undefined; readonly renews: boolean } {
  return { ttlMs: wholeNumber(method, 'ttl', ttl, 1), waitMs: waitOf(method, wait), renews: renew };
}

/** @internal Checked options of a lock. */
export function lockOptions(method: string, given: LockOptions | undefined): LockOptions {
  const options = checked(method, given, LOCK, EXCLUSIVE);
  if (options.steal === true && options.mode === 'shared')
    throw new CallerTypeError(`${method}: only an exclusive lock can be stolen: leave out mode or steal`);
  return options;
}

/** @internal Names of a request: at least one, each once. */
export function namesOf(method: string, given: unknown): readonly string[] {
  const names = Array.isArray(given) ? given : [given];
  if (names.length === 0) throw new CallerTypeError(`${method}: expected at least one name`);
  for (const name of names)
    if (typeof name !== 'string' || name === '') refuse(method, 'a name', 'a string that is not empty', name);
  if (new Set(names).size < names.length) throw new CallerTypeError(`${method}: a name is given twice`);
  return names as readonly string[];
}

/** @internal Names above a name with parts that are separated by slashes: `a` and `a/b` above `a/b/c`. */
export function namesAbove(name: string): string[] {
  const parts = name.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}
