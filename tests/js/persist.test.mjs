// The log over a store: what is flushed when, what is restored, and what happens when the store fails.
import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { entry } from './support/package.mjs';
import { until } from './support/until.mjs';

const { ManualClock } = await entry('index');
const { open, memoryStore, PersistenceError, isDue, COMPACT_BYTES_MIN } = await entry('persist');

/** A store in memory that counts and can fail. */
function watched() {
  const inner = memoryStore();
  const calls = [];
  let failure;
  const attempt = (name, work) => {
    if (failure !== undefined) throw failure;
    calls.push(name);
    return work();
  };
  return {
    title: 'watched store',
    calls,
    fail: (error) => {
      failure = error;
    },
    open: () => inner.open(),
    append: (piece, nowMs) => attempt('append', () => inner.append(piece, nowMs)),
    sync: () => attempt('sync', () => {}),
    replace: async (...state) => attempt('replace', () => inner.replace(...state)),
    close: () => inner.close(),
  };
}

test('what was flushed is there again, keys of every type and all databases', async () => {
  const store = memoryStore();
  const db = await open({ store });
  assert.deepEqual(db.persistence.restored, { restoredKeys: 0, repairedBytes: 0, ageMs: null });
  db.set('s', 'v', { px: 60_000 });
  db.rpush('l', 'a', 'b');
  db.sadd('t', 'x');
  db.zadd('z', 1, 'm');
  db.hset('h', { f: 1 });
  db.client({ db: 3 }).set('elsewhere', 1);
  await db.flush();
  assert.equal(db.persistence.pendingBytes, 0);
  assert.ok(db.persistence.logBytes > 0);
  const digest = db.digestAll();
  await db.close();
  const again = await open({ store });
  assert.equal(again.digestAll(), digest);
  assert.equal(again.persistence.restored.restoredKeys, 6);
  assert.ok(again.persistence.restored.ageMs < 60_000);
  await again.close();
});

test('effects are appended after 10 ms by themselves, many at once immediately, and close appends the rest', async () => {
  const store = watched();
  const db = await open({ store });
  db.set('a', 1);
  assert.deepEqual(store.calls, []);
  await until(() => store.calls.length > 0, 'an append');
  assert.deepEqual(store.calls, ['append']);
  const value = 'x'.repeat(1000);
  for (let index = 0; index < 100; index += 1) db.set(`k${index}`, value);
  assert.deepEqual(store.calls, ['append', 'append'], '64 KB are pending before the turn ends');
  const closed = db.close();
  assert.throws(() => db.get('a'), /closed/);
  await closed;
  assert.deepEqual(store.calls.slice(2), ['append', 'sync']);
  const again = await open({ store });
  assert.equal(again.dbsize(), 101);
  await again.close();
});

test('faked timers of a test framework do not hold back the log', async () => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 5 });
  try {
    const store = watched();
    const db = await open({ store });
    db.set('a', 1);
    await new Promise((resolve) => setImmediate(resolve));
    mock.timers.reset();
    await until(() => store.calls.length > 0, 'an append');
    await db.close();
  } finally {
    mock.timers.reset();
  }
});

test('a long log is replaced by a snapshot, with the changes made meanwhile behind it', async () => {
  assert.ok(!isDue(COMPACT_BYTES_MIN, 0) && isDue(COMPACT_BYTES_MIN + 1, 0));
  assert.ok(!isDue(COMPACT_BYTES_MIN + 1, COMPACT_BYTES_MIN));
  const store = watched();
  const db = await open({ store });
  const value = 'x'.repeat(10_000);
  for (let index = 0; index < 60; index += 1) {
    db.set(`k${index % 5}`, value);
    db.incr('n');
    await db.flush();
  }
  assert.ok(store.calls.includes('replace'));
  const { snapshotBytes, logBytes } = db.persistence;
  assert.ok(snapshotBytes > 50_000 && logBytes < 400_000, `${snapshotBytes} ${logBytes}`);
  await db.close();
  const again = await open({ store });
  assert.equal(again.get('n'), '60');
  await again.close();
});

test('rewrite replaces the log by hand, and cursors stay valid across it', async () => {
  const store = memoryStore();
  const db = await open({ store });
  for (let index = 0; index < 2000; index += 1) db.set(`k${index}`, index);
  await db.rewrite();
  assert.equal(db.persistence.logBytes, 0);
  const { cursor, keys } = db.inspectPage({ limit: 500 });
  await db.close();
  const again = await open({ store });
  const seen = new Set(keys.map(({ key }) => key));
  for (let next = cursor; next !== '0'; ) {
    const page = again.inspectPage({ cursor: next, limit: 500 });
    for (const { key } of page.keys) seen.add(key);
    next = page.cursor;
  }
  assert.equal(seen.size, 2000);
  await again.close();
});

test('load and replay reach the store', async () => {
  const store = memoryStore();
  const db = await open({ store });
  db.set('before', 1);
  const copy = db.fork();
  copy.set('loaded', 1);
  db.load(copy.snapshot());
  db.set('after', 1);
  await db.flush();
  copy.record(true);
  copy.set('replayed', 1);
  db.replay(copy.takeEffects());
  await db.close();
  const again = await open({ store });
  assert.deepEqual(again.keys('*').sort(), ['after', 'before', 'loaded', 'replayed']);
  await again.close();
});

test('the clock never shows less than the last logged time', async () => {
  const store = memoryStore();
  let nowMs = 1_000_000;
  const now = () => nowMs;
  const db = await open({ store, now });
  db.set('lease', 'me', { px: 1000 });
  nowMs = 1_000_900;
  db.set('other', 1);
  await db.close();
  nowMs = 500_000;
  const again = await open({ store, now });
  assert.equal(again.now(), 1_000_900);
  assert.equal(again.pttl('lease'), 100);
  nowMs = 1_001_001;
  assert.equal(again.get('lease'), null);
  await again.close();
  const monotonic = await open({ store, now: () => 7, clock: 'monotonic' });
  assert.ok(monotonic.now() >= 1_000_900);
  await monotonic.close();
  const clock = new ManualClock(5);
  const manual = await open({ store, clock });
  assert.equal(manual.now(), 5, 'a ManualClock is left alone');
  await manual.close();
});

test('a failure is an event; nothing is lost or reordered, and writing goes on by itself', async () => {
  const store = watched();
  const db = await open({ store });
  const states = [];
  db.onPersistence(({ state, error }) => states.push([state, error?.message]));
  db.set('a', 1);
  await db.flush();
  store.fail(new PersistenceError('FULL', 'the disk is full'));
  db.set('b', 2);
  await assert.rejects(db.flush(), { name: 'PersistenceError', code: 'FULL' });
  assert.equal(db.persistence.state, 'failed');
  db.append('b', 3);
  assert.equal(db.get('b'), '23', 'writes are accepted meanwhile');
  assert.ok(db.persistence.pendingBytes > 0);
  store.fail(undefined);
  await until(() => db.persistence.state === 'running', 'writing');
  assert.equal(db.persistence.error, undefined);
  assert.equal(db.persistence.pendingBytes, 0);
  await db.close();
  assert.deepEqual(states, [
    ['failed', 'the disk is full'],
    ['running', undefined],
    ['closed', undefined],
  ]);
  const again = await open({ store });
  assert.deepEqual(again.mget('a', 'b'), ['1', '23']);
  await again.close();
});

test('onFailure refuse: writes are refused with MISCONF while the store fails, and reads go on', async () => {
  const store = watched();
  const db = await open({ store, onFailure: 'refuse' });
  db.onPersistence(() => {});
  db.set('a', 1);
  store.fail(new PersistenceError('FULL', 'the disk is full'));
  await assert.rejects(db.flush(), /the disk is full/);
  assert.throws(() => db.set('b', 1), { code: 'MISCONF', message: /Errors writing to the AOF file: the disk is full/ });
  assert.equal(db.get('a'), '1');
  store.fail(undefined);
  await db.flush();
  assert.equal(db.set('b', 1), 'OK');
  assert.equal(db.call('BGSAVE'), 'Background saving started');
  await db.close();
});

test('a long failure takes bounded memory: the store gets a snapshot afterwards', async () => {
  const store = watched();
  const db = await open({ store });
  db.onPersistence(() => {});
  store.fail(new Error('no medium'));
  await assert.rejects(
    db
      .flush()
      .then(() => db.set('x', 1))
      .then(() => db.flush()),
    /no medium/,
  );
  const value = 'x'.repeat(10_000);
  for (let index = 0; index < 500; index += 1) {
    db.set(`k${index % 3}`, value + index);
    assert.ok(db.persistence.pendingBytes < 600_000, String(db.persistence.pendingBytes));
  }
  store.fail(undefined);
  await db.flush();
  assert.equal(db.persistence.state, 'running');
  db.set('later', 1);
  const digest = db.digestAll();
  await db.close();
  const again = await open({ store });
  assert.equal(again.digestAll(), digest);
  await again.close();
});

test('close rejects when the last changes cannot be written, and releases the store', async () => {
  const store = watched();
  const db = await open({ store });
  db.onPersistence(() => {});
  db.set('a', 1);
  store.fail(new Error('no medium'));
  await assert.rejects(db.close(), /no medium/);
  assert.equal(db.persistence.state, 'closed');
  store.fail(undefined);
  await (await open({ store })).close();
});

test('a store that is lost ends the log', async () => {
  const store = watched();
  const db = await open({ store });
  const states = [];
  db.onPersistence(({ state }) => states.push(state));
  store.onLost(new PersistenceError('LOST', 'the database was deleted'));
  db.set('a', 1);
  await assert.rejects(db.flush(), /the database was deleted/);
  assert.deepEqual(states, ['lost']);
  assert.equal(db.get('a'), '1');
  await db.close();
});

test('an asynchronous store: one append at a time, in order, joined while another runs', async () => {
  const inner = memoryStore();
  let running = 0;
  let appends = 0;
  const store = {
    ...watched(),
    open: () => inner.open(),
    append: async (piece, nowMs) => {
      assert.equal((running += 1), 1);
      await sleep(5);
      inner.append(piece, nowMs);
      running -= 1;
      appends += 1;
    },
    close: () => inner.close(),
  };
  const db = await open({ store });
  const flushed = [];
  for (let index = 0; index < 50; index += 1) {
    db.rpush('l', index);
    flushed.push(db.flush());
  }
  await Promise.all(flushed);
  assert.ok(appends <= 3, `${appends} appends`);
  await db.close();
  const again = await open({ store: inner });
  assert.deepEqual(again.lrange('l', 0, -1).map(Number), [...Array(50).keys()]);
  await again.close();
});

test('one engine a store, and clear refusals of options', async () => {
  const store = memoryStore();
  const db = await open({ store });
  assert.equal(db.persistence.state, 'running');
  await assert.rejects(open({ store }), { name: 'PersistenceError', code: 'IN_USE' });
  await assert.rejects(open({}), { name: 'TypeError', message: /exactly one of name .* got none/ });
  await assert.rejects(open({ store, dir: 'x' }), /exactly one of name/);
  await assert.rejects(open({ store, fsync: 'no' }), /fsync goes with dir/);
  await assert.rejects(open({ store, durability: 'strict' }), /durability goes with name/);
  await assert.rejects(open({ dir: 'x', fsync: 'sometimes' }), /fsync must be 'always' or 'everysec' or 'no'/);
  await assert.rejects(open({ store: memoryStore(), maxmemry: 1 }), /did you mean "maxmemory"/);
  await assert.rejects(open({ store: memoryStore(), maxmemory: 'much' }), /maxmemory/);
  await db[Symbol.asyncDispose]();
});

test('damaged contents are refused with their place, and the store is released', async () => {
  const store = memoryStore();
  const bytes = (text) => new TextEncoder().encode(text);
  store.append(bytes('*1\r\n$8\r\nFLUSHALL\r\n'), 1);
  store.append(bytes('*1\r\n$8\r\nFLUSH?LL\r\n'), 1);
  for (let attempt = 0; attempt < 2; attempt += 1)
    await assert.rejects(open({ store }), {
      code: 'DAMAGED',
      file: 'memory store, piece 1',
      offset: 0,
    });
  const newer = memoryStore();
  newer.append(bytes('#KL:5 v9\r\n'), 1);
  await assert.rejects(open({ store: newer }), { code: 'NEWER_VERSION' });
  const torn = memoryStore();
  torn.append(bytes('*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n*1\r\n$8\r\nFLU'), 1);
  const db = await open({ store: torn });
  assert.equal(db.persistence.restored.repairedBytes, 11);
  assert.equal(db.get('k'), 'v');
  db.set('l', 1);
  await db.close();
  const again = await open({ store: torn });
  assert.deepEqual(again.mget('k', 'l'), ['v', '1']);
  await again.close();
});
