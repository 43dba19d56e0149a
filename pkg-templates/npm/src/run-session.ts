/** Sessions on a fresh engine. */
import { ManualClock } from './clock.js';
import { Keylatch } from './keylatch.js';
import type { KeylatchOptions } from './options.js';
import type { Report, SessionOptions } from './session.js';

/** Fixed seed: random choices are equal at every run unless a seed is given. */
export type RunOptions = SessionOptions & Pick<KeylatchOptions, 'module' | 'seed'>;

/** Runs a session on a fresh engine of `options.module`, with a clock that only the session moves. */
export function runSession(text: string, options: RunOptions): Report {
  const { untilLine, ...made } = options;
  const db = new Keylatch({ seed: 0, ...made, clock: new ManualClock() });
  try {
    return db.runSession(text, untilLine === undefined ? {} : { untilLine });
  } finally {
    db.close();
  }
}
