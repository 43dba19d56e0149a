/**
 * The clock of the command line's engine: it follows the wall clock, stands still, or is moved by hand. The engine sees
 * a `ManualClock` only; while live, this class carries it along before each command and when a key is due.
 */

import type { ManualClock } from 'keylatch/core';
import { Emitter } from './emitter.ts';

/** Browsers fire a longer timeout at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

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

  /** How far the engine's time is from the wall clock; positive: ahead. */
  get leadMs(): number {
    return this.live ? this.offsetMs : this.manual.now() - Date.now();
  }

  /** Brings the engine's clock up to now; what is due goes. */
  sync(): void {
    if (this.live) this.manual.set(this.now());
  }

  /** Wakes up when the next key is due. To be called after anything that may have changed what is due. */
  arm(): void {
    clearTimeout(this.timer);
    const due = this.live ? this.nextDueMs() : null;
    if (due === null) return;
    const waitMs = Math.min(Math.max(due - this.now(), 0), MAX_TIMEOUT_MS);
    this.timer = setTimeout(() => this.wake(), waitMs);
  }

  pause(): void {
    this.sync();
    this.live = false;
    this.announce();
  }

  /** Goes on from the instant at which it stood, so that nothing expires by looking. */
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

  /** Lets go of every step and pause. */
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
