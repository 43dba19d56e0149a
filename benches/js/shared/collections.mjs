/**
 * Counters, hashes, sets, lists and sorted sets of a scenario: kept names, and what the collections hold before the first row.
 * Runs in Node and in the page.
 */
import { makeNames } from './texts.mjs';

/** A prime: loops that count names and fields on their own meet every pair. */
export const COLLECTIONS = 1009;
const FIELDS_MAX = 100;

/** By the list of names: the text of a store that fills a collection, and its number of fields or members. */
const FILLED = {
  hashes: ['hset', 10],
  wideHashes: ['hset', FIELDS_MAX],
  ranks: ['zadd', 10],
  wideRanks: ['zadd', FIELDS_MAX],
};

/** Names of fields and members. */
export const makeFields = () => makeNames('field', FIELDS_MAX);

/** Names of all collections, by list; each store needs its own. */
export function makeCollectionNames() {
  const lists = ['counters', 'sets', 'queues', ...Object.keys(FILLED)];
  return Object.fromEntries(lists.map((list) => [list, makeNames(list, COLLECTIONS)]));
}

/** Fills the collections that a store has: `definition` holds its texts, `texts` the names, fields and values. */
export function fillCollections(store, definition, texts) {
  const putter = (text) =>
    new Function('store', `${definition.before ?? ''}; return (key, field, value, score) => { ${text}; };`)(store);
  const setCounter = putter(definition.set);
  for (const key of definition.incr ? texts.counters : []) setCounter(key, '', '1');
  for (const [list, [operation, size]] of Object.entries(FILLED)) {
    if (definition[operation] === undefined) continue;
    const put = putter(definition[operation]);
    for (const key of texts[list]) {
      for (let index = 0; index < size; index += 1) put(key, texts.fields[index], texts.values[index], index);
    }
  }
}
