/**
 * Bytes per key of sixteen bytes with a value of thirty-two, each store in a process of its own: as counted by the
 * engine, of WebAssembly memory, of the JavaScript heap, and of the process.
 */
import { spawnSync } from 'node:child_process';
import { LRUCache } from 'lru-cache';
import { entry } from '../../tests/js/support/package.mjs';
import { answer, isWanted, quick, say } from './options.mjs';
import { short } from './shared/scenarios.mjs';
import { STORES } from './shared/stores.mjs';
import { makeKeys, makeValues } from './shared/texts.mjs';

const KEYS = 1_000_000;
const MEASURED_KEYS = quick ? 20_000 : KEYS;
const PIECE = 10_000;

/** Memories of all WebAssembly instances created from now on. */
function watchInstances() {
  const memories = [];
  WebAssembly.Instance = class extends WebAssembly.Instance {
    constructor(...options) {
      super(...options);
      memories.push(this.exports.memory);
    }
  };
  return () => memories.reduce((sum, memory) => sum + memory.buffer.byteLength, 0);
}

/** Fills one store and returns the growth of each measure in bytes per key. */
async function measure(name, ttl) {
  const linear = watchInstances();
  const { Keylatch } = await entry('index');
  const before = await heapAfterCollection(linear);
  const { make, set, setpx } = STORES[name];
  const store = make({ Keylatch, LRUCache }, { max: MEASURED_KEYS });
  const put = new Function('store', `return (key, value) => { ${ttl ? setpx : set}; };`)(store);
  for (let from = 0; from < MEASURED_KEYS; from += PIECE) fillPiece(put, from);
  const after = await heapAfterCollection(linear);
  const counted = name === 'keylatch' ? Number(/used_memory:(\d+)/.exec(store.call('INFO', 'memory'))[1]) : 0;
  const each = (kind) => (after[kind] - before[kind]) / MEASURED_KEYS;
  return { counted: counted / MEASURED_KEYS, linear: each('linear'), heap: each('heap'), process: each('process') };
}

/** Memory after garbage collection; typed arrays are outside of the JavaScript heap and count with it. */
async function heapAfterCollection(linear) {
  globalThis.gc();
  // Memory outside of the heap is accounted only some time after a collection.
  await new Promise((resolve) => setTimeout(resolve, 10));
  const { heapUsed, arrayBuffers, rss } = process.memoryUsage();
  return { linear: linear(), heap: heapUsed + arrayBuffers, process: rss };
}

/** The lists are garbage afterwards; the store's memory is not. */
function fillPiece(put, from) {
  const values = makeValues(PIECE, 32, from);
  makeKeys(PIECE, from).forEach((key, index) => put(key, values[index]));
}

function measureApart(name, ttl) {
  const child = spawnSync(process.execPath, ['--expose-gc', import.meta.filename, name, ttl ? 'ttl' : ''], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (child.status !== 0) throw new Error(`measuring ${name} failed`);
  return JSON.parse(child.stdout);
}

/** A row with keylatch's figure of one measure and the peers' of another. */
function answerRow(row, all, ours, theirs) {
  const { keylatch, ...peers } = all;
  const own = keylatch[ours];
  const figures = Object.fromEntries(Object.entries(peers).map(([name, kinds]) => [name, kinds[theirs]]));
  const ratios = Object.fromEntries(Object.entries(figures).map(([name, bytes]) => [name, own / bytes]));
  answer({
    table: 'Bytes a key',
    row: `${row} ${short(KEYS)}`,
    unit: 'B',
    figures: { keylatch: own, ...figures },
    ratios,
  });
}

function answerAll() {
  const measured = (names, ttl) => Object.fromEntries(names.map((name) => [name, measureApart(name, ttl)]));
  const plain = measured(['keylatch', 'Map', 'Map + deadline', 'lru-cache'], false);
  const timed = measured(['keylatch', 'Map + deadline', 'lru-cache'], true);
  for (const [traits, all] of [
    ['', plain],
    [' TTL', timed],
  ]) {
    answerRow(`bytes counted${traits}`, all, 'counted', 'heap');
    answerRow(`bytes of linear memory${traits}`, all, 'linear', 'heap');
    answerRow(`bytes of the process${traits}`, all, 'process', 'process');
  }
  const added = (kind) => timed.keylatch[kind] - plain.keylatch[kind];
  answerRow('bytes for a TTL counted', { keylatch: { counted: added('counted') } }, 'counted');
  answerRow('bytes for a TTL of linear memory', { keylatch: { linear: added('linear') } }, 'linear');
}

const [name, ttl] = process.argv.slice(2);
if (name !== undefined) {
  process.stdout.write(JSON.stringify(await measure(name, ttl === 'ttl')));
} else if (isWanted('bytes')) {
  say('Memory');
  answerAll();
}
