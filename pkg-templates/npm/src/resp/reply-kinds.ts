/** Kinds of single replies, by their first byte. Pure. */

const PUSH = 0x3e;
const STRING = 0x24;
const ERROR = 0x2d;

/** Whether bytes are a push of RESP3, which comes by itself. */
export function isPush(reply: Uint8Array): boolean {
  return reply[0] === PUSH;
}

/** Whether a reply is a string. */
export function isString(reply: Uint8Array): boolean {
  return reply[0] === STRING;
}

/** Whether a reply is an error. */
export function isError(reply: Uint8Array): boolean {
  return reply[0] === ERROR;
}
