/** The line in front of a piece of a log, which Redis skips: the instant, and the token register of latches. Pure. */
import { Encoder } from '../base/encoders.js';

/** Longest line. */
const LINE_BYTES_MAX = 64;
const WITH_TOKEN = /^#KL:\d+ v2 (\d+)\r\n/;
const encoder = /* @__PURE__ */ new Encoder();

export function encodeAnnotation(nowMs: number, token: bigint): Uint8Array {
  return encoder.encode(`#KL:${nowMs} v2 ${token}\r\n`);
}

/** The token register at the head of a piece; 0 if no latch has had a token. */
export function tokenRegisterOf(piece: Uint8Array): bigint {
  const [, token = '0'] = WITH_TOKEN.exec(String.fromCharCode(...piece.subarray(0, LINE_BYTES_MAX))) ?? [];
  return BigInt(token);
}
