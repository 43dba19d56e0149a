/** Attempts that are repeated until one succeeds: for stores that cannot notify a waiting client. */
import type { AbortSignalLike } from '../base/abort.js';
import { elapsedMs, instant, pause, type Time } from './time.js';

/** Delay after the first attempt, and the longest. Each is drawn between half of its figure and the whole. */
const FIRST_MS = 16;
const LONGEST_MS = 512;

/** Delay after an attempt, which counts from 0. */
export function backOffMs(time: Time, attempt: number, longestMs: number = LONGEST_MS): number {
  const whole = Math.min(FIRST_MS * 2 ** Math.min(attempt, 16), longestMs);
  return (whole * (1 + time.random())) / 2;
}

/**
 * Repeats an attempt until it has a result, the time to wait is over or the signal is aborted. The last attempt is made
 * at the end of the wait.
 */
export async function repeated<T>(
  time: Time,
  { waitMs, signal }: { readonly waitMs: number | undefined; readonly signal: AbortSignalLike | undefined },
  attempt: () => Promise<T | null>,
): Promise<T | null> {
  const start = instant(time);
  for (let count = 0; ; count += 1) {
    const result = await attempt();
    if (result !== null || signal?.aborted) return result;
    const leftMs = waitMs === undefined ? Number.POSITIVE_INFINITY : waitMs - elapsedMs(time, start);
    if (leftMs <= 0) return null;
    await pause(time, Math.min(backOffMs(time, count), leftMs), signal);
    if (signal?.aborted) return null;
  }
}
