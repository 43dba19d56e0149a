/** Bodies of requests in JSON, with the digits of numbers as they were sent. */
import { RefusedRequest } from './commands.js';
import { Decoder } from '../../base/encoders.js';

/** Digits that a number of JavaScript may not keep. */
const LONG = /\d{16}/;
const decoder = /* @__PURE__ */ new Decoder('utf-8', { fatal: true });

/** Facts about a value that newer platforms give beside it. */
interface JsonContext {
  readonly source?: string;
}

/** The value of a body. Anything but JSON in UTF-8 is a refused request. */
export function jsonIn(bytes: Uint8Array): unknown {
  try {
    const text = decoder.decode(bytes);
    return LONG.test(text) ? JSON.parse(text, keepingDigits) : JSON.parse(text);
  } catch (cause) {
    throw new RefusedRequest('ERR the body is not JSON', { cause });
  }
}

/** A long number becomes the text that was sent, as far as the platform shows it. */
function keepingDigits(this: unknown, _key: string, value: unknown, context?: JsonContext): unknown {
  const { source } = context ?? {};
  return typeof value === 'number' && source !== undefined && LONG.test(source) ? source : value;
}
