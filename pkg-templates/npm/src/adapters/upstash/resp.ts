/** RESP2 bytes and the values of the REST protocol: requests to bytes, replies to JSON. */

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

const LF = 10;

/** An error reply. */
export class RestError {
  constructor(readonly message: string) {}
}

/** A status reply, which the base64 form leaves as it is at the top. */
export class Status {
  constructor(readonly text: string) {}
}

export type RestValue = Uint8Array | Status | RestError | number | null | RestValue[];

/** Value as it is in JSON. */
export type JsonValue = string | number | null | JsonValue[];

/** Requests as RESP, one after another. */
export function requestBytes(requests: readonly (readonly Uint8Array[])[]): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const argv of requests) {
    parts.push(encoder.encode(`*${argv.length}\r\n`));
    for (const argument of argv)
      parts.push(encoder.encode(`$${argument.length}\r\n`), argument, encoder.encode('\r\n'));
  }
  return concatenated(parts);
}

export function concatenated(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

export function textOfBytes(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** Replies in RESP2 bytes. */
export function readReplies(bytes: Uint8Array): RestValue[] {
  let at = 0;
  const line = (): string => {
    const end = bytes.indexOf(LF, at);
    const text = textOfBytes(bytes.subarray(at, end - 1));
    at = end + 1;
    return text;
  };
  const bulk = (length: number): Uint8Array | null => {
    if (length < 0) return null;
    const start = at;
    at += length + 2;
    return bytes.slice(start, start + length);
  };
  const read = (): RestValue => {
    const head = line();
    const rest = head.slice(1);
    if (head[0] === '$') return bulk(Number(rest));
    if (head[0] === '+') return new Status(rest);
    if (head[0] === '-') return new RestError(rest);
    if (head[0] === ':') return Number(rest);
    const length = Number(rest);
    return length < 0 ? null : Array.from({ length }, read);
  };
  const replies: RestValue[] = [];
  while (at < bytes.length) replies.push(read());
  return replies;
}

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
  if (Array.isArray(value)) return value.map((item) => jsonOf(item, inBase64, false));
  if (value instanceof RestError) return value.message;
  if (value instanceof Status) {
    const isOk = top && value.text === 'OK';
    return inBase64 && !isOk ? base64(encoder.encode(value.text)) : value.text;
  }
  return inBase64 ? base64(value) : textOfBytes(value);
}
