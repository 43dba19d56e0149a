/**
 * The compared stores, and the source code of each for an operation: every loop over a store is compiled from its own
 * text, so that no store pays for types that another one has shown to a shared call site. Runs in Node and in the page.
 *
 * In the texts, `store` is the store, `key`, `value` and `field` are strings, `score` is a number, `keys` and `pairs`
 * are lists of a hundred. A missing operation is not supported by the store. `make` gets the modules, and as options
 * the largest number of keys and the name of a configuration (see configurations.mjs), which keylatch alone uses.
 */
import { CONFIGURATIONS } from './configurations.mjs';

/** A lifetime in milliseconds longer than any measurement. */
export const TTL_MS = 3_600_000;
const LEASE_MS = 30_000;
const TOKEN = "'token-4f1d09ac77'";

const loops = {
  mget: 'keys.map((key) => store.get(key))',
  mset: 'pairs.forEach(([key, value]) => store.set(key, value))',
};

const map = {
  make: () => new Map(),
  before: `
    const part = (key, make) => {
      const found = store.get(key);
      if (found !== undefined) return found;
      const made = make();
      store.set(key, made);
      return made;
    };`,
  get: 'store.get(key)',
  set: 'store.set(key, value)',
  exists: 'Number(store.has(key))',
  incr: 'store.set(key, String(Number(store.get(key)) + 1))',
  del: 'store.delete(key)',
  hget: 'store.get(key).get(field)',
  hset: '(part(key, () => new Map()).set(field, value), 0)',
  sadd: '(part(key, () => new Set()).add(field), 1)',
  lpush: 'part(key, () => []).unshift(value)',
  rpop: 'store.get(key).pop()',
  ...loops,
};

const mapWithDeadlines = {
  make: () => new Map(),
  before: `
    const alive = (key) => {
      const entry = store.get(key);
      return entry !== undefined && Date.now() <= entry.deadlineMs ? entry : undefined;
    };`,
  get: 'alive(key)?.value',
  set: 'store.set(key, { value, deadlineMs: Infinity })',
  setpx: `store.set(key, { value, deadlineMs: Date.now() + ${TTL_MS} })`,
  setnxpx: `(alive(key) ? 0 : (store.set(key, { value, deadlineMs: Date.now() + ${TTL_MS} }), 1))`,
  exists: '(alive(key) ? 1 : 0)',
  expire: `(alive(key) ? (store.get(key).deadlineMs = Date.now() + ${TTL_MS}, 1) : 0)`,
  del: 'store.delete(key)',
  lock: `(alive(key) ? 0 : (store.set(key, { value: ${TOKEN}, deadlineMs: Date.now() + ${LEASE_MS} }), 1)) +
    (alive(key)?.value === ${TOKEN} ? Number(store.delete(key)) : 0)`,
};

const keylatch = {
  make: ({ Keylatch }, { configuration = 'bare' }) => new Keylatch(CONFIGURATIONS[configuration].options),
  /** True when the rest of the scenario's configuration applies to it, too. */
  configured: true,
  get: 'store.get(key)',
  set: 'store.set(key, value)',
  setpx: `store.set(key, value, { px: ${TTL_MS} })`,
  setnxpx: `store.set(key, value, { nx: true, px: ${TTL_MS} })`,
  exists: 'store.exists(key)',
  expire: `store.expire(key, ${TTL_MS / 1000})`,
  incr: 'store.incr(key)',
  hget: 'store.hget(key, field)',
  hset: "store.call('HSET', key, field, value)",
  sadd: 'store.sadd(key, field)',
  lpush: 'store.lpush(key, value)',
  rpop: 'store.rpop(key)',
  zadd: "store.call('ZADD', key, score, field)",
  mget: 'store.mget(...keys)',
  mset: 'store.mset(pairs)',
  del: 'store.del(key)',
  size: 'store.dbsize()',
  lock: `(store.set(key, ${TOKEN}, { nx: true, px: ${LEASE_MS} }) === 'OK' ? 1 : 0) + store.delex(key, { ifeq: ${TOKEN} })`,
  latch: `(store.call('LATCH.ACQUIRE', key, ${TOKEN}, 'TTL', ${LEASE_MS}) === null ? 0 : 1) + store.call('LATCH.RELEASE', key, ${TOKEN})`,
  resp: 'store.feed(chunk).output',
};

/** The package without a configuration, in any scenario. */
const bare = { ...keylatch, make: ({ Keylatch }) => new Keylatch(), configured: false };

/** The package of an earlier commit: see xtask/src/bench/landed.rs. */
const landed = {
  ...keylatch,
  latch: undefined,
  make: ({ Landed }, options) => keylatch.make({ Keylatch: Landed }, options),
};

const lruCache = {
  make: ({ LRUCache }, { max }) => new LRUCache({ max, ttl: TTL_MS }),
  get: 'store.get(key)',
  set: 'store.set(key, value)',
  setpx: 'store.set(key, value)',
  setnxpx: '(store.has(key) ? 0 : (store.set(key, value), 1))',
  exists: 'Number(store.has(key))',
  incr: 'store.set(key, String(Number(store.get(key)) + 1))',
  del: 'store.delete(key)',
  size: 'store.size',
  lock: `(store.has(key) ? 0 : (store.set(key, ${TOKEN}, { ttl: ${LEASE_MS} }), 1)) +
    (store.get(key) === ${TOKEN} ? Number(store.delete(key)) : 0)`,
  ...loops,
};

const nodeCache = {
  make: ({ NodeCache }) => new NodeCache({ checkperiod: 0 }),
  get: 'store.get(key)',
  set: 'store.set(key, value)',
  setpx: `store.set(key, value, ${TTL_MS / 1000})`,
  setnxpx: `(store.has(key) ? 0 : (store.set(key, value, ${TTL_MS / 1000}), 1))`,
  incr: 'store.set(key, String(Number(store.get(key)) + 1))',
  mget: 'Object.values(store.mget(keys))',
  mset: 'store.mset(pairs.map(([key, val]) => ({ key, val })))',
  del: 'store.del(key)',
};

const kvjs = {
  make: ({ KvJs }) => new KvJs(),
  get: 'store.get(key)',
  set: 'store.set(key, value)',
  setpx: `store.set(key, value, { PX: ${TTL_MS} })`,
  setnxpx: `(store.set(key, value, { NX: true, PX: ${TTL_MS} }) ? 1 : 0)`,
  incr: 'store.incr(key)',
  mget: 'store.mget(...keys)',
  mset: 'store.mset(...pairs.flat())',
  del: 'store.del(key)',
  lock: `(store.set(key, ${TOKEN}, { NX: true, PX: ${LEASE_MS} }) ? 1 : 0) + (store.get(key) === ${TOKEN} ? store.del(key) : 0)`,
};

const jsParser = {
  make: ({ RespMap }) => new RespMap(),
  set: 'store.map.set(key, value)',
  resp: 'store.feed(chunk)',
};

/** The stores by their names in tables. */
export const STORES = {
  keylatch,
  bare,
  landed,
  Map: map,
  'Map + deadline': mapWithDeadlines,
  'lru-cache': lruCache,
  'node-cache': nodeCache,
  'kv.js': kvjs,
  'JS parser + Map': jsParser,
};
