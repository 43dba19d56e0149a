/** The way of effects from an engine to its log: when the engine signals them, and when they are taken. */
import type { Unsubscribe } from '../client/subscriptions.js';
import { FLUSH_MS } from './limits.js';
import type { LogSource } from './log-settings.js';
import { later, type Delay } from './time.js';

const NOTHING = /* @__PURE__ */ new Uint8Array(0);

/** The log, as far as the intake needs it. */
export interface IntakeUser {
  /** True if effects are appended before the call that caused them returns. */
  isImmediate(): boolean;
  /** True while writing fails: effects are taken, and appended later. */
  isFailing(): boolean;
  /** True while timers are slow or stopped: effects are appended in the turn in which they are signalled. */
  hasSlowTimers(): boolean;
  /** True if waiting effects keep the process alive: nothing appends them at its end. */
  readonly keepsAlive: boolean;
  take(): void;
  append(): void;
  /** Appends the effects of the call in progress, which throws if that fails. */
  appendInCall(): void;
}

export class EffectsIntake {
  readonly #db: LogSource;
  readonly #user: IntakeUser;
  #stop: Unsubscribe | undefined;
  #timer: Delay | undefined;
  /** Appends what a group left behind: keys that expired while it looked at them. */
  #groupTimer: Delay | undefined;
  #groups = 0;
  /** True from the engine's signal until its effects are taken. */
  #isSignalled = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(db: LogSource, user: IntakeUser) {
    this.#db = db;
    this.#user = user;
    this.#stop = db.onEffects(() => this.#signalled());
  }

  /** Reason why the engine gives no more effects: it has trapped. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  /** Runs work of which the effects are appended by the caller, together with those of other work. */
  grouped<T>(work: () => T): T {
    this.#groups += 1;
    try {
      return work();
    } finally {
      this.#groups -= 1;
    }
  }

  /**
   * Effects since the last call; none after the end, and once the engine has trapped. With `all` a suspended script ends first:
   * a snapshot would contain its effects.
   */
  take(all = false): Uint8Array {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#stop === undefined) return NOTHING;
    this.#isSignalled = false;
    try {
      return all ? this.#db.takeEffects() : this.#db.takeEndedEffects();
    } catch (error) {
      this.#failure = { error };
      this.#stop = undefined;
      return NOTHING;
    }
  }

  /** Takes nothing more. */
  end(): void {
    this.#stop?.();
    this.#stop = undefined;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#groupTimer?.cancel();
    this.#groupTimer = undefined;
  }

  /** Goes on while effects of groups are taken: one timer serves them all. */
  #appendAfterGroups(): void {
    this.#groupTimer = undefined;
    this.#appendByTimer();
  }

  /** A trap that no call of the program meets is an uncaught error. */
  #appendByTimer(): void {
    this.#user.append();
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Called when effects are pending, and again when they are many. */
  #signalled(): void {
    const user = this.#user;
    const isSecond = this.#isSignalled;
    this.#isSignalled = true;
    if (this.#groups > 0) {
      // A call of the program in the same turn gets a signal of its own.
      if (user.isImmediate()) user.take();
      else if (isSecond) user.append();
      else this.#groupTimer ??= later(FLUSH_MS, () => this.#appendAfterGroups(), user.keepsAlive);
    } else if (user.isFailing()) {
      // Writes are refused meanwhile, or nothing is promised: a call that finds an expired key only reads.
      user.take();
    } else if (user.isImmediate()) user.appendInCall();
    else if (isSecond || user.hasSlowTimers()) user.append();
    else this.#timer ??= later(FLUSH_MS, () => this.#appendByTimer(), user.keepsAlive);
  }
}
