/** The signal of a lock. Timers are late after a stop of the process or a sleep, so each read asks the clock first. */

import type { AbortSignalLike } from '../base/abort.js';

/** AbortSignal, where the program's own types declare it; server programs may omit the DOM's types. */
export type LossSignal = typeof globalThis extends { AbortSignal: { prototype: infer Signal } }
  ? Signal
  : AbortSignalLike;

/** @internal Has `notice` called before each read of a signal's state, so that it can abort the signal. */
export function followClock(signal: AbortSignal, notice: () => void): void {
  const { prototype } = AbortSignal;
  Object.defineProperties(signal, {
    aborted: {
      configurable: true,
      get: () => {
        notice();
        return Reflect.get(prototype, 'aborted', signal) as boolean;
      },
    },
    throwIfAborted: {
      configurable: true,
      value: () => {
        notice();
        prototype.throwIfAborted.call(signal);
      },
    },
  });
}
