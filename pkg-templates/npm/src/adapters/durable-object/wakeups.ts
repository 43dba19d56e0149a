/**
 * Wakes the engine for clients that wait. Soon by a timer, which keeps the object from sleeping; later by the object's alarm,
 * which does not. An alarm is a row that is billed, so it is only ever set earlier.
 */
import { DELAY_MAX_MS } from '../../host/timer.js';

/** An object sleeps after ten seconds without events: a shorter wait needs no alarm. */
const NEAR_MS = 10_000;

export class Wakeups {
  readonly #storage: Pick<DurableObjectStorage, 'setAlarm'>;
  readonly #canSleep: () => boolean;
  readonly #wake: () => void;
  #dueMs: number | undefined;
  #timer: { readonly handle: unknown; readonly dueMs: number } | undefined;
  #alarmMs = Infinity;

  /** `canSleep`: whether clients stay connected while the object sleeps. Without such no alarm is set. */
  constructor(storage: Pick<DurableObjectStorage, 'setAlarm'>, canSleep: () => boolean, wake: () => void) {
    this.#storage = storage;
    this.#canSleep = canSleep;
    this.#wake = wake;
  }

  /** Notes the instant at which a client has to be served, if there is one. `apply` follows in the same turn. */
  readonly schedule = (dueMs: number | undefined): void => {
    this.#dueMs = dueMs;
  };

  /** Sets the timer or the alarm, once a turn. */
  apply(): void {
    const dueMs = this.#dueMs;
    if (this.#timer !== undefined && this.#timer.dueMs !== dueMs) this.#clear();
    if (dueMs === undefined) return;
    const delayMs = dueMs - Date.now();
    if (delayMs <= NEAR_MS || !this.#canSleep()) this.#arm(dueMs, Math.min(Math.max(delayMs, 0), DELAY_MAX_MS));
    else this.#setAlarm(dueMs);
  }

  /** Notes that the alarm is gone. */
  alarmed(): void {
    this.#alarmMs = Infinity;
  }

  #arm(dueMs: number, delayMs: number): void {
    if (this.#timer !== undefined) return;
    const handle = setTimeout(() => {
      this.#timer = undefined;
      this.#wake();
    }, delayMs);
    this.#timer = { handle, dueMs };
  }

  #setAlarm(dueMs: number): void {
    if (dueMs >= this.#alarmMs) return;
    this.#alarmMs = dueMs;
    // The platform ends the object if this fails.
    this.#storage.setAlarm(dueMs).catch(() => {});
  }

  #clear(): void {
    clearTimeout(this.#timer?.handle as number);
    this.#timer = undefined;
  }
}
