/** Promises of callers that wait until an entry of the log is flushed. */

interface Barrier {
  readonly seq: number;
  readonly pass: () => void;
  readonly fail: (error: Error) => void;
}

export class Barriers {
  #waiting: Barrier[] = [];

  /** Resolves when the entry `seq` and all before it have passed; rejects at the next failure. */
  wait(seq: number): Promise<void> {
    return new Promise((pass, fail) => this.#waiting.push({ seq, pass, fail }));
  }

  pass(seq: number): void {
    if (this.#waiting.length === 0) return;
    const passed = this.#waiting.filter((barrier) => barrier.seq <= seq);
    this.#waiting = this.#waiting.filter((barrier) => barrier.seq > seq);
    for (const { pass } of passed) pass();
  }

  fail(error: Error): void {
    const failed = this.#waiting;
    this.#waiting = [];
    for (const { fail } of failed) fail(error);
  }
}
