// Time in hand for locks: both clocks, timers and chance, together with the ManualClock of an engine.

/** Lets promises and messages that are under way arrive. */
export const jobs = () => new Promise((resolve) => setImmediate(resolve));

/** The surroundings of locks, moved by hand; the engine's clock moves along. */
export class HandTime {
  steady = 0;
  /** Result of `random`. */
  chance = 0.5;
  #timers = new Map();
  #next = 0;

  constructor(clock) {
    this.clock = clock;
  }

  wallMs = () => this.clock.now();
  steadyMs = () => this.steady;
  random = () => this.chance;

  after = (delayMs, callback) => {
    const id = this.#next++;
    this.#timers.set(id, { dueMs: this.steady + Math.max(delayMs, 0), callback });
    return () => this.#timers.delete(id);
  };

  /** Number of timers that are set. */
  get timers() {
    return this.#timers.size;
  }

  /** Moves both clocks, and runs due timers one by one at their time. */
  async advance(ms) {
    const endMs = this.steady + ms;
    await jobs();
    for (;;) {
      const [id, timer] = [...this.#timers].sort(([, a], [, b]) => a.dueMs - b.dueMs)[0] ?? [];
      if (timer === undefined || timer.dueMs > endMs) break;
      this.#timers.delete(id);
      this.#move(Math.max(timer.dueMs, this.steady));
      timer.callback();
      await jobs();
    }
    this.#move(endMs);
    await jobs();
  }

  /** Moves the clocks at once and runs due timers afterwards, as after a pause of the whole process. */
  async jump(ms) {
    this.#move(this.steady + ms);
    await this.advance(0);
  }

  #move(toMs) {
    const ms = Math.ceil(toMs - this.steady);
    this.steady += ms;
    if (ms > 0) this.clock.advance(ms);
  }
}

/** A page that is ended by hand. */
export class FakePage {
  window = new EventTarget();
  document = new EventTarget();
}
