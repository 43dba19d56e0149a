/** Positions of keys among the arguments of a command, by the key specs of its row. */
import { argumentText, isBytes, type Argument } from '../base/argument.js';
import { NAMES } from '../host/generated/convention.js';
import { KEYS_OF_ROWS, KEY_SPECS } from './generated/key-positions.js';
import { textOf } from '../resp/reply.js';

let byCommand: Map<string, string> | undefined;

/** Key specs of a command in upper case: `1`, `1..-1/2`, `#1`, `#ALSO@3`, `words`, separated by blanks. */
export function specsOf(name: string): string {
  byCommand ??= new Map(
    Object.entries(NAMES).map(([row, command]) => [
      command,
      KEY_SPECS[Number.parseInt(KEYS_OF_ROWS[Number(row)] as string, 36)] ?? '',
    ]),
  );
  // Subcommands of the two containers take a key or nothing.
  return byCommand.get(name) ?? (/^(OBJECT|MEMORY)$/.test(name) ? '2' : '');
}

/** A word of a command as text in upper case. */
export function wordOf(argument: Argument | undefined): string {
  return (isBytes(argument) ? textOf(argument) : (argumentText(argument) ?? '')).toUpperCase();
}

/** Indices behind each of some words, from an index on. */
function indicesBehind(argv: readonly Argument[], words: RegExp, from: number): number[] {
  const found: number[] = [];
  for (let index = from; index < argv.length - 1; index += 1) {
    const word = wordOf(argv[index]);
    if (word === 'LIMIT') index += 2;
    // `GET #` is the element itself.
    if (words.test(word) && wordOf(argv[(index += 1)]) !== '#') found.push(index);
  }
  return found;
}

function everyIndex(first: number, end: number, step: number): number[] {
  const found: number[] = [];
  for (let index = first; index < end; index += step) found.push(index);
  return found;
}

/** Indices of keys behind their number. A number that is none finds no keys; the engine refuses the command. */
function countedFrom(argv: readonly Argument[], at: number, step: number): number[] {
  const end = at + 1 + Number(wordOf(argv[at])) * step;
  return everyIndex(at + 1, Math.min(end, argv.length), step);
}

function indicesOf(argv: readonly Argument[], name: string, spec: string): number[] {
  if (spec === 'words')
    return name.startsWith('SORT')
      ? indicesBehind(argv, /^(BY|GET|STORE)$/, 2)
      : indicesBehind(argv, /^STORE(DIST)?$/, 5);
  const [, keyword, from = 0] = /^#([A-Z]+)@(\d)$/.exec(spec) ?? [];
  if (keyword !== undefined) {
    const at = argv.findIndex((argument, index) => index >= Number(from) && wordOf(argument) === keyword);
    return at < 0 ? [] : countedFrom(argv, at + 1, 1);
  }
  const [, counted, begin, fromEnd, step = 1] = /^(#)?(\d)(?:\.\.-(\d))?(?:\/(\d))?$/.exec(spec) ?? [];
  const first = Number(begin);
  if (counted) return countedFrom(argv, first, Number(step));
  const end = fromEnd === undefined ? first + 1 : argv.length + 1 - Number(fromEnd);
  return everyIndex(first, Math.min(end, argv.length), Number(step));
}

/** Indices of keys in a command, which begins with its name. Patterns of SORT count as keys. */
export function keyIndices(argv: readonly Argument[]): readonly number[] {
  const name = wordOf(argv[0]);
  return specsOf(name)
    .split(' ')
    .flatMap((spec) => (spec === '' ? [] : indicesOf(argv, name, spec)));
}
