/**
 * Scripts of connections run in slices, so that one that runs for long does not hold up the others. They wait for it, and are
 * refused as busy after the time of `busy-reply-threshold`. The engine reads no clock: the time is measured here.
 */

/** Instructions of a slice: a few milliseconds. */
const SLICE_INSTRUCTIONS = 100_000;
/** Time after which other connections have their turn. */
const TURN_MS = 10;

/** Interface of the server's streams. */
export interface SlicedStreams {
  suspendScripts(instructions: number): void;
  resumeScript(elapsedMs: number, refuses: boolean): boolean;
  endScript(way: 'kill' | 'abandon'): void;
}

/** True when the engine was closed or has trapped: there is no script any more. */
type HasEnded = () => boolean;

export class ScriptSlices {
  readonly #streams: SlicedStreams;
  readonly #hasEnded: HasEnded;
  readonly #failed: (error: unknown) => void;
  /** Time in milliseconds after which other clients are refused. */
  busyAfterMs = 0;
  #startedMs = 0;
  #isScheduled = false;
  #isOver = false;

  constructor(streams: SlicedStreams, hasEnded: HasEnded, failed: (error: unknown) => void) {
    this.#streams = streams;
    this.#hasEnded = hasEnded;
    this.#failed = failed;
    streams.suspendScripts(SLICE_INSTRUCTIONS);
  }

  /** Called when a script was suspended, or may have been. */
  begin(): void {
    if (this.#isScheduled) return;
    this.#startedMs = performance.now();
    this.#schedule();
  }

  /**
   * Ends the script that runs, and suspends none from now on. A script that has written runs to its end, unless it is abandoned
   * because the engine is closed next.
   */
  end(abandons = false): void {
    this.#isOver = true;
    if (this.#hasEnded()) return;
    try {
      this.#streams.suspendScripts(0);
      this.#streams.endScript(abandons ? 'abandon' : 'kill');
    } catch (error) {
      this.#failed(error);
    }
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isOver) return;
    this.#isScheduled = true;
    setImmediate(() => this.#goOn());
  }

  #goOn(): void {
    this.#isScheduled = false;
    if (this.#isOver || this.#hasEnded()) return;
    try {
      if (this.#resume()) this.#schedule();
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Runs slices for a turn; true if the script is suspended again. */
  #resume(): boolean {
    const turnMs = performance.now();
    let nowMs = turnMs;
    do {
      const elapsedMs = nowMs - this.#startedMs;
      if (!this.#streams.resumeScript(elapsedMs, elapsedMs >= this.busyAfterMs)) return false;
      nowMs = performance.now();
    } while (nowMs - turnMs < TURN_MS);
    return true;
  }
}
