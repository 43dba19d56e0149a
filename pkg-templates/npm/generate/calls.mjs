// Prints the class with `call`: an overload for each command, so that editors show the command's own documentation and
// parameters. The last overload takes every other name, and names what is wrong with the arguments of a known one.
import { argumentElements, parameterList } from './arguments.mjs';
import { sinceOf } from './documentation.mjs';
import { replyType } from './replies.mjs';
import { runs } from './table.mjs';

function either(name) {
  return name === name.toLowerCase() ? `'${name}'` : `'${name}' | '${name.toLowerCase()}'`;
}

function overload(row) {
  const [command, subcommand] = row.name.split('|');
  const names = [{ name: 'name', type: either(command) }];
  if (subcommand !== undefined) names.push({ name: 'subcommand', type: either(subcommand) });
  const own = argumentElements(row).map((one) => (one.name === 'name' ? { ...one, name: 'value' } : one));
  const syntax = [row.name.replace('|', ' '), row.syntax].join(' ').trim();
  const shown = own.every(({ optional, rest }) => !optional && !rest) ? '' : ` \`${syntax}\``;
  const text = `${row.summary}${shown} Since ${sinceOf(row.since)}.`;
  return `  /** ${text} */\n  call(${parameterList([...names, ...own])}): Carried<C, ${replyType(row.reply, row)}>;\n`;
}

export function printCalls(rows) {
  const overloads = rows
    .filter((row) => runs(row, rows))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(overload);
  return `/** Printed from the table of commands: \`call\` with the arguments, the reply and the documentation of each. */
import type { Argument, CommandOption, CommandWord } from '../../base/argument.js';
import type { CommandName, Fits, ReplyOf } from '../call-types.js';
import { Executor } from '../executor.js';
import type { Reply } from '../../resp/reply.js';
import type { Carried, ResultMode } from '../../base/result-mode.js';

/** Base of the command methods: \`call\` runs any command. */
export abstract class Calls<C extends ResultMode, Text extends string | Uint8Array> extends Executor<C, Text> {
${overloads.join('')}  /**
   * Runs any command, argument by argument as it would be typed: \`call('SET', 'k', 'v', 'NX', 'PX', 5000)\`. The types of
   * replies are those of RESP3, the protocol of clients unless they choose another. A name that the table lacks takes any
   * arguments.
   *
   * @throws ReplyError The error that the engine replied with.
   */
  call<const N extends CommandName | (string & {}), const A extends Argument[]>(
    name: N & Fits<N, A>,
    ...args: A
  ): Carried<C, ReplyOf<N, Text>>;
  call(name: string, ...args: (Argument | undefined)[]): unknown {
    return this.execute([name, ...(args as Argument[])]);
  }
}
`;
}
