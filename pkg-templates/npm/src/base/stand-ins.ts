/**
 * Stand-ins for globals, a file that all others of the package import. globals.ts puts them in place of the globals:
 * errors of arguments get a stack that begins at the caller's line, and jsdom, which has no encoders, gets encoders.
 */
import { fromCaller } from './stack.js';
import { Utf8Decoder, Utf8Encoder } from './utf8.js';

type NativeError = typeof globalThis.TypeError;

/** A constructor of the same errors as `Native`. Classes may extend it. */
function tracing(Native: NativeError): NativeError {
  function TracedError(message?: string, options?: ErrorOptions): Error {
    return fromCaller(Reflect.construct(Native, [message, options], new.target ?? Native) as Error);
  }
  TracedError.prototype = Native.prototype;
  return TracedError as unknown as NativeError;
}

const TracedTypeError = /* @__PURE__ */ tracing(globalThis.TypeError);
const TracedRangeError = /* @__PURE__ */ tracing(globalThis.RangeError);
const Encoder = /* @__PURE__ */ (() => globalThis.TextEncoder ?? Utf8Encoder)();
const Decoder = /* @__PURE__ */ (() => globalThis.TextDecoder ?? Utf8Decoder)();

export * from './stack.js';
export { Decoder as TextDecoder, Encoder as TextEncoder, TracedRangeError as RangeError, TracedTypeError as TypeError };
