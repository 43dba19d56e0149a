/** Bodies of responses that come about in time, as streams of bytes: those are the streams that RPC carries. */
import type { LiveBody } from '../upstash/exchange.js';
import { Encoder } from '../../base/encoders.js';

/** Bytes of a piece on average: what a client leaves unread is counted in bytes here. */
const PIECE_BYTES = 256;
const encoder = /* @__PURE__ */ new Encoder();

/** A stream of a live body. Each piece leaves when what the engine did before it is safe: `safe` resolves then. */
export function liveStream(body: LiveBody, safe: () => Promise<void>): ReadableStream<Uint8Array> {
  let end = (): void => {};
  return new ReadableStream<Uint8Array>({
    type: 'bytes',
    start(controller) {
      let unsafeBytes = 0;
      let hasEnded = false;
      let last = Promise.resolve();
      const then = (work: () => void): void => {
        // The wait begins when the turn that wrote the piece has stored its effects.
        last = last.then(safe).then(() => {
          if (!hasEnded) work();
        });
        last.catch((reason) => {
          if (hasEnded) return;
          hasEnded = true;
          end();
          controller.error(reason);
        });
      };
      const stop = body({
        get unread() {
          return (unsafeBytes - (controller.desiredSize ?? 0)) / PIECE_BYTES;
        },
        write: (text) => {
          const bytes = encoder.encode(text);
          unsafeBytes += bytes.length;
          then(() => {
            unsafeBytes -= bytes.length;
            controller.enqueue(bytes as Uint8Array<ArrayBuffer>);
          });
        },
        end: () =>
          then(() => {
            hasEnded = true;
            controller.close();
          }),
        fail: (reason) =>
          then(() => {
            hasEnded = true;
            controller.error(reason);
          }),
      });
      end = () => {
        hasEnded = true;
        stop();
      };
    },
    cancel: () => end(),
  });
}
