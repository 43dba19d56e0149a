/**
 * The one timer of an engine. It uses the global setTimeout at the moment it is armed, so that timers faked late,
 * removed or set back are followed at the next call. It keeps neither the process nor the engine alive, unless a
 * blocking call with a timeout is pending: a promise that only this timer can fulfil keeps both, as the promise of any
 * timer does.
 */
import { referenceTo, type Reference } from './reference.js';

/** Longest delay of setTimeout, in milliseconds; longer waits are split. */
export const DELAY_MAX_MS = 2 ** 31 - 1;

export interface Waker {
  wake(): void;
}

interface Armed {
  readonly handle: unknown;
  readonly dueMs: number;
  readonly atMs: number;
  readonly keepsAlive: boolean;
  readonly setTimeout: typeof globalThis.setTimeout;
  readonly clearTimeout: typeof globalThis.clearTimeout;
}

/** Arguments of setTimeout. In a function of its own, the closure holds nothing but the reference. */
function wakeLater(target: Reference<Waker>, delayMs: number): [callback: () => void, delayMs: number] {
  return [() => target.deref()?.wake(), Math.min(Math.max(delayMs, 0), DELAY_MAX_MS)];
}

export class Timer {
  #armed: Armed | undefined;
  readonly #target: Waker;
  /** Created when it is needed first: a WeakRef keeps its target alive until the end of the job that creates it. */
  #reference: Reference<Waker> | undefined;

  constructor(target: Waker) {
    this.#target = target;
  }

  /** Arms the timer for `dueMs` as seen at `nowMs`. Cheap while neither changed. */
  arm(dueMs: number, nowMs: number, keepsAlive: boolean): void {
    const armed = this.#armed;
    // Another `nowMs` may mean a clock that was set: the delay is computed anew, at most once a millisecond.
    const isSame = armed?.dueMs === dueMs && armed.atMs === nowMs && armed.keepsAlive === keepsAlive;
    if (isSame && armed.setTimeout === globalThis.setTimeout) return;
    this.disarm();
    const target = keepsAlive ? { deref: () => this.#target } : (this.#reference ??= referenceTo(this.#target));
    const handle: unknown = globalThis.setTimeout(...wakeLater(target, dueMs - nowMs));
    if (!keepsAlive) (handle as { unref?: () => void }).unref?.();
    const { setTimeout, clearTimeout } = globalThis;
    this.#armed = { handle, dueMs, atMs: nowMs, keepsAlive, setTimeout, clearTimeout };
  }

  disarm(): void {
    const armed = this.#armed;
    this.#armed = undefined;
    // The handle belongs to the clearTimeout of the moment it was armed.
    armed?.clearTimeout.call(globalThis, armed.handle as number);
  }
}
