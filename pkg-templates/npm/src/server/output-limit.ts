/** How much output may wait for a client that does not read, by `client-output-buffer-limit`. Knows no socket. */

const UNITS: Readonly<Record<string, number>> = {
  '': 1, b: 1, k: 1e3, kb: 2 ** 10, m: 1e6, mb: 2 ** 20, g: 1e9, gb: 2 ** 30,
};
const MS_PER_SECOND = 1000;

/** Bytes that may wait: never more than `hard`, more than `soft` for `softMs` at most. 0 is no limit. */
export interface OutputLimit {
  readonly hard: number;
  readonly soft: number;
  readonly softMs: number;
}

/**
 * Messages are what grows without the client's doing, so this is the limit Redis has for subscribers; replies wait for
 * their reader before the next request is run.
 */
const DEFAULT: OutputLimit = { hard: 32 * 2 ** 20, soft: 8 * 2 ** 20, softMs: 60 * MS_PER_SECOND };

function bytesOf(text: string): number {
  const [, digits = '0', unit = ''] = /^(\d+)([a-z]*)$/.exec(text.toLowerCase()) ?? [];
  return Number(digits) * (UNITS[unit] ?? 1);
}

/** Reads `class hard soft seconds ...`; classes that are not named keep their default. */
export function outputLimitOf(parameter: string): OutputLimit {
  const words = parameter.trim().split(/\s+/);
  for (let index = 0; index + 3 < words.length; index += 4) {
    const [kind, hard = '0', soft = '0', seconds = '0'] = words.slice(index, index + 4);
    if (kind?.toLowerCase() !== 'pubsub') continue;
    return { hard: bytesOf(hard), soft: bytesOf(soft), softMs: Number(seconds) * MS_PER_SECOND };
  }
  return DEFAULT;
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
