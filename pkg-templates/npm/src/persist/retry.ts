/** Attempts to write to a store that failed, with pauses that grow. */
import { RETRY_MS, RETRY_MS_MAX } from './limits.js';
import { later, type Delay } from './time.js';

export class Retry {
  readonly #work: () => void;
  #delay: Delay | undefined;
  #pauseMs = RETRY_MS;

  constructor(work: () => void) {
    this.#work = work;
  }

  /** True while a pause runs. */
  get isScheduled(): boolean {
    return this.#delay !== undefined;
  }

  /** Tries again after a pause, once. */
  schedule(): void {
    this.cancel();
    this.#delay = later(this.#pauseMs, () => this.#end(), false);
    this.#pauseMs = Math.min(this.#pauseMs * 2, RETRY_MS_MAX);
  }

  cancel(): void {
    this.#delay?.cancel();
    this.#delay = undefined;
  }

  /** Begins with short pauses again. */
  reset(): void {
    this.#pauseMs = RETRY_MS;
  }

  #end(): void {
    this.#delay = undefined;
    this.#work();
  }
}
