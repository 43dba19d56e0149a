/** Sessions on a fresh engine. */
import { ManualClock } from './clock.js';
import { Keylatch } from './keylatch.js';
import type { EngineModule, KeylatchOptions } from './options.js';
import { SESSION, type Report, type SessionOptions } from './session.js';
import { checked, type Shape } from './sugar/option-check.js';

/** Fixed seed: random choices are equal at every run unless a seed is given. */
export type RunOptions = SessionOptions & Pick<KeylatchOptions, 'module' | 'seed'>;

const RUN: Shape<RunOptions> = { ...SESSION, seed: 'any', module: 'any' };

/** Runs a session on a fresh engine of `options.module`, with a clock that only the session moves. */
export function runSession(text: string, options: RunOptions): Report;
/** @internal */
export function runSession(text: string, options: RunOptions, builtIn: EngineModule): Report;
export function runSession(text: string, options: RunOptions, builtIn?: EngineModule): Report {
  const { untilLine, seed = 0, module } = checked('runSession', options, RUN);
  const db = new Keylatch({ seed, module: module ?? builtIn, clock: new ManualClock() });
  try {
    return db.runSession(text, untilLine === undefined ? {} : { untilLine });
  } finally {
    db.close();
  }
}
