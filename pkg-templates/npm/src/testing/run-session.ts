/** Sessions on a fresh engine. */
import { Keylatch } from '../db/built-in.js';
import { ManualClock } from '../host/clock.js';
import type { KeylatchOptions } from '../db/options.js';
import { SESSION, type SessionOptions, type SessionReport } from '../session/session.js';
import { checked, type Shape } from '../base/option-check.js';
import { runSessionOn } from '../db/tools.js';

/** Options of `runSession`. The seed is 0 unless given, so that random choices are equal at every run. */
export type RunOptions = SessionOptions & Pick<KeylatchOptions, 'module' | 'seed'>;

const RUN: Shape<RunOptions> = { ...SESSION, seed: 'any', module: 'any' };

/**
 * Runs a session on a fresh engine, with a clock that only the session moves.
 *
 * @throws SessionError The text is not a session.
 * @example runSession('> SETNX lock me\n(integer) 1\n').mismatches // 0
 */
export function runSession(text: string, options?: RunOptions): SessionReport {
  const { untilLine, brief, facts, seed = 0, module } = checked('runSession', options, RUN);
  const db = new Keylatch({ seed, module, clock: new ManualClock() });
  try {
    return runSessionOn(db, text, { untilLine, brief, facts });
  } finally {
    db.close();
  }
}
