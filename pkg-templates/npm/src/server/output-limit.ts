/** Limit of the output that waits for a slow reader, by `client-output-buffer-limit`. Independent of sockets. */

const MS_PER_SECOND = 1000;

/** Limits of waiting bytes: never more than `hard`, more than `soft` for `softMs` at most. 0 is no limit. */
export interface OutputLimit {
  readonly hard: number;
  readonly soft: number;
  readonly softMs: number;
}

/**
 * Parses `normal HARD SOFT SECONDS slave ... pubsub HARD SOFT SECONDS`, the engine's form. Only messages grow without
 * requests of the client, so the limit for subscribers counts; replies wait for their reader before the next request
 * runs.
 */
export function outputLimitOf(parameter: string): OutputLimit {
  const words = parameter.split(' ');
  const [hard = 0, soft = 0, seconds = 0] = words.slice(words.indexOf('pubsub') + 1).map(Number);
  return { hard, soft, softMs: seconds * MS_PER_SECOND };
}

/** Measures the waiting output of one client. */
export class OutputGauge {
  #overSinceMs: number | undefined;

  /** True when the client must be disconnected because `waitingBytes` exceeds the limit. */
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
