/** Saves of one store that are running: its end waits for them. */
export class RunningSaves {
  readonly #running = new Set<Promise<unknown>>();

  /** Runs a save. */
  async run(save: () => Promise<void>): Promise<void> {
    const running = save();
    this.#running.add(running);
    try {
      await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Resolves when no save is running. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }
}
