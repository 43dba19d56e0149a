/** Attempts to open a lost connection again, with growing pauses. Their timers do not keep the process alive. */
import { backOffMs } from './backoff.js';
import type { Time } from './time.js';

/** Longest pause between two attempts. */
const LONGEST_MS = 15_000;

export class Reopening {
  readonly #time: Time;
  readonly #open: () => void;
  /** Attempts since the loss; undefined while nothing is lost. */
  #attempts: number | undefined;
  #cancel = (): void => {};

  constructor(time: Time, open: () => void) {
    this.#time = time;
    this.#open = open;
  }

  /** True from a loss until the connection is open again, or nothing needs it. */
  get isPending(): boolean {
    return this.#attempts !== undefined;
  }

  /** The connection was lost, or an attempt failed: the next one follows. */
  lost(): void {
    this.#attempts = (this.#attempts ?? -1) + 1;
    this.#cancel();
    this.#cancel = this.#time.after(backOffMs(this.#time, this.#attempts, LONGEST_MS), this.#open);
  }

  /** The connection is open, or nothing needs it any more. */
  end(): void {
    this.#attempts = undefined;
    this.#cancel();
  }
}
