/** One reply made of several: of a command that ran on several servers. Pure. */
import { Encoder } from '../base/encoders.js';
import { concat } from './concat.js';
import { splitReplies } from './split-replies.js';

const LINE_FEED = 0x0a;
const ERROR_TYPES = '-!';
const ARRAY_TYPES = '*~>';
const INTEGER = ':';
const encoder = /* @__PURE__ */ new Encoder();

const typeOf = (reply: Uint8Array): string => String.fromCharCode(reply[0] ?? 0);

export function isErrorReply(reply: Uint8Array): boolean {
  return ERROR_TYPES.includes(typeOf(reply));
}

/** Elements of an array or a set; none of another reply. */
export function itemsOf(reply: Uint8Array): Uint8Array[] {
  if (!ARRAY_TYPES.includes(typeOf(reply))) return [];
  return splitReplies(reply.subarray(reply.indexOf(LINE_FEED) + 1));
}

/** Value of an integer; 0 of another reply. */
export function integerIn(reply: Uint8Array): number {
  const text = String.fromCharCode(...reply.subarray(1, reply.indexOf(LINE_FEED)));
  return typeOf(reply) === INTEGER ? Number(text) : 0;
}

export function encodeInteger(value: number): Uint8Array {
  return encoder.encode(`${INTEGER}${value}\r\n`);
}

export function encodeArray(items: readonly Uint8Array[]): Uint8Array {
  return concat([encoder.encode(`*${items.length}\r\n`), ...items]);
}

/** A string of one character a byte. */
export function encodeBulk(text: string): Uint8Array {
  return encoder.encode(`$${text.length}\r\n${text}\r\n`);
}
