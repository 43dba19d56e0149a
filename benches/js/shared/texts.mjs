/**
 * Keys and values: texts of a fixed length in the three states in which a program holds them, and the order of their
 * use. Runs in Node and in the page.
 */

/** `user:` and eleven digits: sixteen bytes. */
export const PREFIX = 'user:';
const DIGITS = 11;

const suffix = (number) => String(number).padStart(DIGITS, '0');

/** Flat strings without a computed hash, as a parser returns them. Literals and concatenations are different. */
function flat(texts) {
  return JSON.parse(JSON.stringify(texts));
}

/** A list made in pieces, so that no text of megabytes is parsed at once. */
function inPieces(count, text) {
  const list = [];
  for (let from = 0; from < count; from += 1000) {
    const piece = Array.from({ length: Math.min(1000, count - from) }, (_, index) => text(from + index));
    for (const made of flat(piece)) list.push(made);
  }
  return list;
}

/** `count` keys, each a string object of its own. */
export const makeKeys = (count, from = 0) => inPieces(count, (index) => PREFIX + suffix(from + index));

/** `count` kept names with a prefix of their own. */
export const makeNames = (prefix, count) => inPieces(count, (index) => `${prefix}:${index}`);

/** `count` concatenated keys that are kept: V8 holds them as ropes. */
export const makeJoinedKeys = (count) => Array.from({ length: count }, (_, index) => PREFIX + suffix(index));

/** Values of `bytes` letters and digits that are kept as ropes. */
export const makeJoinedValues = (count, bytes) =>
  Array.from({ length: count }, (_, index) => 'value-of-a-key.'.repeat(bytes).slice(0, bytes - DIGITS) + suffix(index));

/**
 * Makes garbage until V8 has collected its young generation more than twice. Earlier texts are in the old generation
 * then, as kept ones are; ropes that are flattened while they are young may be replaced by their flat texts.
 */
export function ageTexts() {
  const kept = [];
  for (let index = 0; index < 2_000_000; index += 1) kept[index & 1023] = { index, inner: { index } };
  return kept.length;
}

/** JSON of one small record; all have the same length. */
const recordOf = (number) =>
  JSON.stringify({ id: suffix(number), name: 'Ada Lovelace', roles: ['reader', 'author'], active: true });
export const JSON_BYTES = recordOf(0).length;

/** JSON texts as `JSON.stringify` made them. */
export const makeRecords = (count) => Array.from({ length: count }, (_, index) => recordOf(index));

/** Names of locks that a program keeps. */
export const makeLocks = (count) => inPieces(count, (index) => `free:${suffix(index)}`);

/** `count` values of `bytes` letters and digits, all different. */
export const makeValues = (count, bytes, from = 0) =>
  inPieces(count, (index) => suffix(from + index).padStart(bytes, 'value-of-a-key.'));

/** Key suffixes in an order, as they would arrive with a request. */
export const makeSuffixes = (order) => inPieces(order.length, (index) => suffix(order[index]));

/** Whole keys of a range of an order, new each time, without a computed hash. */
export const makeFresh = (order, start, count) =>
  inPieces(count, (index) => PREFIX + suffix(order[(start + index) & (order.length - 1)]));

/** Pseudo-random numbers from a seed: equal runs use equal keys. */
export function dice(seed) {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** Order in which keys are used: a power of two of them, every key about equally often. */
export function makeOrder(keys, random) {
  const length = 2 ** Math.max(16, Math.ceil(Math.log2(keys)));
  const order = Uint32Array.from({ length }, (_, index) => index % keys);
  for (let last = length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [order[last], order[other]] = [order[other], order[last]];
  }
  return order;
}
