/** Long work in slices, so that the page stays responsive. */

/** Duration of a slice: a frame of the screen, twice. */
const SLICE_MS = 32;

export class Slices {
  private endMs = performance.now() + SLICE_MS;

  /** `between` runs at the end of each slice but the last. */
  constructor(private readonly between: () => void) {}

  /** Waits for the page's other work, if the slice is over. */
  async pause(): Promise<void> {
    if (performance.now() < this.endMs) return;
    this.between();
    await new Promise((done) => setTimeout(done));
    this.endMs = performance.now() + SLICE_MS;
  }
}
