/** Failures in the log of a Worker: one line of JSON each, without keys, values and tokens. */

import { SHARD_MARK } from './shards/slots.js';

/** Kinds of failures. */
type FailureEvent = 'no-answer' | 'object-restarts' | 'log-not-compacted' | 'socket-not-adopted';

const CAUSE_CHARS_MAX = 500;

/** Writes a line. `object` is the name of the object: that of its namespace, and for shards the index behind it. */
export function logFailure(
  level: 'error' | 'warn',
  event: FailureEvent,
  object: string | undefined,
  cause: unknown,
): void {
  const [namespace, shard] = (object ?? '').split(SHARD_MARK);
  const text = String(cause).slice(0, CAUSE_CHARS_MAX);
  console[level](JSON.stringify({ level, event, namespace, ...(shard && { shard: Number(shard) }), cause: text }));
}
