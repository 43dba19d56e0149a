// Inspection of keys: pages of values outside commands and clients, without a trace.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entry } from './support/package.mjs';

const { Keylatch, ManualClock } = await entry('index');

const clock = new ManualClock(1_000);
const fresh = () => new Keylatch({ clock, seed: 1 });

test('each type has its page', () => {
  const db = fresh();
  db.set('text', 'abcdef', { px: 5000 });
  db.rpush('list', 'a', 'b', 'c');
  db.sadd('set', 'x', 'y');
  db.zadd('zset', { low: 1.5, high: 2 });
  db.hset('hash', { f: 1, g: 2 });
  db.hpexpire('hash', 5000, 'g');
  const text = db.inspectKey('text', { from: 1, count: 3 });
  assert.deepEqual(
    { ...text, memoryBytes: 0 },
    {
      type: 'string',
      encoding: 'embstr',
      size: 6,
      memoryBytes: 0,
      deadlineMs: 6000,
      fieldDeadlineMs: null,
      value: 'bcd',
    },
  );
  assert.equal(text.memoryBytes, db.memoryUsage('text'));
  assert.deepEqual(db.inspectKey('list', { from: 1 }).elements, ['b', 'c']);
  assert.deepEqual(new Set(db.inspectKey('set').members), new Set(['x', 'y']));
  assert.deepEqual(db.inspectKey('zset').members, [
    ['low', 1.5],
    ['high', 2],
  ]);
  assert.deepEqual(db.inspectKey('hash').fields, [
    { field: 'f', value: '1', deadlineMs: null },
    { field: 'g', value: '2', deadlineMs: 6000 },
  ]);
  assert.equal(db.inspectKey('hash').fieldDeadlineMs, 6000);
  assert.equal(db.inspectKey('none'), null);
  assert.equal(db.inspectKey('list', { db: 1 }), null);
  assert.deepEqual(db.inspectKey('list', { buffer: true, count: 1 }).elements, [new TextEncoder().encode('a')]);
});

test('pages put together are the whole value', () => {
  const db = fresh();
  const names = Array.from({ length: 1000 }, (_, number) => `n${number}`);
  db.rpush('list', ...names);
  db.sadd('set', ...names);
  db.hset('hash', Object.fromEntries(names.map((name) => [name, name])));
  db.zadd('zset', Object.fromEntries(names.map((name, score) => [name, score])));
  const pages = (key, part) => {
    const all = [];
    for (let from = 0; ; from += 7) {
      const page = db.inspectKey(key, { from, count: 7 })[part];
      all.push(...page);
      if (page.length < 7) return all;
    }
  };
  assert.deepEqual(pages('list', 'elements'), names);
  assert.deepEqual(new Set(pages('set', 'members')), new Set(names));
  assert.equal(pages('hash', 'fields').length, 1000);
  assert.deepEqual(
    pages('zset', 'members').map(([member]) => member),
    names,
  );
});

test('nothing is left behind: no hit, no use, no expiry, nothing in MONITOR', () => {
  const db = new Keylatch({ clock, seed: 1, maxmemory: '10mb', maxmemoryPolicy: 'allkeys-lru' });
  const monitor = db.client();
  db.set('k', 'v', { px: 10 });
  db.set('old', 1);
  clock.advance(60_000);
  const before = db.info('stats');
  monitor.callRaw('MONITOR');
  db.inspectKey('k');
  db.inspectKey('old');
  assert.equal(monitor.takeOutbox().length, 0);
  monitor.close();
  const hits = (info) => /keyspace_hits:(\d+)\r\nkeyspace_misses:(\d+)/.exec(info).slice(1);
  assert.deepEqual(hits(db.info('stats')), hits(before));
  assert.equal(db.call('OBJECT', 'IDLETIME', 'old'), 60);
});

test('arguments are checked', () => {
  const db = fresh();
  for (const options of [{ from: -1 }, { count: 1.5 }, { db: 16 }, { from: 2 ** 31 }])
    assert.throws(() => db.inspectKey('k', options), TypeError);
});
