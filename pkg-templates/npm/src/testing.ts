/** Entry `keylatch/testing`: functions for tests. */
import { runSession, type RunOptions } from './run-session.js';
import { describeMismatches } from './session-report.js';

export { ManualClock, SessionError } from './index.js';
export { describeMismatches } from './session-report.js';
export type {
  SessionReport,
  SessionClient,
  SessionExpectation,
  SessionMismatch,
  SessionOptions,
  SessionStep,
} from './session.js';
export { runSession, type RunOptions } from './run-session.js';
export { runSessionOn } from './tools.js';

/** Runs a session and throws, with the mismatches in words, unless every expected line was printed. */
export function assertSession(text: string, options?: RunOptions): void {
  const report = runSession(text, options);
  if (report.mismatches > 0) throw new Error(`the session does not hold\n${describeMismatches(report)}`);
}
