/** Prepared scripts: functions of JavaScript that run a script in Lua by its name. For engines in this process. */
import type { Argument } from '../../base/argument.js';
import { ReplyError } from '../../base/errors.js';
import type { Reply } from '../../resp/reply.js';
import { checked, refuse, tooMany, type Shape } from '../../base/option-check.js';
import { Walks } from './walks.js';
import { CallerTypeError } from '../../base/caller-errors.js';
import { Decoder } from '../../base/encoders.js';

/** Options of `script`. */
export interface ScriptOptions {
  /** How many of the arguments are keys. None unless given. */
  readonly keys?: number | undefined;
  /** Runs the script as one that only reads: a write in it is an error. */
  readonly readOnly?: boolean | undefined;
}

/** A prepared script. Call it with its keys, then its other arguments. */
export interface Script<Result> {
  (...keysAndArguments: Argument[]): Result;
  /** The script's text. */
  readonly source: string;
  /** SHA-1 of the text; loads the script if it was not run. */
  readonly sha1: string;
}

const SCRIPT: Shape<ScriptOptions> = { keys: 'integer', readOnly: 'flag' };

/** True for the error of a name that the engine does not know: scripts are forgotten by SCRIPT FLUSH, and not saved. */
function isUnknown(error: unknown): boolean {
  return error instanceof ReplyError && error.code === 'NOSCRIPT';
}

export abstract class PreparedScripts<Text extends string | Uint8Array> extends Walks<Text> {
  /**
   * Prepares a Lua script: the returned function runs it by the SHA-1 of its text, and by the text where the engine does
   * not know it. Give `T` what it returns: `db.script<number>(lua, { keys: 1 })`. Needs keylatch-scripting.
   */
  script<T = Reply<Text>>(source: string, options?: ScriptOptions): Script<T> {
    if (arguments.length > 2) tooMany('script', 2, arguments.length);
    if (typeof source !== 'string') refuse('script', 'source', 'a string', source);
    const { keys = 0, readOnly = false } = checked('script', options, SCRIPT);
    if (!(keys >= 0)) refuse('script', 'keys', 'a number of keys', keys);
    const suffix = readOnly ? '_RO' : '';
    let name: string | undefined;
    const sha1 = (): string => (name ??= hexadecimal(this.execute<Text>(['SCRIPT', 'LOAD', source])));
    const run = (...given: Argument[]): T => {
      if (given.length < keys) throw new CallerTypeError(`the script has ${keys} keys, got ${given.length} arguments`);
      try {
        return this.execute<T>([`EVALSHA${suffix}`, sha1(), keys, ...given]);
      } catch (error) {
        if (!isUnknown(error)) throw error;
        return this.execute<T>([`EVAL${suffix}`, source, keys, ...given]);
      }
    };
    return Object.defineProperties(run, {
      source: { value: source, enumerable: true },
      sha1: { get: sha1, enumerable: true },
    }) as Script<T>;
  }
}

function hexadecimal(reply: string | Uint8Array): string {
  return typeof reply === 'string' ? reply : new Decoder().decode(reply);
}
