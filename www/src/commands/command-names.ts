/** Facts of the command table for the paste filter. */

import type { CommandNames } from '../text/paste-filter.ts';
import { type CommandRow, commandRows } from './commands.ts';

export const commandNames: CommandNames = {
  isCommand: (word) => commandRows.has(word.toUpperCase()),
  isBlocking: (word) => commandRows.get(word.toUpperCase())?.flags.includes('blocking') ?? false,
};

/** Row of a command by its first words. */
export function rowOf(first: string, second = ''): CommandRow | undefined {
  return commandRows.get(`${first}|${second}`.toUpperCase()) ?? commandRows.get(first.toUpperCase());
}

/** True if the order of the command's reply means nothing. */
export function isUnordered(text: string): boolean {
  const [first = '', second = ''] = text.split(/\s+/);
  return rowOf(first, second)?.unordered ?? false;
}
