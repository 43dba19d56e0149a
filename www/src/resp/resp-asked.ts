/** Options and settings that decide the form of a reply in the other protocol. Pure. */

import { isPrintedRaw } from '../text/output.ts';
import { type Asked, parseShape } from './resp-protocols.ts';

const PUSHING = /^[PS]?(?:UN)?SUBSCRIBE$|^PUNSUBSCRIBE$|^SUNSUBSCRIBE$/;

/** Shape of a command's reply by its first words in capitals; "" where both protocols have the same. */
export type ShapeOf = (first: string, second: string) => string;

/** The facts of a command; of EXEC with those of the commands that were queued. */
export function askedBy(
  words: readonly Uint8Array[],
  shapeOf: ShapeOf,
  queued: readonly (readonly Uint8Array[])[] = [],
): Asked {
  const texts = words.map((word) => new TextDecoder().decode(word).toUpperCase());
  const [name = '', second = ''] = texts;
  const counts = /^[LRZ]POP(?:MIN|MAX)?$/.test(name) && texts.length > 2;
  const ranked = /^Z(?:REV)?RANK$/.test(name) && texts.length > 3;
  return {
    shape: parseShape(shapeOf(name, second)),
    pairs: texts.some((word) => word === 'WITHSCORES' || word === 'WITHVALUES') || (counts && name.startsWith('Z')),
    counted: counts || ranked,
    verbatim: isPrintedRaw(words),
    push: PUSHING.test(name),
    queued: queued.map((command) => askedBy(command, shapeOf)),
  };
}
