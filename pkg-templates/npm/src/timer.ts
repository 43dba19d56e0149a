/**
 * The one timer of an engine. It uses the global setTimeout of the moment it is armed, so timers faked late, removed or
 * set back are followed at the next call; it keeps neither the process nor the engine alive.
 */
import { referenceTo, type Reference } from './reference.js';

/** The longest delay setTimeout knows; longer waits are split. */
const DELAY_MAX_MS = 2 ** 31 - 1;

export interface Waker {
  wake(): void;
}

interface Armed {
  readonly handle: unknown;
  readonly dueMs: number;
  readonly atMs: number;
  readonly setTimeout: typeof globalThis.setTimeout;
  readonly clearTimeout: typeof globalThis.clearTimeout;
}

export class Timer {
  #armed: Armed | undefined;
  readonly #target: Reference<Waker>;

  constructor(target: Waker) {
    this.#target = referenceTo(target);
  }

  /** Arms for `dueMs` as seen at `nowMs`. Cheap while neither changed. */
  arm(dueMs: number, nowMs: number): void {
    const armed = this.#armed;
    // Another `nowMs` may mean a clock that was set: the delay is counted anew, at most once a millisecond.
    if (armed?.dueMs === dueMs && armed.atMs === nowMs && armed.setTimeout === globalThis.setTimeout) return;
    this.disarm();
    const target = this.#target;
    const delayMs = Math.min(Math.max(dueMs - nowMs, 0), DELAY_MAX_MS);
    const handle: unknown = globalThis.setTimeout(() => target.deref()?.wake(), delayMs);
    (handle as { unref?: () => void }).unref?.();
    this.#armed = {
      handle, dueMs, atMs: nowMs, setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout,
    };
  }

  disarm(): void {
    const armed = this.#armed;
    this.#armed = undefined;
    // The handle belongs to the clearTimeout of its time, not to that of today.
    armed?.clearTimeout.call(globalThis, armed.handle as number);
  }
}
