/** The clock of a test's server: follows the system's, and can be moved and stopped by hand. */
import { CallerRangeError } from '../base/caller-errors.js';

/** Limit of JavaScript's dates, 8.64e15 ms from the epoch on either side. */
const TIME_MAX_MS = 8.64e15;

/** An engine that follows a clock. */
export interface ClockFollower {
  /** First instant at which something is due, or null. */
  nextExpiry(): number | null;
  /** Removes due keys; true when more are due. */
  tick(): boolean;
}

/**
 * Time in hand. The clock runs with `Date.now` (fake timers included) until it is moved: then it runs from there, or
 * stands still after `pause`. At each move, keys expire and blocked clients time out at once.
 */
export class TestClock {
  #offsetMs = 0;
  #pausedAtMs: number | undefined;
  readonly #followers = new Set<ClockFollower>();

  /** The time in milliseconds since the epoch. A function that may be passed on: `new Keylatch({ now: clock.now })`. */
  readonly now = (): number => this.#pausedAtMs ?? Date.now() + this.#offsetMs;

  /** True while the clock stands still. */
  get isPaused(): boolean {
    return this.#pausedAtMs !== undefined;
  }

  /** Advances by `ms` milliseconds; returns the new time. */
  advance(ms: number): number {
    return this.set(this.now() + ms);
  }

  /** Moves to `time`, forwards or backwards; returns it. */
  set(time: number | Date): number {
    const nowMs = checkedTime(time);
    if (this.isPaused) this.#pausedAtMs = nowMs;
    else this.#offsetMs = nowMs - Date.now();
    for (const follower of this.#followers) while (follower.tick());
    return nowMs;
  }

  /** Moves to the first instant at which something is due, if there is one; returns it, or null. */
  advanceToNextExpiry(): number | null {
    const due = [...this.#followers].flatMap((follower) => follower.nextExpiry() ?? []);
    return due.length === 0 ? null : this.set(Math.max(Math.min(...due), this.now()));
  }

  /** Stops the clock, at `time` if given: then it moves by `advance` and `set` only. */
  pause(time?: number | Date): number {
    this.#pausedAtMs = this.now();
    return this.set(time ?? this.#pausedAtMs);
  }

  /** Lets a paused clock run again, from where it stands. */
  resume(): void {
    if (this.#pausedAtMs === undefined) return;
    this.#offsetMs = this.#pausedAtMs - Date.now();
    this.#pausedAtMs = undefined;
    this.set(this.now());
  }

  /** Returns to the time of the system. */
  reset(): void {
    this.#pausedAtMs = undefined;
    this.set(Date.now());
    this.#offsetMs = 0;
  }

  /** @internal Returns a function that ends it. */
  follow(follower: ClockFollower): () => void {
    this.#followers.add(follower);
    return () => this.#followers.delete(follower);
  }
}

function checkedTime(time: number | Date): number {
  const ms = Number(time);
  if (!(Math.abs(ms) <= TIME_MAX_MS)) {
    throw new CallerRangeError(`expected a Date or a number of milliseconds, found ${String(time)}`);
  }
  return Math.floor(ms);
}
