/**
 * Wakes the engine for clients that wait. Soon by a timer, which keeps the object from sleeping; later by the object's alarm,
 * which does not. An alarm is a row that is billed, so it is only ever set earlier.
 */
import { DELAY_MAX_MS } from '../../host/timer.js';

/** An object sleeps after ten seconds without events: a shorter wait needs no alarm. */
const NEAR_MS = 10_000;

/** Clients of an object, as its wake-ups need them. */
interface WakingSockets {
  /** Number of clients that stay connected while the object sleeps. Without such no alarm is set. */
  readonly size: number;
  /** Instant at which one of them has to be disconnected, if there is one. */
  readonly dueMs: number | undefined;
}

export class Wakeups {
  readonly #storage: Pick<DurableObjectStorage, 'getAlarm' | 'setAlarm'>;
  readonly #sockets: WakingSockets;
  readonly #wake: () => void;
  #dueMs: number | undefined;
  #timer: { readonly handle: unknown; readonly dueMs: number } | undefined;
  #alarmMs = Infinity;
  /** False until it is known whether an earlier engine has set the alarm. */
  #isKnown = true;

  constructor(storage: Pick<DurableObjectStorage, 'getAlarm' | 'setAlarm'>, sockets: WakingSockets, wake: () => void) {
    this.#storage = storage;
    this.#sockets = sockets;
    this.#wake = wake;
  }

  /** Notes the instant at which a client has to be served, if there is one. `apply` follows in the same turn. */
  readonly schedule = (dueMs: number | undefined): void => {
    this.#dueMs = dueMs;
  };

  /** Sets the timer or the alarm, once a turn. */
  apply(): void {
    const dueMs = earlier(this.#dueMs, this.#sockets.dueMs);
    if (this.#timer !== undefined && this.#timer.dueMs !== dueMs) this.#clear();
    if (dueMs === undefined) return;
    const delayMs = dueMs - Date.now();
    if (delayMs <= NEAR_MS || this.#sockets.size === 0) this.#arm(dueMs, Math.min(Math.max(delayMs, 0), DELAY_MAX_MS));
    else this.#setAlarm(dueMs);
  }

  /** Finds the alarm that an earlier engine has set for clients that stayed connected: it is not set once more. */
  async recall(): Promise<void> {
    this.#isKnown = false;
    const atMs = await this.#storage.getAlarm().catch(() => null);
    // The alarm itself may have woken the object.
    if (this.#isKnown) return;
    this.#isKnown = true;
    this.#alarmMs = atMs ?? Infinity;
    this.apply();
  }

  /** Notes that the alarm is gone. */
  alarmed(): void {
    this.#isKnown = true;
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
    // Then `recall` follows.
    if (!this.#isKnown) return;
    // The platform knows no instants in the far future.
    const atMs = Math.min(dueMs, Date.now() + DELAY_MAX_MS);
    if (atMs >= this.#alarmMs) return;
    this.#alarmMs = atMs;
    // The platform ends the object if this fails.
    this.#storage.setAlarm(atMs).catch(() => {});
  }

  #clear(): void {
    clearTimeout(this.#timer?.handle as number);
    this.#timer = undefined;
  }
}

function earlier(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}
