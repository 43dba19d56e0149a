/** Waiting for what happens by itself, on a machine of any speed. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

const PATIENCE_MS = 20_000;

/** Waits until a condition holds. */
export async function until(condition, what) {
  for (const deadline = Date.now() + PATIENCE_MS; !condition(); await sleep(5))
    assert.ok(Date.now() < deadline, `${what} did not happen`);
}
