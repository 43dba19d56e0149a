/**
 * Holds the filled stores of one scenario, and runs one sample of one operation at a time. The caller takes the time,
 * from inside the process or from outside. Runs in Node and in the page.
 */
import { makeCollectionNames, makeFields, fillCollections } from './collections.mjs';
import { CONFIGURATIONS } from './configurations.mjs';
import { BATCH, OPERATIONS, compile, compileAround } from './operations.mjs';
import { requestOf } from './resp.mjs';
import { STORES } from './stores.mjs';
import {
  ageTexts,
  dice,
  makeFresh,
  makeJoinedKeys,
  makeJoinedValues,
  makeKeys,
  makeLocks,
  makeOrder,
  makeRecords,
  makeSuffixes,
  makeValues,
} from './texts.mjs';

/** Maximum number of new keys of a sample, and of keys that a sample adds. */
export const NEW_KEYS_MAX = 50_000;
const VALUES = 1024;
const LISTS = 64;
const LOCKS = 1024;
/** Largest size of an evicting store, as a multiple of its initial keys. */
const GROWTH_MAX = 1.5;

export class Workbench {
  #modules;
  #scenario;
  #texts;
  #stores = new Map();
  #loops = new Map();
  #random = dice(7);
  /** The prepared sample, and the sum of the last one. */
  #next;
  #sum;

  /** `modules` holds the classes of the stores. */
  constructor(modules) {
    this.#modules = modules;
  }

  /** Makes and fills the stores of a scenario. */
  prepare(scenario) {
    this.#scenario = scenario;
    const order = makeOrder(scenario.keys, this.#random);
    this.#texts = {
      order,
      values: this.#makeValues(VALUES),
      suffixes: makeSuffixes(order),
      spares: makeSuffixes(Uint32Array.from({ length: NEW_KEYS_MAX }, (_, index) => index)),
      locks: makeLocks(LOCKS),
      fields: makeFields(),
      counter: { next: 0 },
    };
    for (const name of scenario.stores) this.#stores.set(name, this.#filled(name));
  }

  #makeValues(count) {
    return this.#scenario.json ? makeRecords(count) : makeValues(count, this.#scenario.bytes);
  }

  /** A store, and its own texts: those of another would be warm. */
  #filled(name) {
    const { make, before = '', setpx, set } = STORES[name];
    const { keys, ttl, configuration, collections } = this.#scenario;
    const { configure, evicts } = CONFIGURATIONS[configuration];
    const store = make(this.#modules, { max: evicts ? keys : 2 * keys + NEW_KEYS_MAX, configuration });
    const put = new Function('store', `${before}; return (key, value) => { ${ttl ? setpx : set}; };`)(store);
    const names = makeKeys(keys);
    this.#makeValues(keys).forEach((value, index) => put(names[index], value));
    const texts = { names, ...this.#joinedTexts() };
    if (collections) Object.assign(texts, this.#collectionsOf(store, name));
    if (STORES[name].configured) configure?.(store);
    return { store, texts: { ...texts, ...batchesOf({ ...this.#texts, ...texts }) } };
  }

  /** Concatenated keys and values that are kept. */
  #joinedTexts() {
    const { joined, keys, bytes } = this.#scenario;
    if (!joined) return {};
    const texts = { joined: makeJoinedKeys(keys), joinedValues: makeJoinedValues(VALUES, bytes) };
    ageTexts();
    return texts;
  }

  #collectionsOf(store, name) {
    const names = makeCollectionNames();
    fillCollections(store, STORES[name], { ...this.#texts, ...names });
    return names;
  }

  /** Prepares a sample, unmeasured. */
  ready({ operation, state }, name, count) {
    const start = Math.floor(this.#random() * this.#texts.order.length);
    const fresh = state === 'fresh' ? makeFresh(this.#texts.order, start, count) : [];
    const loops = this.#loopsOf(operation, state, name);
    const { store, texts } = this.#stores.get(name);
    const all = { ...this.#texts, ...texts, fresh };
    loops.before?.(store, all, count, start);
    this.#next = () => loops.run(store, all, count, start);
  }

  /** Runs the sample. */
  run() {
    this.#sum = this.#next();
  }

  /** Checks the sum of the sample, and removes the keys it added. */
  finish({ operation, state }, name, count) {
    const { title, expected, bounded } = OPERATIONS[operation];
    const wanted = expected?.(this.#scenario, count);
    if (wanted !== undefined && this.#sum !== wanted) {
      throw new Error(`${title} ${state} with ${name}: ${this.#sum} where ${wanted} was expected`);
    }
    const { store, texts } = this.#stores.get(name);
    this.#loopsOf(operation, state, name).undo?.(store, { ...this.#texts, ...texts }, count, 0);
    if (bounded) this.#checkSize(store, name);
  }

  #checkSize(store, name) {
    const size = new Function('store', `return ${STORES[name].size};`)(store);
    if (size > GROWTH_MAX * this.#scenario.keys) throw new Error(`${name} holds ${size} keys: it does not evict`);
  }

  #loopsOf(operation, state, name) {
    const id = [operation, state, name].join();
    if (!this.#loops.has(id)) {
      const definition = STORES[name];
      const { before, undo } = OPERATIONS[operation];
      const { each } = definition.configured ? CONFIGURATIONS[this.#scenario.configuration] : {};
      const around = (part) => part && compileAround(part, definition);
      this.#loops.set(id, {
        run: compile(operation, definition, state, each),
        before: around(before),
        undo: around(undo),
      });
    }
    return this.#loops.get(id);
  }
}

/** Batches: keys, pairs, and the requests of pipelines. */
function batchesOf({ names, order, values, fields, hashes, queues }) {
  const batches = Array.from({ length: LISTS }, (_, index) =>
    [...distinct(order, index * BATCH)].map((at) => names[at]),
  );
  const requests = {
    GET: (key) => ['GET', key],
    SET: (key, index) => ['SET', key, values[index]],
    ...(hashes && {
      HSET: (_, index, list) => [
        'HSET',
        hashes[(list * BATCH + index) % hashes.length],
        fields[index % 10],
        values[index],
      ],
      LPUSH: (_, index, list) => ['LPUSH', queues[(list * BATCH + index) % queues.length], values[index]],
    }),
  };
  const chunksOf = (request) =>
    batches.map((keys, list) => pipeline(keys.map((key, index) => request(key, index, list))));
  return {
    batches,
    tables: batches.map((keys) => keys.map((key, index) => [key, values[index]])),
    chunks:
      hashes && Object.fromEntries(Object.entries(requests).map(([command, request]) => [command, chunksOf(request)])),
  };
}

/** A batch of different numbers, from a position in the order on. */
function distinct(order, from) {
  const found = new Set();
  for (let at = from; found.size < BATCH; at += 1) found.add(order[at % order.length]);
  return found;
}

/** Requests as RESP. */
const pipeline = (requests) => new TextEncoder().encode(requests.map((words) => requestOf(...words)).join(''));
