/** Sessions on a fresh engine. */
import { ManualClock } from './clock.js';
import { Keylatch } from './keylatch.js';
import type { KeylatchOptions } from './options.js';
import type { Report, SessionOptions } from './session.js';

/** Chance is the same at every run unless a seed is given. */
export type RunOptions = SessionOptions & Pick<KeylatchOptions, 'module' | 'seed'>;

/** Runs a session on a fresh engine made of `options.module`, with a clock moved by the session alone. */
export function runSession(text: string, options: RunOptions): Report {
  const { untilLine, ...made } = options;
  const db = new Keylatch({ seed: 0, ...made, clock: new ManualClock() });
  try {
    return db.runSession(text, untilLine === undefined ? {} : { untilLine });
  } finally {
    db.close();
  }
}
