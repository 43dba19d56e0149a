/** Positions of keys among the arguments of a command, by the key specs of its row. */
import { argumentText, isBytes, type Argument } from './argument.js';
import { KEY_POSITIONS } from './generated/key-positions.js';
import { textOf } from './reply.js';

/** One key spec: `1`, `1..-1/2`, `#1`, `STORE@2`. */
interface Spec {
  /** The first key, or the number of keys; with a word, the index from which it is sought. */
  readonly begin: number;
  /** Index of the last key, from the end if negative. */
  readonly last: number;
  readonly step: number;
  readonly counted: boolean;
  readonly word: string | undefined;
}

let byCommand: Map<string, readonly Spec[]> | undefined;

function parse(text: string): Spec {
  const [, counted, word, begin, last, step] = /^(#)?(?:(\w+)@)?(\d+)(?:\.\.(-?\d+))?(?:\/(\d+))?$/.exec(text) ?? [];
  return { begin: Number(begin), last: Number(last ?? begin), step: Number(step ?? 1), counted: counted === '#', word };
}

function specsOf(command: string): readonly Spec[] | undefined {
  if (byCommand === undefined) {
    byCommand = new Map();
    for (const [positions, names] of Object.entries(KEY_POSITIONS)) {
      const specs = positions.split(' ').map(parse);
      for (const name of names.split(' ')) byCommand.set(name, specs);
    }
  }
  return byCommand.get(command);
}

/** A word of a command as text in upper case. */
export function wordOf(argument: Argument | undefined): string {
  return (isBytes(argument) ? textOf(argument) : (argumentText(argument) ?? '')).toUpperCase();
}

/** Indices of the arguments of SORT and SORT_RO that name keys: patterns and the destination. */
function sortIndices(argv: readonly Argument[]): number[] {
  const found: number[] = [];
  for (let index = 2; index < argv.length; index += 1) {
    const word = wordOf(argv[index]);
    if (word === 'LIMIT') index += 2;
    if (word !== 'BY' && word !== 'GET' && word !== 'STORE') continue;
    index += 1;
    // `#` is the element itself.
    if (word !== 'GET' || wordOf(argv[index]) !== '#') found.push(index);
  }
  return found;
}

function* wordIndices(argv: readonly Argument[], word: string, from: number): Generator<number> {
  for (let index = from; index < argv.length - 1; index += 1) {
    if (wordOf(argv[index]) !== word) continue;
    index += 1;
    yield index;
  }
}

function* indicesOf(argv: readonly Argument[], spec: Spec): Generator<number> {
  const { begin, last, step, counted, word } = spec;
  if (word !== undefined) return yield* wordIndices(argv, word, begin);
  const count = counted ? Number(wordOf(argv[begin])) : 0;
  const first = counted ? begin + 1 : begin;
  // A number of keys that is none finds no keys; the engine refuses the command.
  const end = counted ? first + count * step : last < 0 ? argv.length + last + 1 : last + 1;
  for (let index = first; index < Math.min(end, argv.length); index += step) yield index;
}

/** Indices of keys in a command, which begins with its name. Patterns of SORT count as keys. */
export function keyIndices(argv: readonly Argument[]): Iterable<number> {
  const name = wordOf(argv[0]);
  if (name === 'SORT' || name === 'SORT_RO') return argv.length > 1 ? [1, ...sortIndices(argv)] : [];
  const specs = specsOf(name) ?? specsOf(`${name}|${wordOf(argv[1])}`) ?? [];
  return specs.flatMap((spec) => [...indicesOf(argv, spec)]);
}
