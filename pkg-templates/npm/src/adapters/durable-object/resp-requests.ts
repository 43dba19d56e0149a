/** RESP requests of one client, from its first byte to its last. */
import type { Streams } from '../../host/streams.js';
import { concat } from '../../resp/concat.js';

const NOTHING = /* @__PURE__ */ new Uint8Array(0);

/**
 * Runs requests on a client of their own, over RESP2 unless they say HELLO, and returns all replies: a promise if a command
 * waits. A request that is cut off is not run.
 */
export function runRequests(streams: Streams, requests: Uint8Array): Uint8Array | Promise<Uint8Array> {
  const outputs: Uint8Array[] = [];
  const waiting: { end?: () => void; fail?: (error: Error) => void } = {};
  const feed = (input: Uint8Array): boolean => {
    const keep = (output: Uint8Array): void => {
      outputs.push(output.slice());
    };
    for (stream.feed(input, keep); stream.more; ) stream.feed(NOTHING, keep);
    return !stream.parked;
  };
  const stream = streams.openOwn({
    reached: () => {
      if (stream.closed || feed(NOTHING)) waiting.end?.();
    },
    ended: (error) => waiting.fail?.(error),
  });
  const replies = (): Uint8Array => {
    stream.close();
    return concat(outputs);
  };
  if (feed(requests)) return replies();
  return new Promise<void>((resolve, reject) => Object.assign(waiting, { end: resolve, fail: reject })).then(replies);
}
