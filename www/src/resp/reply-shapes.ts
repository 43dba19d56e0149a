/** The shapes of replies, which the view of bytes loads. */

import { shapes } from 'virtual:reply-shapes';

const byName = new Map(
  Object.entries(shapes).flatMap(([shape, names]) => names.split(' ').map((name) => [name, shape])),
);

/** Shape of a command's reply by its first words in capitals; "" where both protocols have the same. */
export function shapeOf(first: string, second: string): string {
  return byName.get(`${first}|${second}`) ?? byName.get(first) ?? '';
}
