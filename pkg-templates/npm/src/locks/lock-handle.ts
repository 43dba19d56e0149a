/** Locks as programs hold them: one that is forgotten is renewed no longer, so that its lease ends. */
/// <reference lib="esnext.disposable" preserve="true" />
import type { LockMode } from './coordination.js';
import type { RunOptions } from './guarded-command.js';
import type { HeldLock, Lock } from './lock.js';
import type { LossSignal } from './loss-signal.js';
import type { UpgradeOptions } from './options.js';

/** Timers keep a lock for as long as it is renewed, but not its handle. */
const forgotten = /* @__PURE__ */ new FinalizationRegistry((lock: HeldLock) => lock.stopRenewing());

/** Handles that are not forgotten while the lock is held. */
const kept = /* @__PURE__ */ new WeakMap<HeldLock, LockHandle>();

/** @internal The handle of a lock that no callback bounds. */
export class LockHandle implements Lock {
  readonly #lock: HeldLock;

  constructor(lock: HeldLock) {
    this.#lock = lock;
    forgotten.register(this, lock);
  }

  get name(): string {
    return this.#lock.name;
  }

  get names(): readonly string[] {
    return this.#lock.names;
  }

  get mode(): LockMode {
    return this.#lock.mode;
  }

  get owner(): string {
    return this.#lock.owner;
  }

  get token(): number {
    return this.#lock.token;
  }

  /** A program with the signal relies on the lock, so the handle is kept with it. */
  get signal(): LossSignal {
    kept.set(this.#lock, this);
    return this.#lock.signal;
  }

  get remainingMs(): number {
    return this.#lock.remainingMs;
  }

  get held(): boolean {
    return this.#lock.held;
  }

  check(): Promise<boolean> {
    return this.#lock.check();
  }

  run(argv: readonly unknown[], options?: RunOptions): Promise<unknown> {
    return this.#lock.run(argv, options);
  }

  renew(ttl?: number): Promise<number> {
    return this.#lock.renew(ttl);
  }

  upgrade(options?: UpgradeOptions): Promise<void> {
    return this.#lock.upgrade(options);
  }

  downgrade(): Promise<void> {
    return this.#lock.downgrade();
  }

  release(): Promise<boolean> {
    return this.#lock.release();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lock.finish();
  }
}
