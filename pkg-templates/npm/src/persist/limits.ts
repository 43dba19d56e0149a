/** Limits of the log, equal for all stores. */

/** Longest time that effects wait for others before they are appended. */
export const FLUSH_MS = 10;

/** Below this a log is not worth replacing by a snapshot: replaying it takes milliseconds. */
export const COMPACT_BYTES_MIN = 256 * 1024;

/** A log is replaced once it outweighs the last snapshot this many times, so its upkeep stays in proportion to writes. */
export const COMPACT_RATIO = 2;

/** Pauses between attempts to write to a store that failed: the first one, and the longest. */
export const RETRY_MS = 100;
export const RETRY_MS_MAX = 10_000;

/**
 * True if a log of `logBytes` behind a snapshot of `snapshotBytes` is worth replacing. A store for which replacing is slow
 * has a larger minimum.
 */
export function isDue(logBytes: number, snapshotBytes: number, bytesMin = COMPACT_BYTES_MIN): boolean {
  return logBytes > bytesMin && logBytes > COMPACT_RATIO * snapshotBytes;
}
