/**
 * Clock of the command line's engine: follows the wall clock, stands still, or is moved by hand. The engine has a
 * `ManualClock`; while live, this class advances it before each command and when a key is due.
 */

import type { ManualClock } from 'keylatch/core';
import { Emitter } from '../base/emitter.ts';

/** Longest timeout of browsers in milliseconds; longer ones fire immediately. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

export interface ClockState {
  readonly live: boolean;
  /** Distance from the wall clock while live. */
  readonly offsetMs: number;
  /** Instant at which the clock stands, unless it is live. */
  readonly nowMs: number;
}

export class PageClock {
  readonly changes = new Emitter<'clock'>();
  live = true;
  private offsetMs = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly manual: ManualClock,
    private readonly nextDueMs: () => number | null,
  ) {}

  now(): number {
    return this.live ? Date.now() + this.offsetMs : this.manual.now();
  }

  /** Difference between the engine's time and the wall clock in milliseconds; positive: ahead. */
  get leadMs(): number {
    return this.live ? this.offsetMs : this.manual.now() - Date.now();
  }

  /** Advances the engine's clock to the current time; due keys are removed. */
  sync(): void {
    if (this.live) this.manual.set(this.now());
  }

  /** Sets a timer for the next due key. Must be called after every change of deadlines. */
  arm(): void {
    clearTimeout(this.timer);
    const due = this.live ? this.nextDueMs() : null;
    if (due === null) return;
    const waitMs = Math.min(Math.max(due - this.now(), 0), MAX_TIMEOUT_MS);
    this.timer = setTimeout(() => this.wake(), waitMs);
  }

  /** The clock's state for the next visit. */
  get state(): ClockState {
    return { live: this.live, offsetMs: this.offsetMs, nowMs: this.now() };
  }

  restore({ live, offsetMs, nowMs }: ClockState): void {
    this.live = live;
    this.offsetMs = offsetMs;
    this.manual.set(live ? this.now() : nowMs);
    this.announce();
  }

  pause(): void {
    this.sync();
    this.live = false;
    this.announce();
  }

  /** Resumes from the instant at which the clock stood, so that a pause alone expires nothing. */
  resume(): void {
    this.offsetMs = this.manual.now() - Date.now();
    this.live = true;
    this.announce();
  }

  step(ms: number): void {
    this.moveTo(this.now() + ms);
  }

  moveTo(instantMs: number): void {
    if (this.live) this.offsetMs = instantMs - Date.now();
    this.manual.set(instantMs);
    this.announce();
  }

  /** Returns to the wall clock and forgets every step and pause. */
  backToWallClock(): void {
    this.live = true;
    this.moveTo(Date.now());
  }

  private wake(): void {
    this.sync();
    this.announce();
  }

  private announce(): void {
    this.arm();
    this.changes.emit('clock');
  }
}
