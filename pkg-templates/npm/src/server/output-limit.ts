/** How much output may wait for a client that does not read, by `client-output-buffer-limit`. Knows no socket. */

const MS_PER_SECOND = 1000;

/** Bytes that may wait: never more than `hard`, more than `soft` for `softMs` at most. 0 is no limit. */
export interface OutputLimit {
  readonly hard: number;
  readonly soft: number;
  readonly softMs: number;
}

/**
 * Reads `normal HARD SOFT SECONDS slave ... pubsub HARD SOFT SECONDS`, as the engine keeps it. Messages are what grows
 * without the client's doing, so the limit for subscribers counts; replies wait for their reader before the next request
 * is run.
 */
export function outputLimitOf(parameter: string): OutputLimit {
  const words = parameter.split(' ');
  const [hard = 0, soft = 0, seconds = 0] = words.slice(words.indexOf('pubsub') + 1).map(Number);
  return { hard, soft, softMs: seconds * MS_PER_SECOND };
}

/** Watches the output of one client. */
export class OutputGauge {
  #overSinceMs: number | undefined;

  /** Whether the client has to go, with so much waiting for it. */
  exceeds(limit: OutputLimit, waitingBytes: number, nowMs: number): boolean {
    if (limit.hard > 0 && waitingBytes > limit.hard) return true;
    if (limit.soft === 0 || waitingBytes <= limit.soft) {
      this.#overSinceMs = undefined;
      return false;
    }
    this.#overSinceMs ??= nowMs;
    return nowMs - this.#overSinceMs > limit.softMs;
  }
}
