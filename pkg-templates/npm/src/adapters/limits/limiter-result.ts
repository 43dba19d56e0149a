/** Answers of a limiter with the interface of rate-limiter-flexible. */

/** State of a key after a call. `consume` rejects with one if there were not enough points. */
export class RateLimiterRes {
  /** Points that are left. */
  readonly remainingPoints: number;
  /** Milliseconds until the points are back; -1 for never. */
  readonly msBeforeNext: number;
  /** Points that were consumed in the period that runs. */
  readonly consumedPoints: number;
  /** True for the first use of a period. */
  readonly isFirstInDuration: boolean;

  /** @internal */
  constructor(points: number, consumed: number, leftMs: number, isFirst = false) {
    this.remainingPoints = Math.max(points - consumed, 0);
    this.msBeforeNext = leftMs;
    this.consumedPoints = consumed;
    this.isFirstInDuration = isFirst;
  }

  /** The properties, for JSON. */
  toJSON(): Pick<RateLimiterRes, 'remainingPoints' | 'msBeforeNext' | 'consumedPoints' | 'isFirstInDuration'> {
    return { ...this };
  }

  /** The properties as text, for logs. */
  toString(): string {
    return JSON.stringify(this);
  }
}
