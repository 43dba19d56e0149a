/** The root of all command classes: something that can run one command. The sugar is built on it and on nothing else. */
import type { Argument } from './argument.js';
import type { Carried, ResultMode } from './result-mode.js';
import { NAMES, type Row } from './generated/convention.js';
import type { ArgumentsOf, CommandName, ReplyOf } from './call-types.js';

export abstract class Executor<C extends ResultMode, Text extends string | Uint8Array> {
  /**
   * Runs one command. T is the caller's word for what this command answers; nothing checks or changes the reply.
   */
  protected abstract execute<T>(argv: readonly Argument[]): Carried<C, T>;

  // Commands that are called by the number of their row, which spares looking it up by name.

  /** @internal `argv` begins with the command's name. */
  protected run<T>(_row: Row, argv: readonly Argument[]): Carried<C, T> {
    return this.execute<T>(argv);
  }

  /** @internal */
  protected run1<T>(row: Row, first: Argument): Carried<C, T> {
    return this.execute<T>([nameOf(row), first]);
  }

  /** @internal */
  protected run2<T>(row: Row, first: Argument, second: Argument): Carried<C, T> {
    return this.execute<T>([nameOf(row), first, second]);
  }

  /** @internal */
  protected run3<T>(row: Row, first: Argument, second: Argument, third: Argument): Carried<C, T> {
    return this.execute<T>([nameOf(row), first, second, third]);
  }

  /**
   * Runs any command, argument by argument as it would be typed: `call('SET', 'k', 'v', 'NX', 'PX', 5000)`.
   * Known commands are typed; for others the reply is anything. Subcommands are the second argument.
   */
  call<const N extends CommandName | (string & {})>(name: N, ...args: ArgumentsOf<N>): Carried<C, ReplyOf<N, Text>> {
    return this.execute<ReplyOf<N, Text>>([name, ...(args as Argument[])]);
  }
}

/** Printed rows have a number of sixteen bits. */
function nameOf(row: Row): string {
  return NAMES[row & 0xffff] ?? '';
}
