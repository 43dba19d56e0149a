/** Replies of the LATCH commands that the script of other servers repeats, as values. */
import type { BarrierState, LimitResult } from './coordination.js';

/** Result of a limiter: allowed, remaining, milliseconds until it is allowed or -1, milliseconds until it is as new. */
export function limitResultOf(reply: unknown): LimitResult {
  const [allowed, remaining = 0, retryAfterMs = 0, resetMs = 0] = (reply as unknown[]).map(Number);
  return {
    allowed: allowed === 1,
    remaining,
    retryAfterMs: retryAfterMs === -1 ? Number.POSITIVE_INFINITY : retryAfterMs,
    resetMs,
  };
}

/** State of a barrier: open, arrived, parties. */
export function barrierStateOf(reply: unknown): BarrierState {
  const [open, arrived = 0, parties = 0] = (reply as unknown[]).map(Number);
  return { open: open === 1, arrived, parties };
}
