/** Cleanup functions, as a test context has them. */
export class Scope {
  #ends = [];

  after(end) {
    this.#ends.push(end);
  }

  /** Runs all cleanup functions, the last one first. */
  async close() {
    for (const end of this.#ends.reverse()) await end();
  }
}
