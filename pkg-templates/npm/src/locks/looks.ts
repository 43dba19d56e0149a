/** Pauses between the looks of a waiting request, which messages shorten. */
import { onAbort, type AbortSignalLike } from '../base/abort.js';
import { elapsedMs, instant, pause, type Time } from './time.js';

export class Looks {
  readonly #time: Time;
  readonly #stopListening: () => void;
  /** Wanted pause since the last look. */
  #pauseMs = Number.POSITIVE_INFINITY;
  #wake = new AbortController();

  /** An abort of the signal ends the pause. */
  constructor(time: Time, signal: AbortSignalLike | undefined) {
    this.#time = time;
    this.#stopListening = onAbort(signal, () => this.request(0));
  }

  /** Asks for a look in so many milliseconds, or at once. */
  readonly request = (lookMs: number): void => {
    this.#pauseMs = Math.min(this.#pauseMs, Math.max(0, lookMs));
    this.#wake.abort();
  };

  /** Forgets what was asked for before this look. */
  begin(): void {
    this.#pauseMs = Number.POSITIVE_INFINITY;
  }

  /** Resolves when the next look is due: after this time, or earlier if it was asked for. */
  async next(lookMs: number): Promise<void> {
    const start = instant(this.#time);
    for (;;) {
      const leftMs = Math.min(lookMs - elapsedMs(this.#time, start), this.#pauseMs);
      if (leftMs <= 0) return;
      this.#pauseMs = Number.POSITIVE_INFINITY;
      this.#wake = new AbortController();
      const { signal } = this.#wake;
      await pause(this.#time, leftMs, signal);
      if (!signal.aborted) return;
    }
  }

  end(): void {
    this.#stopListening();
  }
}
