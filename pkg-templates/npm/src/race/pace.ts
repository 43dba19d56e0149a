/** How often a long work reports: after a number of steps, or where these are slow, after a time. */

const STEPS_BETWEEN_REPORTS = 64;
const MS_BETWEEN_REPORTS = 100;

export class Pace {
  #steps = 0;
  #reportedAt = performance.now();

  /** Counts a step; true if a report is due. */
  isDue(): boolean {
    this.#steps += 1;
    const now = performance.now();
    if (this.#steps < STEPS_BETWEEN_REPORTS && now - this.#reportedAt < MS_BETWEEN_REPORTS) return false;
    this.#steps = 0;
    this.#reportedAt = now;
    return true;
  }
}
