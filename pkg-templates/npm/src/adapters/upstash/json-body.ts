/** Bodies of requests in JSON, with the digits of numbers as they were sent. */
import { isWellFormed } from '../../base/argument.js';
import { RefusedRequest } from './commands.js';
import { Decoder } from '../../base/encoders.js';

/** Digits that a number of JavaScript may not keep. */
const LONG = /\d{16}/;
/** Escapes of surrogates, of which halves have no form in UTF-8. */
const SURROGATE = /\\ud[89a-f]/i;
const decoder = /* @__PURE__ */ new Decoder('utf-8', { fatal: true });

/** Facts about a value that newer platforms give beside it. */
interface JsonContext {
  readonly source?: string;
}

/** The value of a body. Anything but JSON in UTF-8 is a refused request. */
export function jsonIn(bytes: Uint8Array): unknown {
  const { text, value } = parsed(bytes);
  if (SURROGATE.test(text) && wordsIn(value).some((word) => typeof word === 'string' && !isWellFormed(word)))
    throw new RefusedRequest('ERR the body holds half a surrogate pair, which has no UTF-8 form');
  return value;
}

function parsed(bytes: Uint8Array): { readonly text: string; readonly value: unknown } {
  try {
    const text = decoder.decode(bytes);
    return { text, value: LONG.test(text) ? JSON.parse(text, keepingDigits) : JSON.parse(text) };
  } catch (cause) {
    throw new RefusedRequest('ERR the body is not JSON', { cause });
  }
}

/** Words of a command or of a list of commands: what lies deeper is refused anyway. */
function wordsIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.flat() : [value];
}

/** A long number becomes the text that was sent, as far as the platform shows it. */
function keepingDigits(this: unknown, _key: string, value: unknown, context?: JsonContext): unknown {
  const { source } = context ?? {};
  return typeof value === 'number' && source !== undefined && LONG.test(source) ? source : value;
}
