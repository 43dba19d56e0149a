/** Replies in the JSON of the REST protocol, with texts as they are or in base64. */
import { toBase64 } from '../../base/base64.js';
import { isReplyError } from '../../base/errors.js';
import type { Reply } from '../../resp/reply.js';
import { Encoder } from '../../base/encoders.js';

/** Value as it is in JSON. */
export type JsonValue = string | number | null | JsonValue[];

/** An item of a response. */
export type Answer = { readonly result: JsonValue } | { readonly error: string };

/** A reply over RESP2. Bulk strings are bytes where the answer is to be in base64. */
export type RestReply = Reply<string | Uint8Array>;

const encoder = /* @__PURE__ */ new Encoder();

/**
 * A reply as an item. In base64 every string is encoded but a status OK at the top, which is what @upstash/redis decodes.
 * Errors are never encoded.
 */
export function answerOf(reply: RestReply, inBase64: boolean): Answer {
  if (isReplyError(reply)) return { error: reply.message };
  return { result: reply === 'OK' ? 'OK' : jsonOf(reply, inBase64) };
}

function jsonOf(reply: RestReply, inBase64: boolean): JsonValue {
  if (reply === null || typeof reply === 'number') return reply;
  if (typeof reply === 'string') return inBase64 ? toBase64(encoder.encode(reply)) : reply;
  if (reply instanceof Uint8Array) return toBase64(reply);
  if (Array.isArray(reply)) return reply.map((item) => jsonOf(item, inBase64));
  if (isReplyError(reply)) return reply.message;
  return integerOf(reply);
}

/** `JSON.rawJSON`, which older platforms lack. */
interface JsonWithDigits {
  rawJSON?(text: string): JsonValue;
}

/** An integer that no number holds, with all digits where the platform can write them. */
function integerOf(reply: unknown): JsonValue {
  return (JSON as JsonWithDigits).rawJSON?.(String(reply)) ?? Number(reply);
}
