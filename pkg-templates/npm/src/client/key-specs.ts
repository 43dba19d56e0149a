/** Key specs, which say where keys are among the words of a command. Pure. */
import { argumentText, isBytes, type Argument } from '../base/argument.js';
import { textOf } from '../resp/reply.js';

/** A word of a command as text in upper case. */
export function wordOf(argument: Argument | undefined): string {
  return (isBytes(argument) ? textOf(argument) : (argumentText(argument) ?? '')).toUpperCase();
}

function everyIndex(first: number, end: number, step: number): number[] {
  const found: number[] = [];
  for (let index = first; index < end; index += step) found.push(index);
  return found;
}

/** Indices of keys behind their number. One that is no number, or too large, finds no keys: the engine refuses the command. */
function countedFrom(argv: readonly Argument[], at: number, step: number): number[] {
  const end = at + 1 + Number(wordOf(argv[at])) * step;
  return end <= argv.length ? everyIndex(at + 1, end, step) : [];
}

/** Indices of keys at fixed places, or behind their number at one. */
function indicesAt(argv: readonly Argument[], spec: string): number[] {
  const [, counted, begin, fromEnd, step = 1] = /^(#)?(\d)(?:\.\.-(\d))?(?:\/(\d))?$/.exec(spec) ?? [];
  const first = Number(begin);
  if (counted) return countedFrom(argv, first, Number(step));
  const end = fromEnd === undefined ? first + 1 : argv.length + 1 - Number(fromEnd);
  return everyIndex(first, Math.min(end, argv.length), Number(step));
}

/** A keyword in front of keys: of one, of a number and so many, of a pattern, or of keys that are the first half of the rest. */
const KEYWORD = /^(?<counted>#)?(?<word>[A-Z]+)(?<kind>[@?])(?<from>\d)(?<half>\.\.half)?$/;

type Keyword = Readonly<Record<string, string | undefined>>;

/** Indices of the keys of a spec, from the word behind its keyword on. */
function keysFrom(argv: readonly Argument[], first: number, spec: Keyword): number[] {
  if (spec['half']) return everyIndex(first, first + Math.floor((argv.length - first) / 2), 1);
  return spec['counted'] ? countedFrom(argv, first, 1) : [first];
}

/** Indices of keys behind keywords. One pass over the words, since a key may be named as a keyword is. */
function indicesBehind(argv: readonly Argument[], specs: readonly Keyword[]): number[] {
  const found: number[] = [];
  for (let index = Math.min(...specs.map(({ from }) => Number(from))); index < argv.length - 1; index += 1) {
    const spec = specs.find(({ word }) => word === wordOf(argv[index]));
    if (!spec) continue;
    const keys = keysFrom(argv, index + 1, spec);
    // The pattern `#` is the element itself.
    found.push(...keys.filter((at) => spec['kind'] !== '?' || wordOf(argv[at]) !== '#'));
    index = keys.at(-1) ?? index + 1;
  }
  return found;
}

/**
 * Indices of keys among the words of a command, which begins with its name, by specs as `keys` in commands.json has them. Patterns
 * count as keys.
 *
 * @example keyIndicesOf(['#1'], ['SINTERCARD', '2', 'a', 'b']) // [2, 3]
 */
export function keyIndicesOf(specs: readonly string[], argv: readonly Argument[]): number[] {
  const keywords = specs.flatMap((spec): Keyword[] => {
    const groups = KEYWORD.exec(spec)?.groups;
    return groups ? [groups] : [];
  });
  const placed = specs.filter((spec) => !KEYWORD.test(spec)).flatMap((spec) => indicesAt(argv, spec));
  return keywords.length === 0 ? placed : [...placed, ...indicesBehind(argv, keywords)];
}
