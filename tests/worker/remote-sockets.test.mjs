/** keylatch/remote over WebSockets: the methods of the object, and what becomes of calls when workerd is killed or silent. */

import assert from 'node:assert/strict';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

import WebSocket from 'ws';

import { start, storageFolder, TOKEN } from './support/host.mjs';

const root = resolve(fileURLToPath(import.meta.url), '../../..');
const folder = resolve(process.env.KEYLATCH_PACKAGE ?? join(root, 'target/npm/keylatch'));
const entry = (name) => import(pathToFileURL(join(folder, 'esm', `${name}.js`)).href);
const { AccessRefused, connect, MayHaveRun, Unavailable } = await entry('remote');
const { locks } = await entry('locks');

const ROUNDS = 20;
const WRITERS = 4;
const IN_FLIGHT = 8;
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

async function until(isTrue, ms = 30_000) {
  for (const end = Date.now() + ms; Date.now() < end; await sleep(20)) if (await isTrue()) return;
  assert.fail('it did not come about in time');
}

function connected(t, { url }, options = {}) {
  const db = connect(url, { token: TOKEN, WebSocket, ...options });
  t.after(() => db.close());
  return db;
}

/** Waits until so many clients of the default namespace wait. */
const blocked = (worker, count) =>
  until(async () => (await worker.call('INFO', 'clients')).includes(`blocked_clients:${count}\r`));

test('methods, pipelines, transactions and watched keys, in a namespace and its databases', async (t) => {
  const worker = await start(t);
  const db = connected(t, worker, { namespace: 'a/b c' });
  const settled = await Promise.allSettled([
    db.set('k', 'v'),
    db.hset('h', { one: 1 }),
    db.hgetall('h'),
    db.lpush('k', 1),
    db.bytes.get('k'),
    db.multi().incr('n').hgetall('h').exec(),
    db.set(Uint8Array.of(0, 255, 13, 10), 'bytes'),
  ]);
  const map = new Map([['one', '1']]);
  assert.deepEqual(
    settled.map(({ value, reason }) => (reason ? reason.name : value)),
    ['OK', 1, map, 'ReplyError', Uint8Array.of(118), [1, map], 'OK'],
  );
  const many = await Promise.all(Array.from({ length: 2000 }, () => db.incr('many')));
  assert.deepEqual(
    many,
    Array.from(many, (_, index) => index + 1),
  );
  const own = db.client({ db: 3, name: 'mine' });
  await own.set('k', 'three');
  assert.deepEqual([await own.get('k'), await db.get('k')], ['three', 'v']);
  await own.watch('k');
  await own.set('k', 'other');
  assert.equal(await own.multi().set('k', 'x').exec(), null);
  let attempts = 0;
  const done = await db.transaction(async (client) => {
    attempts += 1;
    await client.watch('n');
    if (attempts === 1) await db.incr('n');
    return client.multi().incr('n').exec();
  });
  assert.deepEqual([done, attempts], [[3], 2]);
  assert.equal(await connected(t, worker).get('k'), null, 'another namespace');
});

test('commands that wait, latches and locks, beside others of the same database', async (t) => {
  const worker = await start(t);
  const db = connected(t, worker);
  const popped = db.blpop('q', 60);
  await blocked(worker, 1);
  assert.equal(await db.set('k', 'v'), 'OK');
  assert.equal(await db.rpush('q', 'x'), 1);
  assert.deepEqual(await popped, ['q', 'x']);
  assert.equal(await db.blpop('q', 0.05), null);
  const controller = new AbortController();
  const aborted = assert.rejects(db.blpop('q', 0, { signal: controller.signal }), /enough/);
  await blocked(worker, 1);
  controller.abort(new Error('enough'));
  await aborted;
  await blocked(worker, 0);
  const manager = locks(db);
  const lock = await manager.acquire('job', { ttl: 10_000 });
  await assert.rejects(manager.acquire('job', { wait: 0 }), { name: 'NeverAcquired' });
  const second = manager.acquire('job', { ttl: 10_000, wait: 60_000 });
  await blocked(worker, 1);
  await lock.release();
  const after = await second;
  assert.ok(after.token > lock.token);
  await after.release();
  assert.equal(await manager.once('task', () => 'done'), 'done');
});

test('messages of channels, patterns and shard channels', async (t) => {
  const worker = await start(t);
  const db = connected(t, worker);
  const got = [];
  const end = await db.subscribe('a', (message, channel) => got.push([channel, message]));
  await db.psubscribe('n*', (message, channel, pattern) => got.push([pattern, channel, message]));
  await db.ssubscribe('s', (message) => got.push(['s', message]));
  assert.deepEqual([await db.publish('a', 'one'), await db.publish('news', 'two')], [1, 1]);
  assert.equal(await db.call('SPUBLISH', 's', 'three'), 1);
  await until(() => got.length === 3);
  assert.deepEqual(got, [
    ['a', 'one'],
    ['n*', 'news', 'two'],
    ['s', 'three'],
  ]);
  end();
  await until(async () => (await worker.call('PUBLISH', 'a', 'x')) === 0);
});

test('a wrong token is refused with its reason, and no object is asked', async (t) => {
  const worker = await start(t);
  const refused = (error) => error instanceof AccessRefused && /pass { token }/.test(error.message);
  await assert.rejects(connected(t, worker, { token: 'wrong' }).get('k'), refused);
  await assert.rejects(connected(t, worker, { token: undefined }).incr('n'), refused);
});

test('workerd is killed and started again: subscriptions and state come back, what was under way may have run', async (t) => {
  const storage = await storageFolder(t);
  const first = await start(t, { folder: storage });
  const db = connected(t, first, { retryMs: 60_000 });
  const own = db.client({ db: 2, name: 'mine' });
  await own.set('k', 'two');
  await own.watch('k');
  const got = [];
  await db.subscribe('news', (message) => got.push(message));
  await db.set('k', 'v');
  const isLost = (error) => error instanceof MayHaveRun && error.command === 'BLPOP';
  const lost = assert.rejects(db.blpop('q', 0), isLost);
  await blocked(first, 1);
  await first.stop();
  await lost;
  const read = db.get('k');
  const second = await start(t, { folder: storage, port: first.port });
  assert.equal(await read, 'v');
  await until(async () => (await second.call('PUBLISH', 'news', 'again')) === 1);
  await until(() => got.includes('again'));
  assert.equal(await own.multi().set('k', 'x').exec(), null, 'the watch was lost');
  assert.deepEqual([await own.get('k'), await own.call('CLIENT', 'GETNAME')], ['two', 'mine']);
});

test('a workerd that is stopped is noticed by a clock of the client, and goes on with a new connection', async (t) => {
  const worker = await start(t);
  const db = connected(t, worker, { timeoutMs: 2000, retryMs: 60_000 });
  await db.set('k', 'v');
  const popped = db.blpop('q', 0);
  await blocked(worker, 1);
  process.kill(worker.pid, 'SIGSTOP');
  const lost = (command) => (error) =>
    error instanceof MayHaveRun && error.command === command && /within 2000 ms/.test(error.message);
  await Promise.all([assert.rejects(db.incr('n'), lost('INCR')), assert.rejects(popped, lost('BLPOP'))]);
  const hasty = connected(t, worker, { timeoutMs: 300, retryMs: 300 });
  await assert.rejects(hasty.get('k'), Unavailable);
  process.kill(worker.pid, 'SIGCONT');
  assert.equal(await db.get('k'), 'v');
  // The request was in a buffer of the system: it has run, as the error said that it might.
  await until(async () => (await db.get('n')) === '1');
});

/** Appends numbers to a list until workerd has been killed; calls back for what is acknowledged, and what may have run. */
async function writeNumbers(db, key, next, outcome) {
  const write = async () => {
    for (;;) {
      const number = next();
      try {
        await db.rpush(key, number);
        outcome(number, true);
      } catch (error) {
        if (error instanceof Unavailable) return;
        assert.ok(error instanceof MayHaveRun, error);
        return outcome(number, false);
      }
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, write));
}

test(`workerd is killed ${ROUNDS} times among writes: what was acknowledged is there, nothing twice`, async (t) => {
  const storage = await storageFolder(t);
  const keys = Array.from({ length: WRITERS }, (_, index) => `list:${index}`);
  const known = new Map(keys.map((key) => [key, { count: 0, acknowledged: [], uncertain: new Set() }]));
  let worker = await start(t, { folder: storage });
  const { port } = worker;
  const db = connected(t, worker, { retryMs: 100 });
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = keys.map((key) => known.get(key).acknowledged.length);
    const writers = keys.map((key) => {
      const own = known.get(key);
      const outcome = (number, isSure) => (isSure ? own.acknowledged.push(number) : own.uncertain.add(number));
      return writeNumbers(db, key, () => (own.count += 1), outcome);
    });
    await until(() => keys.every((key, index) => known.get(key).acknowledged.length > before[index]));
    await sleep(Math.random() * 200);
    await worker.stop();
    await Promise.all(writers);
    worker = await start(t, { folder: storage, port });
    await until(() => db.ping().then(Boolean, () => false));
  }
  for (const [key, { acknowledged, uncertain }] of known) {
    const stored = (await worker.call('LRANGE', key, 0, -1)).map(Number);
    assert.equal(new Set(stored).size, stored.length, 'nothing is there twice');
    assert.ok(acknowledged.length >= ROUNDS, `${acknowledged.length} acknowledged`);
    const missing = acknowledged.filter((number) => !stored.includes(number));
    assert.deepEqual(missing, [], 'nothing that was acknowledged is lost');
    const foreign = stored.filter((number) => !uncertain.has(number) && !acknowledged.includes(number));
    assert.deepEqual(foreign, [], 'what has not run by its error is not there');
  }
});
