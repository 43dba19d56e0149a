/** Sessions as assertions. */
import { runSession, type RunOptions } from './run-session.js';
import { describeMismatches } from '../session/session-report.js';
import type { SessionStep } from '../session/session.js';
import { AssertionError } from './assertion-error.js';

/** Runs a session and throws an AssertionError, with both texts for a diff, unless every expected line was printed. */
export function assertSession(text: string, options?: RunOptions): void {
  const report = runSession(text, options);
  if (report.mismatches === 0) return;
  throw new AssertionError(
    `the session does not hold\n${describeMismatches(report)}`,
    { expected: textOf(report.steps, 'expected'), actual: textOf(report.steps, 'printed') },
    assertSession,
  );
}

/** The session as it was written, or with what was printed where that is a mismatch. */
function textOf(steps: readonly SessionStep[], side: 'expected' | 'printed'): string {
  return steps
    .flatMap((step) => {
      const expected = step.expected.map((line) => line.text);
      const events = step.expectedEvents.map((line) => line.text);
      const isPrinted = side === 'printed' && step.verdict === 'mismatched';
      const lines = isPrinted && expected.length + step.printed.length > 0 ? step.printed : expected;
      const shown = isPrinted && events.length > 0 ? step.events : events;
      return [`${step.prompt} ${step.text}`.trimEnd(), ...lines, ...shown.map((event) => `! ${event}`)];
    })
    .join('\n');
}
