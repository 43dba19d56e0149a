// compact(): freed memory is released by the engine, without any other visible difference.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { limited } from './support/limited-memory.mjs';
import { entry, folder } from './support/package.mjs';

const { Keylatch, ManualClock } = await entry('index');

/** A database with keys of every type, many of them deleted again. */
function filled(options = {}) {
  const db = new Keylatch({ seed: 7, now: () => 1_000_000, ...options });
  db.mset(Array.from({ length: 20_000 }, (_, index) => [`gone:${index}`, 'x'.repeat(300)]));
  for (let index = 0; index < 300; index += 1) db.set(`key:${index}`, index, { px: 10_000 + index });
  db.rpush('list', 1, 2, 3);
  db.hset('hash', { field: 'value', other: 'value' });
  db.call('HPEXPIRE', 'hash', 5000, 'FIELDS', 1, 'field');
  db.call('ZADD', 'sorted', 1, 'a', 2, 'b');
  db.sadd('set', 'a', 'b');
  db.select(3);
  db.set('elsewhere', 'value');
  db.select(0);
  for (let index = 0; index < 20_000; index += 1) db.del(`gone:${index}`);
  return db;
}

test('memory is given back, and every key with its deadline is as before', () => {
  const db = filled();
  const [digest, size, pages] = [db.digestAll(), db.dbsize(), db.scan(0, { count: 50 })];
  const less = db.compact();
  assert.ok(less > 4_000_000, `${less} bytes`);
  assert.equal(db.digestAll(), digest);
  assert.equal(db.dbsize(), size);
  assert.deepEqual(db.scan(0, { count: 50 }), pages);
  assert.equal(db.pttl('key:5'), 10_005);
  assert.equal(db.get('key:5'), '5');
  assert.deepEqual(db.call('HPTTL', 'hash', 'FIELDS', 1, 'field'), [5000]);
  assert.ok(db.compact() < less / 20, 'nothing is left to give back but what lies ready for the next calls');
});

test('a walk goes on where it was', () => {
  const db = filled();
  const keys = new Set();
  let cursor = '0';
  do {
    const [next, page] = db.scan(cursor, { count: 20 });
    page.forEach((key) => keys.add(key));
    cursor = next;
    db.compact();
  } while (String(cursor) !== '0');
  assert.equal(keys.size, db.dbsize());
});

test('clients keep number, name, database and protocol; new ones come behind them', () => {
  const db = filled();
  const client = db.client({ name: 'worker', db: 3, protocol: 2 });
  client.ping();
  const gone = db.client();
  const { id } = gone;
  gone.close();
  const unused = db.client({ name: 'late' });
  db.configSet({ maxmemory: '1gb' });
  assert.equal(client.get('elsewhere'), 'value');
  const before = [db.id, client.id, client.name, client.db, client.protocol, db.call('CONFIG', 'GET', '*')];
  db.compact();
  assert.deepEqual([db.id, client.id, client.name, client.db, client.protocol, db.call('CONFIG', 'GET', '*')], before);
  assert.equal(client.get('elsewhere'), 'value');
  assert.equal(unused.name, 'late');
  assert.equal(unused.id, id + 1);
  client.set('elsewhere', 'other');
  assert.equal(client.call('GET', 'elsewhere'), 'other');
});

test('methods and calls by name reach the fresh instance', () => {
  const db = filled();
  assert.equal(db.get('key:1'), '1');
  db.set('key:1', 'before');
  db.compact();
  assert.equal(db.get('key:1'), 'before');
  db.set('key:1', 'after');
  assert.equal(db.call('get', 'key:1'), 'after');
  assert.equal(db.get('key:1'), 'after');
  assert.equal(db.mget('key:1', 'none')[0], 'after');
});

test('listeners go on, and hear nothing of it', () => {
  const db = filled();
  const heard = [];
  db.on('*', ({ event, key }) => heard.push(`${event} ${key}`));
  db.compact();
  db.set('k', 'v');
  assert.deepEqual(heard, ['set k']);
  db.on('del', () => assert.throws(() => db.compact(), /within/));
  db.del('k');
});

test('the log goes on: what was not taken comes first', () => {
  const db = new Keylatch({ seed: 1 });
  const copy = new Keylatch({ seed: 2 });
  db.record(true);
  db.set('a', 1);
  db.compact();
  db.compact();
  db.set('b', 2);
  copy.replay(db.takeEffects());
  assert.equal(copy.digestAll(), db.digestAll());
  assert.equal(db.takeEffects().length, 0);
  db.set('c', 3);
  copy.replay(db.takeEffects());
  assert.equal(copy.digestAll(), db.digestAll());
});

test('the clock goes on', () => {
  let now = 5000;
  const monotonic = new Keylatch({ clock: 'monotonic', now: () => now });
  monotonic.set('k', 'v');
  now = 9000;
  assert.equal(monotonic.now(), 9000);
  now = 1000;
  monotonic.compact();
  assert.equal(monotonic.now(), 9000);
  const clock = new ManualClock(1000);
  const manual = new Keylatch({ clock });
  manual.set('k', 'v', { px: 100 });
  clock.advance(50);
  manual.compact();
  assert.equal(manual.pttl('k'), 50);
  clock.advance(51);
  assert.equal(manual.exists('k'), 0);
});

test('state that cannot migrate is an error, and nothing changes', async () => {
  const db = filled();
  const client = db.client();
  const refuses = (message) => {
    const digest = db.digestAll();
    assert.throws(() => db.compact(), { message });
    assert.equal(db.digestAll(), digest);
  };
  client.call('MULTI');
  client.call('SET', 'k', 'v');
  refuses(/MULTI/);
  assert.deepEqual(client.call('EXEC'), ['OK']);
  client.watch('k');
  refuses(/watches/);
  client.unwatch();
  db.call('CLIENT', 'PAUSE', 60_000, 'WRITE');
  refuses(/^compact\(\) cannot run now: .*paused/);
  db.call('CLIENT', 'UNPAUSE');
  const end = db.subscribe('channel', () => {});
  refuses(/subscribed/);
  end();
  const untrack = client.track(() => {});
  refuses(/subscribed/);
  untrack();
  const waiting = db.blpop('nothing');
  refuses(/blocked/);
  db.rpush('nothing', 'x');
  assert.deepEqual(await waiting, ['nothing', 'x']);
  const stream = db.streams.open({ reached() {} });
  refuses(/served/);
  stream.close();
  db.compact();
  assert.equal(client.get('k'), 'v');
  db.close();
  assert.throws(() => db.compact(), { name: 'ClosedError' });
});

test('without memory for it everything stays as it is', () => {
  const { bytes } = limited(readFileSync(`${folder}/keylatch.wasm`), 64);
  const db = Keylatch.from(new WebAssembly.Module(bytes), { seed: 1 });
  try {
    for (let index = 0; ; index += 1) db.set(`key:${index}`, 'v'.repeat(200));
  } catch (error) {
    assert.equal(error.code, 'OOM');
  }
  const digest = db.digestAll();
  assert.throws(() => db.compact(), /memory/);
  assert.equal(db.digestAll(), digest);
  assert.equal(db.get('key:1').length, 200);
});

test('an unused engine releases nothing', () => {
  assert.ok(new Keylatch().compact() <= 0);
});
