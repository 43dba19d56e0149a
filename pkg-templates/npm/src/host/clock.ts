/** Time: the clock moved by hand, and the guard around a clock given by the user. */
import { ClockError } from '../base/errors.js';
import { referenceTo, type Reference } from './reference.js';
import { SESSION_START_MS } from './session-start.js';
import { shareClass } from '../base/shared-classes.js';
import { CallerRangeError } from '../base/caller-errors.js';

/** Limit of JavaScript's dates, 8.64e15 ms from the epoch on either side. */
const TIME_MAX_MS = 8.64e15;

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= TIME_MAX_MS;
}

/** @internal A user of a ManualClock. */
export interface ClockUser {
  clockMoved(nowMs: number): void;
  nextExpiry(): number | null;
}

/** A clock that stands still until it is moved; the engines that use it follow at once. */
export class ManualClock {
  /** @internal */
  static readonly isShared: boolean = /* @__PURE__ */ shareClass(this, 'ManualClock');
  #nowMs = SESSION_START_MS;
  #users: Reference<ClockUser>[] = [];
  /** The only user so far. Held itself: a WeakRef keeps its target until the end of the job, and so all engines of a loop. */
  #first: ClockUser | undefined;

  /** Starts at `start`, else at 2026-01-01T00:00:00Z. */
  constructor(start: number | Date = SESSION_START_MS) {
    this.#nowMs = this.#checked(Number(start));
  }

  /** The time of the clock, in milliseconds since the epoch. */
  now(): number {
    return this.#nowMs;
  }

  /** Advances by `ms` and lets every engine remove due keys; returns the new time. */
  advance(ms: number): number {
    return this.set(this.#nowMs + ms);
  }

  /** Moves to `time`, forwards or backwards. */
  set(time: number | Date): number {
    this.#nowMs = this.#checked(Number(time));
    this.#tell(undefined);
    return this.#nowMs;
  }

  /** Moves to the first instant at which something is due, if there is one; returns it, or null. */
  advanceToNextExpiry(): number | null {
    let next: number | null = null;
    for (const user of this.#live()) {
      const due = user.nextExpiry();
      if (due !== null && (next === null || due < next)) next = due;
    }
    return next === null ? null : this.set(Math.max(next, this.#nowMs));
  }

  /** @internal */
  attach(user: ClockUser): void {
    if (this.#first === undefined && this.#users.length === 0) {
      this.#first = user;
      return;
    }
    if (this.#first !== undefined) this.#users.push(referenceTo(this.#first));
    this.#first = undefined;
    this.#users.push(referenceTo(user));
  }

  /** @internal */
  detach(user: ClockUser): void {
    if (this.#first === user) this.#first = undefined;
    this.#users = this.#users.filter((ref) => ref.deref() !== user);
  }

  /** @internal Adopts a time that an engine moved itself (a session's `@` lines); the other engines follow. */
  adopt(nowMs: number, from: ClockUser): void {
    this.#nowMs = nowMs;
    this.#tell(from);
  }

  #tell(except: ClockUser | undefined): void {
    for (const user of this.#live()) if (user !== except) user.clockMoved(this.#nowMs);
  }

  #live(): ClockUser[] {
    if (this.#first !== undefined) return [this.#first];
    this.#users = this.#users.filter((ref) => ref.deref() !== undefined);
    return this.#users.flatMap((ref) => ref.deref() ?? []);
  }

  #checked(nowMs: number): number {
    if (!isTime(nowMs)) throw new CallerRangeError(`${nowMs} is not a time in milliseconds`);
    return Math.floor(nowMs);
  }
}

/**
 * @internal
 * Reads the user's clock for the engine. Exceptions are caught and kept until the call is over, because an exception
 * through WebAssembly frames would leave the engine in the middle of a command.
 */
export class GuardedClock {
  #failure: ClockError | undefined;
  #reading = false;

  constructor(private readonly source: () => number) {}

  /** True while the user's function runs: the engine must not be called. */
  get reading(): boolean {
    return this.#reading;
  }

  /** The time in whole milliseconds, or NaN after a failure. */
  readonly read = (): number => {
    this.#reading = true;
    // An earlier failure that was not taken belongs to a reading that the command did not need.
    this.#failure = undefined;
    try {
      const value: unknown = this.source();
      if (isTime(value)) return Math.floor(value);
      this.#failure = new ClockError(`the clock returned ${printable(value)}; expected a time in milliseconds`);
    } catch (cause) {
      this.#failure = new ClockError('the clock threw (its error is in .cause)', { cause });
    } finally {
      this.#reading = false;
    }
    return NaN;
  };

  /** Returns and clears the failure since the last call. */
  takeFailure(): ClockError | undefined {
    const failure = this.#failure;
    this.#failure = undefined;
    return failure;
  }
}

function printable(value: unknown): string {
  if (typeof value === 'number' || value === null || value === undefined) return String(value);
  return `a ${typeof value}`;
}
