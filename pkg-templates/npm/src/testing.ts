/** Entry `keylatch/testing`: functions for tests. */
import { describeMismatches, type RunOptions } from './core.js';
import { runSession } from './index.js';
import { fromCaller } from './stack.js';

export { ManualClock, describeMismatches, type Report } from './core.js';
export { runSession };

/** Runs a session and throws unless every expected line was printed. */
export function assertSession(text: string, options?: RunOptions): void {
  const report = runSession(text, options);
  if (report.mismatches > 0) throw fromCaller(new Error(`the session does not hold\n${describeMismatches(report)}`));
}
