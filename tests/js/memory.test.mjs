// Growth of the engine's memory.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { entry } from './support/package.mjs';

const { Keylatch } = await entry('index');

/** Memory of the next engine that is created. */
function memoryOfNext() {
  let memory;
  const { Instance } = WebAssembly;
  WebAssembly.Instance = class extends Instance {
    constructor(...options) {
      super(...options);
      memory = this.exports.memory;
      WebAssembly.Instance = Instance;
    }
  };
  return () => memory.buffer.byteLength;
}

/** Runs a function `times` times; returns the sizes to which memory grew meanwhile. */
function growths(size, times, run) {
  const sizes = [];
  for (let index = 0, before = size(); index < times; index += 1) {
    run(index);
    if (size() !== before) sizes.push((before = size()));
  }
  return sizes;
}

test('memory grows in few steps for every user of it, and not much beyond the need', () => {
  const size = memoryOfNext();
  const db = new Keylatch();
  db.set('first', 'v');
  const sizes = growths(size, 100_000, (index) => db.set(`key:${index}`, 'x'.repeat(40), { px: 100_000 + index }));
  assert.ok(sizes.length < 40, `${sizes.length} times`);
  const used = Number(/used_memory:(\d+)/.exec(db.call('INFO', 'memory'))[1]);
  assert.ok(sizes.at(-1) < used * 1.35 + 1024 * 1024, `${sizes.at(-1)} for ${used}`);
});

test('what is taken and given back over and over lets memory grow no further', () => {
  const size = memoryOfNext();
  const db = new Keylatch();
  db.set('long', 'x'.repeat(300_000));
  const once = () => {
    db.call('GETRANGE', 'long', 0, -1);
    db.call('RPUSH', 'list', ...Array.from({ length: 100 }, () => 'element'));
    db.del('list');
  };
  growths(size, 10, once);
  // Where free memory lies depends on random seeds, so that one more step may follow; a leak of a kilobyte makes many.
  const more = growths(size, 1000, once);
  assert.ok(more.length <= 1, more.join(' '));
});

test('refused commands leave nothing of their arguments', () => {
  const size = memoryOfNext();
  const db = new Keylatch();
  const key = 'k'.repeat(2 ** 20);
  for (let count = 0; count < 100; count += 1) assert.throws(() => db.set(key, undefined), TypeError);
  assert.ok(size() < 8 * 2 ** 20, String(size()));
});

test('a long value takes its input and itself, and nothing more', () => {
  const [length, beside] = [16 * 2 ** 20, 2 * 2 ** 20];
  const value = new Uint8Array(length).fill(118);
  for (const store of [
    (db) => db.set('key', value),
    (db) => db.set('key', value, { ex: 100 }),
    (db) =>
      db.mset([
        ['key', value.subarray(0, length / 2)],
        ['other', value.subarray(length / 2)],
      ]),
    (db) => db.append('key', value),
    (db) => db.rpush('key', value),
  ]) {
    const size = memoryOfNext();
    const db = new Keylatch();
    store(db);
    assert.ok(size() < 2 * length + beside, `${store}: ${size()}`);
  }
});

/** Returns a function for the growth of the heap since now, without garbage. */
function heapGrowth() {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  const used = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = used();
  return () => used() - before;
}

test('a key that is cut out of a long text does not keep that text in memory', () => {
  const db = new Keylatch();
  const growth = heapGrowth();
  for (let number = 0; number < 64; number += 1) {
    const long = `session:${String(number).padStart(12, '0')}`.padEnd(1_000_000, '.');
    const key = long.slice(0, 20);
    for (let turn = 0; turn < 3; turn += 1) {
      db.set(key, key);
      assert.equal(db.get(key), key);
    }
  }
  assert.ok(growth() < 10_000_000, `${growth()} bytes`);
});

test('nor does a value that is, beyond the next one', () => {
  const db = new Keylatch();
  const growth = heapGrowth();
  for (let number = 0; number < 64; number += 1) {
    const value = `token:${String(number).padStart(40, '0')}`.padEnd(1_000_000, '.').slice(0, 46);
    assert.equal(db.set('lock', value, { nx: true, px: 30_000 }), 'OK');
    assert.equal(db.delex('lock', { ifeq: value }), 1);
    for (let turn = 0; turn < 65; turn += 1) db.set(`flag ${turn}`, value);
  }
  assert.ok(growth() < 10_000_000, `${growth()} bytes`);
});
