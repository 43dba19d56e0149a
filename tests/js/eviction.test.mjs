// maxmemory: the option, the refused commands, the evicted keys, and their events.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entry } from './support/package.mjs';

const { Keylatch, ManualClock, ReplyError } = await entry('index');
const { createServer } = await entry('server');

const memoryOf = (db) => Number(/used_memory:(\d+)/.exec(db.call('INFO', 'memory'))[1]);
const parameterOf = (db, name) => new Map(db.call('CONFIG', 'GET', name)).get(name);
const evictedOf = (db) => Number(/evicted_keys:(\d+)/.exec(db.call('INFO', 'stats'))[1]);

test('without room and without a policy, what would grow memory is refused', () => {
  const db = new Keylatch({ maxmemory: '10kb' });
  let kept = 0;
  assert.throws(
    () => {
      for (; kept < 1000; kept += 1) db.set(`key:${kept}`, 'x'.repeat(100));
    },
    (error) => error instanceof ReplyError && error.code === 'OOM',
  );
  assert.ok(kept > 50 && kept < 100, `${kept} keys of about 130 bytes`);
  assert.equal(db.get('key:0'), 'x'.repeat(100));
  assert.equal(db.del('key:0', 'key:1'), 2);
  assert.equal(db.set('key:0', 'again'), 'OK');
});

test('a cache evicts the least recently used key, with an event', () => {
  const db = new Keylatch({ maxmemory: 100_000, maxmemoryPolicy: 'allkeys-lru', seed: 5 });
  const evicted = new Set();
  db.on('evicted', ({ key }) => evicted.add(key));
  db.set('favourite', 'v');
  for (let index = 0; index < 5000; index += 1) {
    db.set(`key:${index}`, 'x'.repeat(100));
    assert.equal(db.get('favourite'), 'v');
  }
  assert.equal(evicted.size, evictedOf(db));
  assert.equal(evicted.size + db.dbsize(), 5001);
  assert.ok(memoryOf(db) <= 100_000 + 200);
  // The oldest keys were evicted, except for a few that sampling missed.
  const old = Array.from({ length: 4000 }, (_, index) => `key:${index}`).filter((key) => !evicted.has(key));
  assert.ok(old.length < 20, `${old.length} of the oldest 4000 are still there`);
});

test('the policy can be changed at run time, and what is too much then goes in slices', async () => {
  const clock = new ManualClock(0);
  const db = new Keylatch({ clock });
  const key = (index) => `key:${String(index).padStart(4, '0')}`;
  for (let index = 0; index < 2000; index += 1) db.set(key(index), 'x', { px: 10_000 + index });
  const gone = [];
  db.on('evicted', ({ key }) => gone.push(key));
  db.call('CONFIG', 'SET', 'maxmemory', Math.floor(memoryOf(db) / 2), 'maxmemory-policy', 'volatile-ttl');
  db.call('PING');
  assert.deepEqual(
    gone,
    Array.from({ length: 256 }, (_, index) => key(index)),
  );
  while (memoryOf(db) > Number(parameterOf(db, 'maxmemory'))) db.call('PING');
  assert.deepEqual(
    gone,
    Array.from({ length: gone.length }, (_, index) => key(index)),
  );
  assert.ok(gone.length >= 990 && gone.length <= 1010, `${gone.length} of 2000`);
});

test('a server takes the same options', async () => {
  const server = createServer({ port: 0, maxmemory: '1mb', maxmemoryPolicy: 'allkeys-lfu' });
  await server.listen();
  try {
    assert.equal(parameterOf(server.db, 'maxmemory'), '1048576');
    assert.equal(parameterOf(server.db, 'maxmemory-policy'), 'allkeys-lfu');
  } finally {
    await server.close();
  }
});
