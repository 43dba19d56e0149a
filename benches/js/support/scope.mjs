/** What a test context is to a test: whoever starts something says how it ends. */
export class Scope {
  #ends = [];

  after(end) {
    this.#ends.push(end);
  }

  /** Ends everything, the last one first. */
  async close() {
    for (const end of this.#ends.reverse()) await end();
  }
}
