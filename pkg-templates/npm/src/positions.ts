/**
 * Which characters tell a key from the others of its length: of `user:42:profile` those in the middle, of a session's those
 * at the end. Four of them are looked at, by positions in one number. Where that is not enough, a lesson finds better ones.
 */

/** Names that cost nothing: a constant of a module is looked up each time. */
const enum Position {
  Count = 4,
  /** Keys have at least as many characters as there are positions, and at most as many as these bits tell. */
  Bits = 6,
  Mask = 63,
}

/** Keys that are looked at for a lesson, at most. */
const SAMPLE = 32;

/** Where keys of a length are looked at before anything is known of them: at their end. */
export function firstPositions(length: number): number {
  return packed([length - 1, length - 2, length - 3, length - 4]);
}

/** A number for a key, mostly another for each: of keys that count in decimal it is another for each of a thousand. */
export function mix(text: string, positions: number): number {
  return 97 * text.length + text.charCodeAt(positions & Position.Mask)
    + 10 * text.charCodeAt((positions >> Position.Bits) & Position.Mask)
    + 100 * text.charCodeAt((positions >> (2 * Position.Bits)) & Position.Mask)
    + 331 * text.charCodeAt(positions >> (3 * Position.Bits));
}

/** Whether two keys are the same as far as they are looked at. */
export function areAlike(one: string, other: string, positions: number): boolean {
  return one.length === other.length && unpacked(positions).every((at) => one.charCodeAt(at) === other.charCodeAt(at));
}

/** To look at keys from now on where two alike ones differ, in place of where that tells least about other keys. */
export function lesson(one: string, other: string, positions: number, keys: readonly string[]): number {
  let differing = one.length - 1;
  while (one.charCodeAt(differing) === other.charCodeAt(differing)) differing -= 1;
  const all = unpacked(positions);
  const worths = worthsOf(all, one, keys);
  all[worths.indexOf(Math.min(...worths))] = differing;
  return packed(all);
}

function packed(positions: readonly number[]): number {
  return positions.reduce((all, position, index) => all | (position << (index * Position.Bits)), 0);
}

function unpacked(positions: number): number[] {
  return Array.from({ length: Position.Count }, (_, index) => (positions >> (index * Position.Bits)) & Position.Mask);
}

/** How many keys each position tells from one; those that it tells alone count more than all the others. */
function worthsOf(positions: readonly number[], one: string, keys: readonly string[]): number[] {
  const worths = positions.map(() => 0);
  let looked = 0;
  for (const key of keys) {
    if (key.length !== one.length) continue;
    const telling = positions.flatMap((at, index) => (key.charCodeAt(at) === one.charCodeAt(at) ? [] : index));
    for (const index of telling) (worths[index] as number) += telling.length === 1 ? SAMPLE : 1;
    looked += 1;
    if (looked === SAMPLE) break;
  }
  return worths;
}
