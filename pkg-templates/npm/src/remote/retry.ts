/** Delays between attempts, and the end of those that take too long. */
import type { CallLimits } from './transport.js';

/** Delay after the first attempt, and the longest. Each is drawn between half of its figure and the whole. */
const FIRST_MS = 50;
const LONGEST_MS = 2000;

/** Delay after an attempt, which counts from 0. */
export function backOffMs(attempt: number): number {
  return (Math.min(FIRST_MS * 2 ** Math.min(attempt, 16), LONGEST_MS) * (1 + Math.random())) / 2;
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The time in which attempts of one call begin. */
export class Attempts {
  readonly #endMs: number;
  #count = 0;

  constructor({ retryMs }: CallLimits) {
    this.#endMs = performance.now() + retryMs;
  }

  /** Waits until the next attempt begins; false if there is no time for one. */
  async next(): Promise<boolean> {
    const delayMs = backOffMs(this.#count);
    this.#count += 1;
    if (performance.now() + delayMs > this.#endMs) return false;
    await pause(delayMs);
    return true;
  }
}
