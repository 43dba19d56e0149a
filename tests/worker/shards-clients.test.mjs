/** Clients that know nothing of shards, with a namespace of several behind them, and scripts. */

import assert from 'node:assert/strict';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { Redis } from '@upstash/redis';

import { start, TOKEN } from './support/host.mjs';
import { keyOn, keysOnAll, SHARDS } from './support/sharded.mjs';
import { connect } from './support/sockets.mjs';

const root = resolve(fileURLToPath(import.meta.url), '../../..');
const folder = resolve(process.env.KEYLATCH_PACKAGE ?? join(root, 'target/npm/keylatch'));
const entry = (name) => import(pathToFileURL(join(folder, 'esm', `${name}.js`)).href);
const remote = await entry('remote');
const { locks } = await entry('locks');

const OPTIONS = JSON.stringify({ shards: SHARDS, fanOut: true });
const sharded = (t, bundle = 'configured') => start(t, { bundle, bindings: { KEYLATCH_TOKEN: TOKEN, OPTIONS } });

test('@upstash/redis: single commands, automatic pipelines and many keys', async (t) => {
  const { url } = await sharded(t);
  const redis = new Redis({ url, token: TOKEN, retry: false });
  const keys = keysOnAll('k');
  const set = await Promise.all(keys.map((key, index) => redis.set(key, { index })));
  assert.deepEqual(
    set,
    keys.map(() => 'OK'),
  );
  assert.deepEqual(
    await redis.mget(...keys),
    keys.map((_, index) => ({ index })),
  );
  assert.equal(await redis.dbsize(), SHARDS);
  const found = [];
  for (let cursor = '0', first = true; first || cursor !== '0'; first = false) {
    const [next, page] = await redis.scan(cursor);
    found.push(...page);
    cursor = next;
  }
  assert.deepEqual(found.sort(), [...keys].sort());
  assert.deepEqual(await redis.multi().incr('{n}a').incrby('{n}b', 5).exec(), [1, 5]);
  await assert.rejects(redis.multi().incr(keys[0]).incr(keys[1]).exec(), /CROSSSLOT/);
  assert.equal(await redis.del(...keys), SHARDS);
});

test('keylatch/remote over REST: batches, transactions, waits and locks', async (t) => {
  const { url } = await sharded(t);
  const db = remote.connect(url, { token: TOKEN, transport: 'rest' });
  t.after(() => db.close());
  const keys = keysOnAll('k');
  await Promise.all(keys.map((key, index) => db.set(key, index)));
  assert.deepEqual(
    await db.mget(keys),
    keys.map((_, index) => String(index)),
  );
  assert.deepEqual(
    await Promise.all(keys.map((key) => db.incr(key))),
    keys.map((_, index) => index + 1),
  );
  assert.deepEqual(await db.multi().incr('{n}a').incr('{n}a').exec(), [1, 2]);
  assert.deepEqual(await db.blpop('q', 0.05), null);
  const manager = locks(db);
  for (const key of keysOnAll('lock')) {
    const lock = await manager.acquire(key, { ttl: 10_000 });
    assert.ok(lock.token > 0);
    await lock.release();
  }
});

test('scripts run on the shard of their keys, and are loaded on all', async (t) => {
  const worker = await sharded(t, 'configured-scripting');
  const { call } = worker;
  const script = "return redis.call('INCRBY', KEYS[1], ARGV[1])";
  const sha = await call('SCRIPT', 'LOAD', script);
  assert.deepEqual(await call('SCRIPT', 'EXISTS', sha, 'f'.repeat(40)), [1, 0]);
  const library =
    "#!lua name=l\nredis.register_function('twice', function(keys) return redis.call('INCRBY', keys[1], 2) end)";
  assert.equal(await call('FUNCTION', 'LOAD', library), 'l');
  for (const [index, key] of keysOnAll('n').entries()) {
    assert.equal(await call('EVAL', script, 1, key, index), index);
    assert.equal(await call('EVALSHA', sha, 1, key, 10), index + 10);
    assert.equal(await call('FCALL', 'twice', 1, key), index + 12);
    assert.equal(await call('GET', key), String(index + 12));
  }
  await assert.rejects(call('EVAL', script, 2, keyOn(1), keyOn(2), 1), /^Error: CROSSSLOT/);
  assert.equal(await call('EVAL', 'return 5', 0), 5);
  const peer = await connect(t, worker, { path: '/?slot=0' });
  assert.match(await peer.ask('EVALSHA', sha, '1', keyOn(5, 'n'), '1'), /^-MOVED /);
  assert.equal(await peer.ask('EVALSHA', sha, '1', keyOn(0, 'n'), '1'), ':13\r\n');
});
