/**
 * Errors of arguments and options: a TypeError and a RangeError with a stack that begins at the caller's line. They are of
 * the native classes in all that a program can see. The package throws no native ones.
 */
import { fromCaller } from './stack.js';

/** A constructor of native errors. Classes may extend it. */
function tracing(name: 'TypeError' | 'RangeError'): TypeErrorConstructor {
  const Native = globalThis[name];
  function TracedError(message?: string, options?: ErrorOptions): Error {
    return fromCaller(Reflect.construct(Native, [message, options], new.target ?? Native) as Error);
  }
  TracedError.prototype = Native.prototype;
  return TracedError as unknown as TypeErrorConstructor;
}

/** TypeError from the caller's line on. */
export const CallerTypeError = /* @__PURE__ */ tracing('TypeError');

/** RangeError from the caller's line on. */
export const CallerRangeError = /* @__PURE__ */ tracing('RangeError');
