// Prints the table behind `call`: arguments and reply of each command, subcommands under `CLIENT|ID`.
import { argumentElements, parameterList } from './arguments.mjs';
import { replyType } from './replies.mjs';

/** Containers have no arguments of their own: some run without a subcommand, the others are the union of their parts. */
export function isContainer(row, rows) {
  return rows.some(({ name }) => name.startsWith(`${row.name}|`));
}

/** True for commands that do something: a container without a subcommand is an error unless its arity allows it. */
export function runs(row, rows) {
  return !isContainer(row, rows) || Math.abs(row.arity) === 1;
}

export function printTable(rows) {
  const sorted = rows.filter((row) => runs(row, rows)).sort((a, b) => (a.name < b.name ? -1 : 1));
  const key = (name) => (/^\w+$/.test(name) ? name : `'${name}'`);
  const entry = (row) =>
    `  ${key(row.name)}: [arguments: [${parameterList(argumentElements(row))}], reply: ${replyType(row.reply, row)}];\n`;
  return `/** Printed from the table of commands: arguments and reply of each. */
import type { Argument, CommandOption, CommandWord } from '../../base/argument.js';
import type { Reply } from '../../resp/reply.js';

export interface CommandTable<Text> {
${sorted.map(entry).join('')}}
`;
}
