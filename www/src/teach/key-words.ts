/** Which words of a command are keys, by the key specs of its row. Pure. */

/** Indices of the keys among the words; the name is word 0. Keys behind a keyword are left out. */
export function keyIndices(specs: readonly string[], words: readonly (string | Uint8Array)[]): number[] {
  return specs.flatMap((spec) => {
    const [, counted, begin, fromEnd, step = '1'] = /^(#)?(\d)(?:\.\.-(\d))?(?:\/(\d))?$/.exec(spec) ?? [];
    if (begin === undefined) return [];
    const first = Number(begin);
    if (counted) return range(first + 1, first + 1 + countOf(words[first]) * Number(step), Number(step), words.length);
    const end = fromEnd === undefined ? first + 1 : words.length + 1 - Number(fromEnd);
    return range(first, end, Number(step), words.length);
  });
}

function range(first: number, end: number, step: number, length: number): number[] {
  const indices: number[] = [];
  for (let index = first; index < Math.min(end, length); index += step) indices.push(index);
  return indices;
}

function countOf(word: string | Uint8Array | undefined): number {
  const count = Number(typeof word === 'string' ? word : new TextDecoder().decode(word));
  return Number.isSafeInteger(count) ? count : 0;
}
