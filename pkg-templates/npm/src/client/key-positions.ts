/** Positions of keys among the arguments of a command, by the key specs of its row. */
import type { Argument } from '../base/argument.js';
import { NAMES } from '../host/generated/convention.js';
import { KEYS_OF_CONTAINERS, KEYS_OF_ROWS, KEY_SPECS } from './generated/key-positions.js';
import { keyIndicesOf, wordOf } from './key-specs.js';

let byCommand: Map<string, string> | undefined;

/** Key specs of a command in upper case: `1`, `1..-1/2`, `#1`, `STORE@2`, `#ALSO@3`, `BY?2`, separated by blanks. */
export function specsOf(name: string): string {
  byCommand ??= new Map([
    ...Object.entries(NAMES).map(([row, command]): [string, string] => [
      command,
      KEY_SPECS[Number.parseInt(KEYS_OF_ROWS[Number(row)] as string, 36)] ?? '',
    ]),
    ...Object.entries(KEYS_OF_CONTAINERS),
  ]);
  return byCommand.get(name) ?? '';
}

/** Indices of keys in a command, which begins with its name. Patterns of SORT count as keys. */
export function keyIndices(argv: readonly Argument[]): readonly number[] {
  const specs = specsOf(wordOf(argv[0]));
  return specs === '' ? [] : keyIndicesOf(specs.split(' '), argv);
}
