/** keylatch/remote over WebSockets, with the package ws as class of sockets: pipelines, state, and connections that are lost. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WebSocket } from 'ws';
import { FaultProxy } from '../js/support/fault-proxy.mjs';
import { entry, until } from './support/server.mjs';
import { serveSockets } from './support/socket-server.mjs';

const { createServer } = await entry('server');
const { locks } = await entry('locks');
const { AccessRefused, connect, MayHaveRun, Unavailable } = await entry('remote');

const TOKEN = 'correct horse+/=é';

/** A server behind WebSockets, and a database that is connected to it, through a proxy if `isProxied`. */
async function start(t, options = {}, { isProxied = false, frameBytes } = {}) {
  const server = await createServer({ port: 0 }).listen();
  t.after(() => server.close());
  const sockets = await serveSockets(t, server.port, { token: TOKEN, frameBytes });
  const proxy = isProxied ? await FaultProxy.start(t, sockets.port) : undefined;
  const db = connect(`http://127.0.0.1:${proxy?.port ?? sockets.port}/base/`, { token: TOKEN, WebSocket, ...options });
  t.after(() => db.close());
  return { engine: server.db, db, sockets, proxy };
}

/** Closes all sockets, as a deployment does. */
async function closed(sockets, code = 1012) {
  sockets.close(code);
  await until(() => sockets.sockets.size === 0);
}

test('results have the types of an engine; commands of a client are pipelined on one socket', async (t) => {
  const { db, sockets } = await start(t, { namespace: 'a b/c' });
  const results = await Promise.allSettled([
    db.set('k', 'v'),
    db.hset('h', { one: 1 }),
    db.hgetall('h'),
    db.set('k', Number.NaN),
    db.lpush('k', 1),
    db.bytes.get('k'),
    db.multi().incr('n').hgetall('h').exec(),
    db.get('none'),
  ]);
  const map = new Map([['one', '1']]);
  assert.deepEqual(
    results.map(({ value, reason }) => (reason ? reason.name : value)),
    ['OK', 1, map, 'TypeError', 'ReplyError', Uint8Array.of(118), [1, map], null],
  );
  assert.deepEqual(sockets.paths, ['/base/namespace/a%20b%2Fc']);
  const large = 'x'.repeat(100_000);
  await db.set('large', large);
  assert.equal(await db.get('large'), large);
});

test('each client has a database and watched keys of its own; a lost watch gives null', async (t) => {
  const { db, engine, sockets } = await start(t);
  const own = db.client({ db: 3, name: 'mine' });
  await own.set('k', 'three');
  assert.deepEqual([await own.get('k'), await db.get('k')], ['three', null]);
  await assert.rejects(db.watch('k'), /shared by the whole program/);
  await own.watch('k');
  assert.deepEqual(await own.multi().set('k', 'x').exec(), ['OK']);
  await own.watch('k');
  await own.set('k', 'other');
  assert.equal(await own.multi().set('k', 'y').exec(), null);
  await own.watch('k');
  await closed(sockets);
  assert.equal(await own.multi().set('k', 'z').exec(), null, 'the watch was lost');
  assert.deepEqual(await own.multi().get('k').exec(), ['other']);
  assert.equal(await own.call('CLIENT', 'GETNAME'), 'mine');
  let attempts = 0;
  const done = await db.transaction(async (client) => {
    attempts += 1;
    await client.watch('n');
    if (attempts === 1) await closed(sockets);
    if (attempts === 2) engine.incr('n');
    return client.multi().incr('n').exec();
  });
  assert.deepEqual([done, attempts], [[2], 3]);
});

test('commands that wait do not delay others, end in time and by a signal, and use a socket again', async (t) => {
  const { db, engine, sockets } = await start(t);
  const popped = db.blpop('q', 10);
  await until(() => engine.call('CLIENT', 'LIST').includes('cmd=blpop'));
  assert.equal(await db.set('k', 'v'), 'OK');
  engine.rpush('q', 'x');
  assert.deepEqual(await popped, ['q', 'x']);
  const { opened } = sockets;
  assert.equal(await db.blpop('q', 0.05), null);
  assert.equal(sockets.opened, opened);
  const controller = new AbortController();
  const aborted = db.blpop('q', 0, { signal: controller.signal });
  await until(() => engine.call('CLIENT', 'LIST').includes('cmd=blpop'));
  controller.abort(new Error('enough'));
  await assert.rejects(aborted, /enough/);
  await until(() => !engine.call('CLIENT', 'LIST').includes('cmd=blpop'));
  const lost = db.blpop('q', 0);
  await until(() => engine.call('CLIENT', 'LIST').includes('cmd=blpop'));
  sockets.close(1012);
  await assert.rejects(lost, (error) => error instanceof MayHaveRun && error.command === 'BLPOP');
  const ended = db.blpop('q', 0);
  await db.close();
  await assert.rejects(ended, { name: 'ClosedError' });
});

test('subscriptions come back with the connection, and end at the server', async (t) => {
  const { db, engine, sockets } = await start(t);
  const got = [];
  const end = await db.subscribe('a', (message, channel) => got.push([channel, message]));
  await db.psubscribe('n*', (message, channel, pattern) => got.push([pattern, channel, message]));
  await db.ssubscribe('s', (message) => got.push(['s', message]));
  engine.publish('a', 'one');
  engine.publish('news', 'two');
  engine.call('SPUBLISH', 's', 'three');
  await until(() => got.length === 3);
  assert.deepEqual(got, [
    ['a', 'one'],
    ['n*', 'news', 'two'],
    ['s', 'three'],
  ]);
  sockets.close(1012);
  await until(() => engine.publish('a', 'again') > 0 && got.some(([, message]) => message === 'again'));
  end();
  await until(() => engine.call('PUBSUB', 'NUMSUB', 'a')[1] === 0);
  assert.equal(await db.get('k'), null);
  const messages = await db.messages('m');
  engine.publish('m', 'first');
  assert.deepEqual(await messages.next(), { done: false, value: 'first' });
});

test('a connection that is cut at any byte of an answer: reads are repeated, writes may have run', async (t) => {
  const { db, engine, proxy } = await start(t, {}, { isProxied: true });
  engine.set('k', 'value');
  for (let passed = 0; passed < 420; passed += 3) {
    Object.assign(proxy, { cutAfter: passed, faulty: 1 });
    proxy.cut();
    const before = Number(engine.get('n'));
    const [read, write] = await Promise.allSettled([db.get('k'), db.incr('n')]);
    assert.equal(read.value, 'value', `${passed}`);
    const after = Number(engine.get('n'));
    if (write.status === 'fulfilled') assert.deepEqual([write.value, after], [before + 1, before + 1]);
    else assert.ok(write.reason instanceof MayHaveRun && after <= before + 1, String(write.reason));
  }
});

test('a silent server is noticed by a clock of its own, and a new connection goes on', async (t) => {
  const { db, engine, sockets } = await start(t, { timeoutMs: 150, retryMs: 20_000 });
  await db.set('k', 'v');
  const [, popped] = [await db.blpop('q', 0.01), db.blpop('q', 0)];
  await until(() => engine.call('CLIENT', 'LIST').includes('cmd=blpop'));
  sockets.isMute = true;
  const read = db.get('k');
  const lost = (command) => (error) =>
    error instanceof MayHaveRun && error.command === command && /150 ms/.test(error.message);
  await Promise.all([assert.rejects(db.incr('n'), lost('INCR')), assert.rejects(popped, lost('BLPOP'))]);
  sockets.isMute = false;
  assert.equal(await read, 'v');
  assert.equal(engine.get('n'), null);
  const hasty = connect(`ws://127.0.0.1:${sockets.port}`, { token: TOKEN, WebSocket, timeoutMs: 100, retryMs: 100 });
  t.after(() => hasty.close());
  await hasty.get('k');
  sockets.isMute = true;
  await assert.rejects(hasty.get('k'), Unavailable);
});

test('a server that is down: what was not sent has not run', async (t) => {
  const { db, sockets } = await start(t, { retryMs: 200 });
  sockets.stop();
  for (const call of [db.incr('n'), db.get('k'), db.multi().incr('n').exec(), db.blpop('q', 1)])
    await assert.rejects(call, Unavailable);
  await assert.rejects(
    db.subscribe('c', () => {}),
    Unavailable,
  );
});

test('a token that is wrong or has ended says so; a function brings the next one', async (t) => {
  const { db, sockets } = await start(t);
  await db.set('k', 'v');
  const read = db.subscribe('c', () => {});
  await read;
  sockets.token = 'next';
  await closed(sockets, 4401);
  await assert.rejects(db.get('k'), (error) => error instanceof AccessRefused && /pass { token }/.test(error.message));
  const asked = [];
  const renewing = connect(`ws://127.0.0.1:${sockets.port}`, {
    WebSocket,
    token: () => asked.push(1) && sockets.token,
  });
  t.after(() => renewing.close());
  assert.equal(await renewing.get('k'), 'v');
  sockets.token = 'third';
  sockets.close(4401);
  assert.equal(await renewing.get('k'), 'v');
  assert.equal(asked.length, 2);
});

test('locks wait for each other over sockets', async (t) => {
  const { db, engine } = await start(t);
  const manager = locks(db);
  const lock = await manager.acquire('job', { ttl: 10_000 });
  const second = manager.acquire('job', { ttl: 10_000, wait: 5000 });
  await until(() => engine.call('CLIENT', 'LIST').includes('cmd=latch.acquire'));
  await lock.release();
  await (await second).release();
});

test('without a class of WebSockets the error names both ways out', () => {
  if (globalThis.WebSocket === undefined)
    assert.throws(() => connect('https://x', { token: 't' }), /package ws, or { transport: 'rest' }/);
  else assert.equal(connect('https://x', { token: 't' }).closed, false);
});
