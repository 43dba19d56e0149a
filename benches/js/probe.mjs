/**
 * A short measurement during development: `node benches/js/probe.mjs PACKAGE_DIR...` prints processor time per call of
 * one or more built packages in each configuration, with a Map and lru-cache. The packages take turns in one process;
 * every configuration has a process of its own. For published ratios, run `cargo xtask bench`.
 */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { LRUCache } from 'lru-cache';
import { CONFIGURATIONS, EVERY_CONFIGURATION } from './shared/configurations.mjs';
import { median, takeRounds } from './shared/rounds.mjs';
import { makeKeys, makeValues } from './shared/texts.mjs';
import { processorNs } from './support/time.mjs';

const KEYS = 100_000;
const FEW = 1000;
const VALUE_BYTES = 80;
/** A prime, so that every collection is combined with every field. */
const COLLECTIONS = 1009;
const FIELDS = 100;
const TTL_MS = 3_600_000;
const EFFORT = { sampleMs: 2.5, warmSamples: 24, rounds: 7 };
/** Number of turns of a row with growing or shrinking collections. */
const CHANGES_MAX = 20_000;
const PEERS = { Map: () => new Map(), 'lru-cache': () => new LRUCache({ max: 2 * KEYS, ttl: TTL_MS }) };

/** Rows of each configuration; `at(length)` is the next index below `length`, in order. */
const STRINGS = {
  'GET same 1e3': { body: 'sum += store.get(few[at(FEW)]).length' },
  'GET 1e5': { body: 'sum += store.get(keys[at(KEYS)]).length' },
  'SET 1e5': { body: 'store.set(keys[at(KEYS)], values[i & 1023])' },
};

/**
 * `before` adds, unmeasured, the elements that a turn takes; `after` removes those that a sample added, for each
 * collection.
 */
const COMMANDS = {
  PING: { body: 'store.ping()' },
  EXISTS: { body: 'sum += store.exists(few[at(FEW)])' },
  EXPIRE: { body: 'sum += store.expire(few[at(FEW)], 3600)' },
  INCR: { body: 'sum += store.incr(counters[at(COLLECTIONS)])' },
  HGET: { body: 'sum += store.hget(hashes[at(COLLECTIONS)], fields[i % 10]).length' },
  'HSET, 10 fields': { body: 'store.call("HSET", hashes[at(COLLECTIONS)], fields[i % 10], values[i & 1023])' },
  'HSET, 100 fields': { body: 'store.call("HSET", wide[at(COLLECTIONS)], fields[i % FIELDS], values[i & 1023])' },
  SADD: {
    body: 'sum += store.sadd(sets[at(COLLECTIONS)], fields[i % FIELDS])',
    after: 'store.del(sets[at(COLLECTIONS)])',
  },
  LPUSH: {
    body: 'sum += store.lpush(lists[at(COLLECTIONS)], values[i & 1023])',
    after: 'store.del(lists[at(COLLECTIONS)])',
  },
  RPOP: {
    before: 'store.lpush(lists[at(COLLECTIONS)], values[i & 1023])',
    body: 'sum += store.rpop(lists[at(COLLECTIONS)]).length',
  },
  'ZADD, 10 members': { body: 'store.call("ZADD", ranks[at(COLLECTIONS)], i & 1023, fields[i % 10])' },
  'ZADD, 100 members': { body: 'store.call("ZADD", wideRanks[at(COLLECTIONS)], i & 1023, fields[i % FIELDS])' },
};

/** The texts that all stores share. */
function makeTexts() {
  const named = (prefix, count) =>
    JSON.parse(JSON.stringify(Array.from({ length: count }, (_, index) => `${prefix}:${index}`)));
  const keys = makeKeys(KEYS);
  return {
    keys,
    few: keys.slice(0, FEW),
    values: makeValues(1024, VALUE_BYTES),
    fields: named('field', FIELDS),
    ...Object.fromEntries(
      ['counters', 'hashes', 'wide', 'sets', 'lists', 'ranks', 'wideRanks'].map((name) => [
        name,
        named(name, COLLECTIONS),
      ]),
    ),
  };
}

/** Compiles a loop of `count` turns over a store; each turn runs `statement`, then `each`. */
function compile(texts, statement, each = '') {
  return new Function(
    'texts',
    'store',
    'count',
    `
    const { ${Object.keys(texts)} } = texts;
    const [KEYS, FEW, COLLECTIONS, FIELDS] = [${KEYS}, ${FEW}, ${COLLECTIONS}, ${FIELDS}];
    let [sum, turn] = [0, 0];
    const at = (length) => (turn = turn + 1 < length ? turn + 1 : 0);
    for (let i = 0; i < count; i += 1) { ${statement}; ${each} }
    return sum;`,
  );
}

const fillStrings = (store, { keys, values }) => keys.forEach((key, index) => store.set(key, values[index & 1023]));

function fillCollections(store, { hashes, wide, ranks, wideRanks, fields, values, counters }) {
  const pairs = (count) => fields.slice(0, count).flatMap((field, index) => [field, values[index]]);
  const scores = (count) => fields.slice(0, count).flatMap((field, index) => [index, field]);
  for (let index = 0; index < COLLECTIONS; index += 1) {
    store.call('HSET', hashes[index], ...pairs(10));
    store.call('HSET', wide[index], ...pairs(100));
    store.call('ZADD', ranks[index], ...scores(10));
    store.call('ZADD', wideRanks[index], ...scores(100));
    store.set(counters[index], '1');
  }
}

/** Medians by row and store: `{ row: { store: ns } }`. */
async function measure(stores, rows, texts, each) {
  const figures = {};
  for (const [row, { before, body, after }] of Object.entries(rows)) {
    const loops = new Map([...stores.keys()].map((name) => [name, compile(texts, body, each)]));
    const [prepare, restore] = [before, after].map((text) => text && compile(texts, text));
    const sample = async (name, count) => {
      const store = stores.get(name);
      prepare?.(texts, store, count);
      const ns = await processorNs(() => loops.get(name)(texts, store, count));
      restore?.(texts, store, COLLECTIONS);
      return ns;
    };
    const countMax = before || after ? CHANGES_MAX : Infinity;
    const times = await takeRounds({ ...EFFORT, names: [...stores.keys()], countMax, sample });
    figures[row] = Object.fromEntries([...times].map(([name, ns]) => [name, median(ns)]));
  }
  return figures;
}

/** One process: the rows of strings in a configuration, and those of commands where it is bare. */
async function measureConfiguration(name, folders) {
  const { options, configure, each } = CONFIGURATIONS[name];
  const stores = new Map();
  for (const folder of folders) {
    const { Keylatch } = await import(pathToFileURL(resolve(folder, 'esm/index.js')).href);
    stores.set(folder, new Keylatch(options));
  }
  const texts = makeTexts();
  for (const store of stores.values()) fillStrings(store, texts);
  for (const store of stores.values()) configure?.(store);
  const figures = await measure(stores, STRINGS, texts, each);
  if (name !== 'bare') return figures;
  for (const store of stores.values()) fillCollections(store, texts);
  return { ...figures, ...(await measure(stores, COMMANDS, texts)) };
}

async function measurePeers() {
  const stores = new Map(Object.entries(PEERS).map(([name, make]) => [name, make()]));
  const texts = makeTexts();
  for (const store of stores.values()) fillStrings(store, texts);
  return measure(stores, STRINGS, texts);
}

function measureApart(...words) {
  const { status, stdout } = spawnSync(process.execPath, [import.meta.filename, ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) process.exit(1);
  return JSON.parse(stdout);
}

function printRow(name, figures, width) {
  const cells = figures.map((figure) =>
    (typeof figure === 'number' ? figure.toFixed(0) : figure).padStart(Math.max(11, figure.length + 2 || 0)),
  );
  process.stdout.write(`${name.padEnd(width)}${cells.join('')}\n`);
}

function printAll(folders) {
  const width = Math.max(20, ...folders.map((folder) => folder.length + 17));
  const peers = measureApart('--peers');
  const all = Object.fromEntries(
    EVERY_CONFIGURATION.map((name) => [name, measureApart('--configuration', name, ...folders)]),
  );
  printRow('ns per call', EVERY_CONFIGURATION, width);
  for (const row of Object.keys(STRINGS)) {
    for (const folder of folders)
      printRow(
        `${row}  ${folder}`,
        Object.values(all).map((figures) => figures[row][folder]),
        width,
      );
    for (const name of Object.keys(PEERS)) printRow(`${row}  ${name}`, [peers[row][name]], width);
  }
  printRow('\nns per call, bare', folders, width);
  for (const row of Object.keys(COMMANDS))
    printRow(
      row,
      folders.map((folder) => all.bare[row][folder]),
      width,
    );
}

const [first, ...rest] = process.argv.slice(2);
if (first === '--peers') process.stdout.write(JSON.stringify(await measurePeers()));
else if (first === '--configuration')
  process.stdout.write(JSON.stringify(await measureConfiguration(rest[0], rest.slice(1))));
else if (first === undefined) process.stderr.write('usage: node benches/js/probe.mjs PACKAGE_DIR...\n');
else printAll([first, ...rest]);
