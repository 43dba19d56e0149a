/** First commands for visitors without an idea of their own: together they show a lock that expires by itself. Pure. */

const STEPS = ['SET door me NX PX 20000', 'SET door you NX PX 20000', 'TTL door', '@ next', 'SET door you NX PX 20000'];

export class Tour {
  /** Number of steps taken; -1 after any other command. */
  private taken = 0;

  /** All steps, while the tour has not begun. */
  get steps(): readonly string[] {
    return STEPS;
  }

  /** Next step of a tour that has begun and is not over. */
  get next(): string | undefined {
    return this.taken > 0 ? STEPS[this.taken] : undefined;
  }

  /** True right after the last step. */
  get isOver(): boolean {
    return this.taken === STEPS.length;
  }

  /** Handles a typed or pressed command: the tour's next step, or the end of the tour. */
  follow(text: string): void {
    this.taken = this.taken >= 0 && text === STEPS[this.taken] ? this.taken + 1 : -1;
  }
}
