/** Scripts and functions in Lua. They run in the package keylatch-scripting; in keylatch their commands fail with the reason. */
import type { Argument } from '../../base/argument.js';
import { Executor } from '../executor.js';
import type { Reply } from '../../resp/reply.js';
import type { Carried, ResultMode } from '../../base/result-mode.js';
import { checked, refuse, tooMany, type Shape } from '../../base/option-check.js';

/** Options of `functionLoad`. */
export interface FunctionLoadOptions {
  /** Replaces a loaded library of the same name. */
  readonly replace?: boolean | undefined;
}

const FUNCTION_LOAD: Shape<FunctionLoadOptions> = { replace: 'flag' };

/** Words of a command that runs a script or a function. */
function words(
  method: string,
  command: string,
  given: ArrayLike<unknown>,
  [script, keys, args]: readonly [Argument, readonly Argument[], readonly Argument[]],
): Argument[] {
  if (given.length > 3) tooMany(method, 3, given.length);
  if (!Array.isArray(keys)) refuse(method, 'keys', 'an array', keys);
  if (!Array.isArray(args)) refuse(method, 'args', 'an array', args);
  return [command, script, keys.length, ...keys, ...args];
}

const NONE: readonly Argument[] = [];

export abstract class ScriptCommands<C extends ResultMode, Text extends string | Uint8Array> extends Executor<C, Text> {
  /** Runs a Lua script. Give `T` what it returns: `db.eval<number>(lua, ['key'])`. */
  eval<T = Reply<Text>>(
    script: Argument,
    keys: readonly Argument[] = NONE,
    args: readonly Argument[] = NONE,
  ): Carried<C, T> {
    return this.execute<T>(words('eval', 'EVAL', arguments, [script, keys, args]));
  }

  /** Runs a Lua script that only reads. */
  evalRo<T = Reply<Text>>(
    script: Argument,
    keys: readonly Argument[] = NONE,
    args: readonly Argument[] = NONE,
  ): Carried<C, T> {
    return this.execute<T>(words('evalRo', 'EVAL_RO', arguments, [script, keys, args]));
  }

  /** Runs a loaded Lua script by the SHA-1 of its text. */
  evalsha<T = Reply<Text>>(
    sha1: Argument,
    keys: readonly Argument[] = NONE,
    args: readonly Argument[] = NONE,
  ): Carried<C, T> {
    return this.execute<T>(words('evalsha', 'EVALSHA', arguments, [sha1, keys, args]));
  }

  /** Runs a loaded Lua script that only reads, by the SHA-1 of its text. */
  evalshaRo<T = Reply<Text>>(
    sha1: Argument,
    keys: readonly Argument[] = NONE,
    args: readonly Argument[] = NONE,
  ): Carried<C, T> {
    return this.execute<T>(words('evalshaRo', 'EVALSHA_RO', arguments, [sha1, keys, args]));
  }

  /** Runs a function of a loaded library. */
  fcall<T = Reply<Text>>(
    name: Argument,
    keys: readonly Argument[] = NONE,
    args: readonly Argument[] = NONE,
  ): Carried<C, T> {
    return this.execute<T>(words('fcall', 'FCALL', arguments, [name, keys, args]));
  }

  /** Runs a function that only reads. */
  fcallRo<T = Reply<Text>>(
    name: Argument,
    keys: readonly Argument[] = NONE,
    args: readonly Argument[] = NONE,
  ): Carried<C, T> {
    return this.execute<T>(words('fcallRo', 'FCALL_RO', arguments, [name, keys, args]));
  }

  /** Loads a Lua script; returns the SHA-1 of its text, by which `evalsha` runs it. */
  scriptLoad(script: Argument): Carried<C, Text> {
    if (arguments.length > 1) tooMany('scriptLoad', 1, arguments.length);
    return this.execute<Text>(['SCRIPT', 'LOAD', script]);
  }

  /** For each SHA-1 whether its script is loaded. */
  scriptExists(...sha1s: Argument[]): Carried<C, (0 | 1)[]> {
    return this.execute<(0 | 1)[]>(['SCRIPT', 'EXISTS', ...sha1s]);
  }

  /** Forgets all loaded scripts. */
  scriptFlush(): Carried<C, 'OK'> {
    if (arguments.length > 0) tooMany('scriptFlush', 0, arguments.length);
    return this.execute<'OK'>(['SCRIPT', 'FLUSH']);
  }

  /** Loads a library of functions; returns its name. With `replace` it takes the place of a library of that name. */
  functionLoad(code: Argument, options?: FunctionLoadOptions): Carried<C, Text> {
    const { replace } = checked('functionLoad', options, FUNCTION_LOAD);
    return this.execute<Text>(['FUNCTION', 'LOAD', ...(replace ? ['REPLACE'] : []), code]);
  }

  /** Deletes a library with its functions. */
  functionDelete(library: Argument): Carried<C, 'OK'> {
    if (arguments.length > 1) tooMany('functionDelete', 1, arguments.length);
    return this.execute<'OK'>(['FUNCTION', 'DELETE', library]);
  }
}
