/**
 * Durability: a reply is sent only after its effects are on the disk, whatever happens to the process that has them in
 * memory.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { start, storageFolder, TOKEN } from './support/host.mjs';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

test('state survives a restart, and so do the owner of a lock and its deadline', async (t) => {
  const folder = await storageFolder(t);
  const before = await start(t, { folder });
  await before.call('SET', 'lock', 'mine', 'NX', 'PX', 60_000);
  await before.call('INCRBY', 'count', 41);
  await before.call('SET', 'plain', 'grüße\u0000');
  await before.call('SET', 'gone', 'x');
  await before.call('DEL', 'gone');
  await before.stop();

  const { call } = await start(t, { folder });
  assert.equal(await call('SET', 'lock', 'other', 'NX', 'PX', 60_000), null);
  assert.equal(await call('INCR', 'count'), 42);
  assert.equal(await call('GET', 'plain'), 'grüße\u0000');
  assert.equal(await call('GET', 'gone'), null);
  const ttlMs = await call('PTTL', 'lock');
  assert.ok(ttlMs > 30_000 && ttlMs < 60_000, `the deadline stayed where it was: ${ttlMs} ms left`);
});

test('workerd is killed among writes: what was answered is there', async (t) => {
  const folder = await storageFolder(t);
  const before = await start(t, { folder });
  const answered = new Set();
  const writer = async (_, number) => {
    for (let round = 0; ; round += 1) {
      const key = `${number}:${round}`;
      if ((await before.call('SET', key, 'v')) === 'OK') answered.add(key);
    }
  };
  const writers = Promise.allSettled(Array.from({ length: 8 }, writer));
  await sleep(500);
  await before.stop();
  await writers;
  assert.ok(answered.size > 0);

  const { call } = await start(t, { folder });
  assert.equal(await call('EXISTS', ...answered), answered.size);
});

test('what every kind of command changed reads the same after a restart', async (t) => {
  const folder = await storageFolder(t);
  const before = await start(t, { folder });
  const changes = [
    'MSET a 1 b 2 c 3',
    'MSETNX a 9 z 9',
    'MSETNX d 4 e 5',
    'APPEND a 0',
    'SETRANGE b 3 x',
    'INCRBYFLOAT c 0.1',
    'DECRBY d 10',
    'GETSET e six',
    'GETDEL e',
    'RENAME d dd',
    'COPY a aa',
    'SETEX f 100 v',
    'PERSIST f',
    'SET g v PX 100000',
    'EXPIRE g 500 LT',
    'GETEX g EX 50',
    'SET h v KEEPTTL',
    'HSET hash field value',
    'RPUSH list x y',
    'SET i old',
    'SET i new XX GET',
    'UNLINK i',
  ];
  for (const line of changes) await before.call(...line.split(' '));
  const look = async ({ call }) => {
    const keys = (await call('KEYS', '*')).sort();
    const facts = keys.map(async (key) => {
      const type = await call('TYPE', key);
      const value = type === 'string' ? await call('GET', key) : null;
      return [key, type, value, await call('PEXPIRETIME', key)];
    });
    return Promise.all(facts);
  };
  const seen = await look(before);
  assert.deepEqual(
    seen.map(([key]) => key),
    ['a', 'aa', 'b', 'c', 'dd', 'f', 'g', 'h', 'hash', 'list'],
  );
  await before.stop();
  assert.deepEqual(await look(await start(t, { folder })), seen);
});

test('a SCAN that began before a restart goes on behind it and misses nothing', async (t) => {
  const folder = await storageFolder(t);
  const before = await start(t, { folder });
  const names = Array.from({ length: 100 }, (_, index) => `key:${index}`);
  await before.call('MSET', ...names.flatMap((name) => [name, 'v']));
  let [cursor, page] = await before.call('SCAN', '0', 'COUNT', 30);
  const found = new Set(page);
  assert.notEqual(cursor, '0');
  await before.stop();

  const { call } = await start(t, { folder });
  while (cursor !== '0') {
    [cursor, page] = await call('SCAN', cursor, 'COUNT', 30);
    for (const name of page) found.add(name);
  }
  assert.equal(found.size, names.length);
});

test('a key that expired while the object was away is gone, a renewed one is not', async (t) => {
  const folder = await storageFolder(t);
  const before = await start(t, { folder });
  await before.call('SET', 'short', 'a', 'PX', 200);
  await before.call('SET', 'renewed', 'b', 'PX', 200);
  await before.call('SET', 'renewed', 'b', 'IFEQ', 'b', 'PX', 60_000);
  await before.stop();
  await sleep(250);

  const { call } = await start(t, { folder });
  assert.equal(await call('GET', 'short'), null);
  assert.equal(await call('GET', 'renewed'), 'b');
  assert.equal(await call('SET', 'short', 'new owner', 'NX', 'PX', 1_000), 'OK');
});

test('a lock that was seen dead stays dead on a host whose clock is behind', async (t) => {
  const folder = await storageFolder(t);
  const faulty = { folder, bundle: 'faulty' };
  const before = await start(t, faulty);
  await before.call('SET', 'lock', 'old owner', 'PX', 10_000);
  await before.stop();

  const later = await start(t, { ...faulty, bindings: { KEYLATCH_TOKEN: TOKEN, CLOCK_OFFSET_MS: 20_000 } });
  assert.equal(await later.call('GET', 'lock'), null);
  assert.equal(await later.call('SET', 'lock', 'new owner', 'NX', 'PX', 10_000), 'OK');
  await later.stop();

  const behind = await start(t, faulty);
  assert.equal(await behind.call('GET', 'lock'), 'new owner');
  const ttlMs = await behind.call('PTTL', 'lock');
  assert.ok(ttlMs <= 10_000, `the clock starts at the last instant logged: ${ttlMs} ms left`);
});

test('reads write nothing; a namespace that was only read has no tables', async (t) => {
  const { call, post } = await start(t, { bundle: 'faulty' });
  const query = async (sql) => (await post(sql, { path: '/sql' })).json.result;
  assert.equal(await call('GET', 'nothing'), null);
  assert.deepEqual(await query("SELECT name FROM sqlite_master WHERE name LIKE 'keylatch%'"), []);
  await call('SET', 'key', 'value');
  await call('GET', 'key');
  await call('EXISTS', 'key');
  assert.equal(await call('SET', 'key', 'other', 'NX'), null);
  assert.deepEqual(await query('SELECT COUNT(*) AS rows FROM keylatch_log'), [{ rows: 1 }]);
});

test('an effect larger than a row is cut into rows and put together again', async (t) => {
  const folder = await storageFolder(t);
  const value = 'ab'.repeat(1_250_000);
  const before = await start(t, { folder, bundle: 'faulty' });
  await before.call('SET', 'large', value);
  const { json } = await before.post('SELECT MAX(LENGTH(bytes)) AS longest, COUNT(*) AS rows FROM keylatch_log', {
    path: '/sql',
  });
  assert.deepEqual(json.result, [{ longest: 1_000_000, rows: 3 }]);
  await before.call('SET', 'small', 'x');
  await before.stop();

  const { call } = await start(t, { folder });
  assert.equal(await call('GET', 'large'), value);
  assert.equal(await call('GET', 'small'), 'x');
});

test('a log that outgrew its contents is replaced by a snapshot, and the state is the same', async (t) => {
  const folder = await storageFolder(t);
  const before = await start(t, { folder, bundle: 'faulty' });
  const query = async (sql) => (await before.post(sql, { path: '/sql' })).json.result;
  await before.call('SET', 'lease', 'mine', 'PX', 60_000);
  for (let round = 0; round < 12; round += 1) await before.call('SET', 'blob', String(round).padEnd(50_000, '.'));
  assert.deepEqual(await query("SELECT COUNT(*) AS count FROM keylatch_log WHERE kind = 'snapshot'"), [{ count: 1 }]);
  const [{ bytes }] = await query('SELECT SUM(LENGTH(bytes)) AS bytes FROM keylatch_log');
  assert.ok(bytes < 400_000, `${bytes} bytes are left of 600,000 written`);
  await before.call('SET', 'after', 'the snapshot');
  await before.stop();

  const { call } = await start(t, { folder });
  assert.match(await call('GET', 'blob'), /^11\./);
  assert.equal(await call('GET', 'after'), 'the snapshot');
  assert.equal(await call('SET', 'lease', 'other', 'NX'), null);
  assert.ok((await call('PTTL', 'lease')) > 30_000);
});
