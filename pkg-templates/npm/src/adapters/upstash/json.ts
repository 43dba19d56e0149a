/** Replies as values of the REST protocol. */
import { ReplyError } from '../../base/errors.js';
import { decodeReplies, textOf } from '../../resp/reply.js';

/** A reply of RESP2: strings are bytes, and statuses texts. */
export type RestValue = Uint8Array | string | ReplyError | number | bigint | null | RestValue[];

/** Value as it is in JSON. */
export type JsonValue = string | number | null | JsonValue[];

/** The first reply of RESP2 bytes; null if there is none. */
export function firstReply(bytes: Uint8Array): RestValue {
  const [reply = null] = decodeReplies(bytes, { buffer: true }) as RestValue[];
  return reply;
}

const encoder = new TextEncoder();

/** Length of a piece that is turned into base64 at once: a multiple of three, and few enough arguments of a call. */
const PIECE = 0x3000;

function base64(bytes: Uint8Array): string {
  let text = '';
  for (let start = 0; start < bytes.length; start += PIECE) {
    text += btoa(String.fromCharCode(...bytes.subarray(start, start + PIECE)));
  }
  return text;
}

/**
 * A reply as JSON; in base64 if asked for. Every string is then encoded but a status OK at the top, which is what
 * @upstash/redis decodes. Errors inside a reply are their text.
 */
export function jsonOf(value: RestValue, inBase64: boolean, top = true): JsonValue {
  if (value === null || typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map((item) => jsonOf(item, inBase64, false));
  if (value instanceof ReplyError) return value.message;
  if (typeof value === 'string') return inBase64 && !(top && value === 'OK') ? base64(encoder.encode(value)) : value;
  return inBase64 ? base64(value) : textOf(value);
}
