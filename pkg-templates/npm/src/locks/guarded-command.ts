/** Commands that run only while a lock is held: their arguments and keys, checked. */
import { argumentText } from '../base/argument.js';
import { CallerTypeError } from '../base/caller-errors.js';
import { checked, refuse, type Shape } from '../base/option-check.js';

/** Options of `lock.run`. */
export interface RunOptions {
  /** Keys of the command; the first argument by default. On a cluster they need the slot of the lock. */
  readonly keys?: string | readonly string[] | undefined;
}

const RUN: Shape<RunOptions> = { keys: 'arguments' };

/** A command and its keys. */
export interface GuardedCommand {
  /** Its words. */
  readonly argv: readonly string[];
  /** Keys among them. */
  readonly keys: readonly string[];
}

/** @internal */
export function guardedCommand(given: unknown, options: RunOptions | undefined): GuardedCommand {
  const { keys } = checked('run', options, RUN);
  if (!Array.isArray(given) || given.length === 0)
    throw new CallerTypeError("run: expected a command in an array, such as ['SET', 'key', 'value']");
  const argv = given.map(
    (word: unknown) => argumentText(word) ?? refuse('run', 'an argument', 'a string or a number', word),
  );
  return { argv, keys: keys === undefined ? argv.slice(1, 2) : [keys].flat().map(String) };
}
