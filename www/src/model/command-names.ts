/** Facts of the command table for the paste filter. */

import type { CommandNames } from '../text/paste-filter.ts';
import { commandRows } from './commands.ts';

export const commandNames: CommandNames = {
  isCommand: (word) => commandRows.has(word.toUpperCase()),
  isBlocking: (word) => commandRows.get(word.toUpperCase())?.flags.includes('blocking') ?? false,
};

/** True if the order of the command's reply means nothing. */
export function isUnordered(text: string): boolean {
  const [first = '', second = ''] = text.toUpperCase().split(/\s+/);
  return (commandRows.get(`${first}|${second}`) ?? commandRows.get(first))?.unordered ?? false;
}
