/** Time and chance of locks: clocks, timers and random numbers, which tests replace. */
import { onAbort, type AbortSignalLike } from '../base/abort.js';

/** Longest delay of setTimeout, in milliseconds; longer ones are split. */
const DELAY_MAX_MS = 2 ** 31 - 1;

/** Clocks, timers and chance. */
export interface Time {
  /** The time of day in milliseconds. Goes on while the machine sleeps, and can be set. */
  wallMs(): number;
  /** Milliseconds of a clock that is never set. May stand still while the machine sleeps. */
  steadyMs(): number;
  /** Calls back after a delay; the timer keeps the process alive if asked to. Returns a function that cancels. */
  after(delayMs: number, callback: () => void, keepsAlive?: boolean): () => void;
  /** A random number from 0 to below 1. */
  random(): number;
}

/** An instant on both clocks. */
export interface Instant {
  readonly wallMs: number;
  readonly steadyMs: number;
}

/** The present instant. */
export function instant(time: Time): Instant {
  return { wallMs: time.wallMs(), steadyMs: time.steadyMs() };
}

/** Time since an instant: that of the clock that went further. One may have been set back, or stood still during sleep. */
export function elapsedMs(time: Time, since: Instant): number {
  return Math.max(0, time.wallMs() - since.wallMs, time.steadyMs() - since.steadyMs);
}

/** Clocks and timers of the environment, looked up at each use: fake timers may replace them at any time. */
export const SYSTEM_TIME: Time = {
  wallMs: () => Date.now(),
  steadyMs: () => globalThis.performance?.now() ?? 0,
  after(delayMs, callback, keepsAlive = false) {
    let cancel: () => void;
    const arm = (leftMs: number): void => {
      const { setTimeout, clearTimeout } = globalThis;
      const delay = Math.min(Math.max(leftMs, 0), DELAY_MAX_MS);
      const handle: unknown = setTimeout(() => (leftMs > delay ? arm(leftMs - delay) : callback()), delay);
      if (!keepsAlive) (handle as { unref?: () => void }).unref?.();
      cancel = () => clearTimeout.call(globalThis, handle as number);
    };
    arm(delayMs);
    return () => cancel();
  },
  random: () => Math.random(),
};

/** Resolves after a delay, or as soon as the signal is aborted. The process stays alive meanwhile. */
export function pause(time: Time, delayMs: number, signal: AbortSignalLike | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      stopListening();
      resolve();
    };
    const cancel = time.after(delayMs, end, true);
    const stopListening = onAbort(signal, end);
    if (signal?.aborted) end();
  });
}

/** Bytes of an owner's id: 128 bits, drawn for each acquisition. */
const OWNER_BYTES = 16;

/** A new owner's id. Begins with a letter: clients that read numbers out of text leave it alone. */
export function newOwner(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(OWNER_BYTES));
  return `k${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
