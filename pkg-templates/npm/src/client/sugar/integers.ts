/** Integers of replies as numbers, or as bigints on request. */
import { UnsafeIntegerError } from '../../base/errors.js';
import { checked, type Shape } from '../../base/option-check.js';

/** Form of an integer in the result. */
interface IntegerOptions {
  readonly bigint?: boolean | undefined;
}

const INTEGER: Shape<IntegerOptions> = { bigint: 'flag' };

type Change = (reply: unknown, method: string) => unknown;

function safe(reply: unknown, method: string): unknown {
  if (typeof reply === 'bigint') throw new UnsafeIntegerError(method, reply);
  return reply;
}

/** A reply that is no integer, such as QUEUED between MULTI and EXEC, stays as it is. */
function wide(reply: unknown): unknown {
  return typeof reply === 'number' ? BigInt(reply) : reply;
}

/** How to change the reply of a method. Called before the command runs, because it checks the options. */
export function integerAs(method: string, options: IntegerOptions | undefined): Change {
  return options !== undefined && checked(method, options, INTEGER).bigint ? wide : safe;
}
