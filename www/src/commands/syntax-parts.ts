/** The syntax of a command. Apart from the table, which is there before the hint functions are. */

import { syntaxOf } from 'keylatch/hints';
import { type CommandRow, commandRows } from './commands.ts';

/** Name and arguments of a row, as redis-cli prints them. */
export function syntaxParts(row: CommandRow): { readonly name: string; readonly syntax: string } {
  const name = row.name.replace('|', ' ');
  return { name, syntax: syntaxOf(commandRows, row).slice(name.length) };
}
