// Fake timers as a test framework would install them.
import assert from 'node:assert/strict';

export class FakeTime {
  now = 1_000_000;
  timers = new Map();
  #next = 1;
  #real = { Date, performance, setTimeout, clearTimeout };

  install() {
    const fake = this;
    globalThis.Date = class extends this.#real.Date {
      static now() {
        return fake.now;
      }
    };
    globalThis.performance = { now: () => fake.now };
    globalThis.setTimeout = (callback, delay) => {
      assert.ok(delay >= 0 && delay <= 2 ** 31 - 1, `delay ${delay}`);
      this.timers.set(this.#next, { callback, at: this.now + Math.max(delay, 1) });
      return this.#next++;
    };
    globalThis.clearTimeout = (id) => this.timers.delete(id);
  }

  remove() {
    Object.assign(globalThis, this.#real);
  }

  advance(ms) {
    const end = this.now + ms;
    for (;;) {
      const [id, timer] = [...this.timers].sort(([, a], [, b]) => a.at - b.at)[0] ?? [];
      if (timer === undefined || timer.at > end) break;
      this.timers.delete(id);
      this.now = Math.max(this.now, timer.at);
      timer.callback();
    }
    this.now = end;
  }
}

/** Runs a function with fake time, and restores the real one when it returns or its promise resolves. */
export async function withFakeTime(run, time = new FakeTime()) {
  time.install();
  try {
    return await run(time);
  } finally {
    time.remove();
  }
}
