/** Seeded chance for tests: equal seeds give equal numbers. */
export class Dice {
  #state;

  constructor(seed) {
    this.#state = (seed * 2_654_435_761 + 1) >>> 0;
    // Seeds that are close give sequences that are not.
    for (let round = 0; round < 4; round += 1) this.below(2);
  }

  /** An integer from 0 to `end - 1`. */
  below(end) {
    // A linear congruential generator, of which the high bits are used.
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    const mixed = Math.imul(this.#state ^ (this.#state >>> 15), 0x2c1b3c6d) >>> 0;
    return Math.floor((((mixed ^ (mixed >>> 13)) >>> 0) / 2 ** 32) * end);
  }

  /** True in `percent` of all cases. */
  happens(percent) {
    return this.below(100) < percent;
  }

  pick(list) {
    return list[this.below(list.length)];
  }

  /** A key of `weights`, each as often as its weight. */
  weighted(weights) {
    const entries = Object.entries(weights);
    let at = this.below(entries.reduce((sum, [, weight]) => sum + weight, 0));
    return entries.find(([, weight]) => (at -= weight) < 0)[0];
  }
}
