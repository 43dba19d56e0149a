/** The root of all command classes: something that can run one command. The sugar is built on it and on nothing else. */
import type { Argument } from './argument.js';
import type { Carried, Carrier } from './carrier.js';
import type { ArgumentsOf, CommandName, ReplyOf } from './call-types.js';

export abstract class Executor<C extends Carrier, Text extends string | Uint8Array> {
  /**
   * Runs one command. T is the caller's word for what this command answers; nothing checks or changes the reply.
   */
  protected abstract execute<T>(argv: readonly Argument[]): Carried<C, T>;

  /**
   * Runs any command, argument by argument as it would be typed: `call('SET', 'k', 'v', 'NX', 'PX', 5000)`.
   * Known commands are typed; for others the reply is anything. Subcommands are the second argument.
   */
  call<const N extends CommandName | (string & {})>(name: N, ...args: ArgumentsOf<N>): Carried<C, ReplyOf<N, Text>> {
    return this.execute<ReplyOf<N, Text>>([name, ...(args as Argument[])]);
  }
}
