/**
 * Counters, hashes, sets, lists and sorted sets of a scenario: names that are kept, and the contents before the first
 * row. Runs in Node and in the page.
 */
import { makeNames } from './texts.mjs';

/** A prime, so that loops over names and fields combine every pair. */
export const COLLECTIONS = 1009;
const FIELDS_MAX = 100;

/** By the list of names: source code that fills a collection in a store, and its number of fields or members. */
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

/** Fills the collections of a store: `definition` holds its source texts, `texts` the names, fields and values. */
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
