/**
 * Entry `keylatch/locks`: locks with leases, in the form of the Web Locks API. Over an engine of this process, a keylatch
 * behind any client object, or a Redis or Valkey, mostly by a script. Imports neither an engine nor a client.
 */
export type { Barrier, ArriveOptions, BarrierOptions } from '../locks/barrier.js';
export type { CallClient, ExecClient, LockStore, SendClient } from '../locks/commander.js';
export type { BarrierState, LimitResult, LockMode } from '../locks/coordination.js';
export type { Election, ElectionOptions, Leader, ObserveOptions } from '../locks/election.js';
export {
  Aborted,
  Deadlock,
  LockError,
  Lost,
  NeverAcquired,
  NoAnswer,
  NotSupported,
  Stolen,
  TimedOut,
  type LockErrorCode,
} from '../locks/errors.js';
export type { LimitOptions, LimitRule } from '../locks/limit.js';
export type { RunOptions } from '../locks/guarded-command.js';
export type { Lock } from '../locks/lock.js';
export type { LossSignal } from '../locks/loss-signal.js';
export type { HeldLockInfo, LockInfo, Locks, LocksSnapshot } from '../locks/manager.js';
export type { OnceOptions } from '../locks/once.js';
export type { LeaseOptions, LockOptions, LocksOptions, UpgradeOptions } from '../locks/options.js';
export { locks, redlock } from '../locks/open.js';
export type { PermitOptions, Semaphore } from '../locks/semaphore.js';
