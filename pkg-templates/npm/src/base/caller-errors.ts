/**
 * Errors of arguments and options: a TypeError and a RangeError with a stack that begins at the caller's line. They are of
 * the native classes in all that a program can see. The package throws no native ones.
 */
import { fromCaller } from './stack.js';

/** A constructor of the same errors as `Native`. Classes may extend it. */
function tracing(Native: TypeErrorConstructor): TypeErrorConstructor {
  function TracedError(message?: string, options?: ErrorOptions): Error {
    return fromCaller(Reflect.construct(Native, [message, options], new.target ?? Native) as Error);
  }
  TracedError.prototype = Native.prototype;
  return TracedError as unknown as TypeErrorConstructor;
}

/** TypeError from the caller's line on. */
export const CallerTypeError = /* @__PURE__ */ tracing(globalThis.TypeError);

/** RangeError from the caller's line on. */
export const CallerRangeError = /* @__PURE__ */ tracing(globalThis.RangeError);
