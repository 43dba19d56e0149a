/**
 * Holds the stores of one scene, filled, and runs one sample of one operation at a time. Takes no time itself: whoever calls
 * it does, from inside the process or from outside. Runs in Node and in the page.
 */
import { BATCH, OPERATIONS, compile, compileUndo } from './operations.mjs';
import { requestOf } from './resp.mjs';
import { STORES } from './stores.mjs';
import { dice, makeFresh, makeKeys, makeLocks, makeOrder, makeSuffixes, makeValues } from './texts.mjs';

/** Keys made anew for each sample, and keys that a sample adds, at most. */
export const NEW_KEYS_MAX = 50_000;
const VALUES = 1024;
const LISTS = 64;
const LOCKS = 1024;

export class Workbench {
  #modules;
  #scene;
  #texts;
  #stores = new Map();
  #loops = new Map();
  #random = dice(7);
  /** The sample that is ready, and what the last one summed up. */
  #next;
  #sum;

  /** `modules` holds the classes that stores are made of. */
  constructor(modules) {
    this.#modules = modules;
  }

  /** Makes and fills the stores of a scene. */
  prepare(scene) {
    this.#scene = scene;
    const order = makeOrder(scene.keys, this.#random);
    this.#texts = {
      order,
      values: makeValues(VALUES, scene.bytes),
      suffixes: makeSuffixes(order),
      spares: makeSuffixes(Uint32Array.from({ length: NEW_KEYS_MAX }, (_, index) => index)),
      locks: makeLocks(LOCKS),
    };
    for (const name of scene.stores) this.#stores.set(name, this.#filled(name));
  }

  /** A store, and the texts it holds: each gets its own, for those of another would be warm. */
  #filled(name) {
    const { make, before = '', setpx, set } = STORES[name];
    const { keys, bytes, ttl } = this.#scene;
    const store = make(this.#modules, 2 * keys + NEW_KEYS_MAX);
    const put = new Function('store', `${before}; return (key, value) => { ${ttl ? setpx : set}; };`)(store);
    const names = makeKeys(keys);
    makeValues(keys, bytes).forEach((value, index) => put(names[index], value));
    const counters = this.#scene.counters ? new Set(this.#texts.suffixes) : [];
    for (const suffix of counters) put(`hits:${suffix}`, '1');
    return { store, texts: { names, ...batchesOf(names, this.#texts) } };
  }

  /** What a sample needs and should not be measured. */
  ready({ operation, state }, name, count) {
    const start = Math.floor(this.#random() * this.#texts.order.length);
    const fresh = state === 'fresh' ? makeFresh(this.#texts.order, start, count) : [];
    const loop = this.#loop(operation, state, name);
    const { store, texts } = this.#stores.get(name);
    const all = { ...this.#texts, ...texts, fresh };
    this.#next = () => loop(store, all, count, start);
  }

  /** The sample itself. */
  run() {
    this.#sum = this.#next();
  }

  /** Checks that the sample did what it was to do, and takes back what it added. */
  finish({ operation, state }, name, count) {
    const { expected, undo } = OPERATIONS[operation];
    const wanted = expected && count * expected(this.#expectations());
    if (wanted !== undefined && this.#sum !== wanted) {
      throw new Error(`${OPERATIONS[operation].title} ${state} with ${name}: ${this.#sum} where ${wanted} was expected`);
    }
    const { store, texts } = this.#stores.get(name);
    if (undo) this.#loop(`${operation}/undo`, state, name)(store, { ...this.#texts, ...texts }, count, 0);
  }

  #expectations() {
    const { bytes } = this.#scene;
    const get = `$${bytes}\r\n`.length + bytes + 2;
    return { bytes, replyBytes: (BATCH / 2) * (get + '+OK\r\n'.length) };
  }

  #loop(operation, state, name) {
    const id = [operation, state, name].join();
    if (!this.#loops.has(id)) {
      const [done, undone] = operation.split('/');
      this.#loops.set(id, undone ? compileUndo(done, STORES[name]) : compile(done, STORES[name], state));
    }
    return this.#loops.get(id);
  }
}

/** What is sent at once: keys, pairs, and the requests of a pipeline. */
function batchesOf(names, { order, values }) {
  const lists = Array.from({ length: LISTS }, (_, index) => [...distinct(order, index * BATCH)].map((at) => names[at]));
  return {
    lists,
    tables: lists.map((keys) => keys.map((key, index) => [key, values[index]])),
    chunks: lists.map((keys) => pipeline(keys, values)),
  };
}

/** A batch of numbers from a place in the order on, none of them twice. */
function distinct(order, from) {
  const found = new Set();
  for (let at = from; found.size < BATCH; at += 1) found.add(order[at % order.length]);
  return found;
}

/** Half SET, half GET, in turns, as the bytes a client would send. */
function pipeline(keys, values) {
  const requests = keys.map((key, index) => (index % 2 === 0 ? requestOf('SET', key, values[index]) : requestOf('GET', key)));
  return new TextEncoder().encode(requests.join(''));
}
