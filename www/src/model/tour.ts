/** First commands for somebody who has none in mind: together they show a lock that lets go by itself. Pure. */

const STEPS = ['SET door me NX PX 20000', 'SET door you NX PX 20000', 'TTL door', '@ next', 'SET door you NX PX 20000'];

export class Tour {
  /** How many steps were taken; -1 once somebody went their own way. */
  private taken = 0;

  /** All steps, for whoever has not begun. */
  get steps(): readonly string[] {
    return STEPS;
  }

  /** The next step of a tour that has begun and is not over. */
  get next(): string | undefined {
    return this.taken > 0 ? STEPS[this.taken] : undefined;
  }

  /** A command was typed or pressed: either the tour's next, or the end of the tour. */
  follow(text: string): void {
    this.taken = this.taken >= 0 && text === STEPS[this.taken] ? this.taken + 1 : -1;
  }
}
