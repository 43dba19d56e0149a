/** keylatch/remote over WebSockets with a namespace of several shards: one socket a shard, found by MOVED. */

import assert from 'node:assert/strict';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

import WebSocket from 'ws';

import { connectPrints } from './support/bridge.mjs';
import { start as startWorker, storageFolder, TOKEN } from './support/host.mjs';
import { firstSlot, keyOn, keysOnAll, SHARDS, startSharded } from './support/sharded.mjs';
import { connect as connectTo } from './support/sockets.mjs';

const root = resolve(fileURLToPath(import.meta.url), '../../..');
const folder = resolve(process.env.KEYLATCH_PACKAGE ?? join(root, 'target/npm/keylatch'));
const entry = (name) => import(pathToFileURL(join(folder, 'esm', `${name}.js`)).href);
const { connect } = await entry('remote');
const { locks } = await entry('locks');

const LIMIT_MS = 60_000;
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

async function until(isTrue, what) {
  for (const end = Date.now() + LIMIT_MS; Date.now() < end; await sleep(20)) if (await isTrue()) return;
  assert.fail(`${what} did not come about`);
}

/** A database of several shards, and the addresses of the sockets that it opened. */
async function start(t, options = {}, starting = {}) {
  const worker = await startSharded(t, {}, starting);
  const opened = [];
  const headers = worker.headersOf();
  class Socket extends WebSocket {
    constructor(url, protocols) {
      super(url, protocols, { headers });
      opened.push(new URL(url).pathname);
    }
  }
  const db = connect(worker.url, { token: TOKEN, WebSocket: Socket, retryMs: LIMIT_MS, ...options });
  t.after(() => db.close());
  return { worker, db, opened };
}

/** Functions that ask each shard for a part of INFO. */
async function inspectors(t, worker) {
  const peers = await Promise.all(
    Array.from({ length: SHARDS }, (_, index) =>
      connectTo(t, worker, { path: `/?slot=${firstSlot(index)}`, headers: worker.headersOf() }),
    ),
  );
  const figure = async (index, section, pattern) =>
    Number(pattern.exec(await peers[index].ask('INFO', section))?.[1] ?? 0);
  return {
    gets: () => Promise.all(peers.map((_, index) => figure(index, 'commandstats', /cmdstat_get:calls=(\d+)/))),
    /** Waits until the number of clients that wait, shard by shard, is as `isRight` says. */
    blocked: (isRight) =>
      until(
        async () =>
          isRight(await Promise.all(peers.map((_, index) => figure(index, 'clients', /blocked_clients:(\d+)/)))),
        'the wait',
      ),
  };
}

test('commands find their shards, in their order, with one socket each', async (t) => {
  const { worker, db, opened } = await start(t);
  const keys = Array.from({ length: 300 }, (_, index) => `key:${index}`);
  const replies = await Promise.all(keys.flatMap((key, n) => [db.set(key, n), db.incr(key), db.get(key)]));
  assert.deepEqual(
    replies,
    keys.flatMap((_, n) => ['OK', n + 1, String(n + 1)]),
  );
  assert.equal(opened.length, SHARDS, opened.join(' '));
  assert.equal((await worker.ask(['DBSIZE']))[1], keys.length);
  const again = await Promise.all(keys.map((key) => db.get(key)));
  assert.deepEqual(
    again,
    keys.map((_, n) => String(n + 1)),
  );
  assert.equal(opened.length, SHARDS);
  await assert.rejects(db.mget(keysOnAll('k')), { name: 'ReplyError', code: 'CROSSSLOT' });
  assert.equal(await db.ping(), 'PONG');
});

test('transactions, watched keys and databases are those of a shard', async (t) => {
  const { db } = await start(t);
  const [one, other] = [keyOn(5, 'a'), keyOn(6, 'b')];
  assert.deepEqual(await db.multi().incr(one).incr(one).exec(), [1, 2]);
  await assert.rejects(db.multi().incr(one).incr(other).exec(), { code: 'CROSSSLOT' });
  const own = db.client({ db: 2 });
  await own.set(other, 'of 2');
  assert.deepEqual([await own.get(other), await db.get(other), await own.get(one)], ['of 2', null, null]);
  await own.call('SELECT', 0);
  assert.deepEqual([await own.get(one), await own.get(other)], ['2', null]);
  let attempts = 0;
  const done = await db.transaction(async (client) => {
    attempts += 1;
    await client.watch(one);
    if (attempts === 1) await db.incr(one);
    return client.multi().incr(one).exec();
  });
  assert.deepEqual([done, attempts], [[4], 2]);
});

test('commands that wait and locks do so on the shard of their key', async (t) => {
  const { worker, db } = await start(t);
  const { blocked } = await inspectors(t, worker);
  const queues = keysOnAll('q');
  const popped = Promise.all(queues.map((key) => db.blpop(key, 0)));
  await blocked((counts) => counts.every((count) => count === 1));
  await Promise.all(queues.map((key, index) => db.rpush(key, index)));
  assert.deepEqual(
    await popped,
    queues.map((key, index) => [key, String(index)]),
  );
  assert.equal(await db.blpop(queues[3], 0.05), null);
  const controller = new AbortController();
  const aborted = assert.rejects(db.blpop(queues[4], 0, { signal: controller.signal }), /enough/);
  await blocked((counts) => counts[4] === 1);
  controller.abort(new Error('enough'));
  await aborted;
  const manager = locks(db);
  const name = keyOn(7, 'l');
  await blocked((counts) => !counts.includes(1));
  const lock = await manager.acquire(name, { ttl: 10_000 });
  const second = manager.acquire(name, { ttl: 10_000, wait: LIMIT_MS });
  await blocked((counts) => counts.includes(1));
  await lock.release();
  await (await second).release();
});

test('subscriptions are on the shard of their channel, and come back with it', async (t) => {
  const storage = await storageFolder(t);
  const { worker, db } = await start(t, {}, { folder: storage });
  const got = [];
  const channels = keysOnAll('c');
  const ends = await Promise.all(channels.map((name) => db.subscribe(name, (message) => got.push([name, message]))));
  for (const name of channels) assert.equal(await db.publish(name, 'one'), 1);
  await until(() => got.length === SHARDS, 'the messages');
  assert.deepEqual(got.sort(), channels.map((name) => [name, 'one']).sort());
  ends[2]();
  await until(async () => (await db.publish(channels[2], 'x')) === 0, 'the end of a subscription');
  await worker.stop();
  const next = await startSharded(t, {}, { folder: storage, port: worker.port });
  await until(async () => (await next.ask(['PUBLISH', channels[7], 'again']))[1] === 1, 'the subscription');
  await until(() => got.some(([, message]) => message === 'again'), 'the message');
});

test('a cache has the keys of all shards', async (t) => {
  const { worker, db } = await start(t, { cache: { maxEntries: 100 } });
  const keys = keysOnAll('k');
  const { gets } = await inspectors(t, worker);
  for (let round = 0; round < 5; round += 1) for (const key of keys) assert.equal(await db.get(key), null);
  assert.deepEqual(
    await gets(),
    keys.map(() => 1),
  );
  for (const [index, key] of keys.entries()) {
    await worker.ask(['SET', key, index]);
    await until(async () => (await db.get(key)) === String(index), 'the change');
    await db.set(key, 'own');
    assert.equal(await db.get(key), 'own');
  }
});

test('keylatch connect goes to the shard of each command', async (t) => {
  const bindings = { KEYLATCH_TOKEN: TOKEN, OPTIONS: JSON.stringify({ shards: SHARDS }) };
  const { url } = await startWorker(t, { bundle: 'configured', bindings });
  const keys = keysOnAll('k');
  const tag = keyOn(6, 't');
  const lines = [
    ...keys.map((key, index) => `SET ${key} ${index}`),
    ...keys.map((key) => `GET ${key}`),
    `GET {${tag}}a`,
    'MULTI',
    `INCR {${tag}}a`,
    `INCR ${keys[0]}`,
    'EXEC',
    `MGET ${keys.join(' ')}`,
    'SELECT 3',
    `GET ${keys[2]}`,
  ];
  const { code, output, errors } = await connectPrints(url, { input: `${lines.join('\n')}\n` });
  assert.deepEqual([code, errors], [0, '']);
  const printed = output.split('\n');
  assert.deepEqual(printed.splice(0, 2 * SHARDS), [...keys.map(() => 'OK'), ...keys.map((_, index) => `"${index}"`)]);
  assert.deepEqual(printed.slice(0, 3), ['(nil)', 'OK', 'QUEUED']);
  for (const [index, error] of [/^.error. (MOVED|CROSSSLOT)/, /^.error. EXECABORT/, /^.error. CROSSSLOT/].entries())
    assert.match(printed[3 + index], error);
  assert.deepEqual(printed.slice(6), ['OK', '(nil)', '']);
});
