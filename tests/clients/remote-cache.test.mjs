/** The client-side cache of keylatch/remote, over WebSockets of the package ws: no round trips, and never a stale own write. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WebSocket } from 'ws';
import { entry, until } from './support/server.mjs';
import { serveSockets } from './support/socket-server.mjs';

const { createServer } = await entry('server');
const { connect } = await entry('remote');

const TOKEN = 'correct horse';

/** A server behind WebSockets, and a database with a cache. */
async function start(t, options = {}) {
  const server = await createServer({ port: 0 }).listen();
  t.after(() => server.close());
  const sockets = await serveSockets(t, server.port, { token: TOKEN, frameBytes: 1000 });
  const db = connect(`ws://127.0.0.1:${sockets.port}`, {
    token: TOKEN,
    WebSocket,
    cache: { maxEntries: 100 },
    ...options,
  });
  t.after(() => db.close());
  const engine = server.db;
  const calls = (name) =>
    Number(new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(engine.info('commandstats'))?.[1] ?? 0);
  return { engine, db, sockets, calls };
}

test('reads of cached keys need no round trip, as text, bytes and values, below a prefix too', async (t) => {
  const { engine, db, calls } = await start(t);
  engine.set('k', '{"a":1}');
  engine.hset('h', { f: 'v' });
  for (let round = 0; round < 5; round += 1) {
    assert.equal(await db.get('k'), '{"a":1}');
    assert.deepEqual(await db.bytes.get('k'), new Uint8Array(Buffer.from('{"a":1}')));
    assert.deepEqual(await db.json.get('k'), { a: 1 });
    assert.deepEqual(await db.hgetall('h'), new Map([['f', 'v']]));
    assert.deepEqual(await db.mget(['k', 'none']), ['{"a":1}', null]);
    assert.equal(await db.prefix('k').get(''), '{"a":1}');
  }
  assert.deepEqual([calls('get'), calls('hgetall'), calls('mget')], [1, 1, 1]);
  (await db.hgetall('h')).set('f', 'changed by the program');
  assert.deepEqual(await db.hgetall('h'), new Map([['f', 'v']]));
  await assert.rejects(db.lrange('k', 0, -1), /WRONGTYPE/);
});

test('changes by others, expiry, FLUSHALL and SELECT', async (t) => {
  const { engine, db, calls } = await start(t);
  engine.set('k', 'one');
  assert.equal(await db.get('k'), 'one');
  engine.set('k', 'two');
  await until(async () => (await db.get('k')) === 'two');
  engine.set('k', 'three', { px: 100 });
  await until(async () => (await db.get('k')) === null);
  engine.set('k', 'four');
  await until(async () => (await db.get('k')) === 'four');
  engine.flushall();
  await until(async () => (await db.get('k')) === null);
  engine.client({ db: 1 }).set('k', 'of 1');
  await db.get('k');
  const [, selected] = await Promise.all([db.call('SELECT', 1), db.get('k')]);
  assert.equal(selected, 'of 1');
  assert.equal(await db.get('k'), 'of 1');
  const before = calls('get');
  assert.equal(await db.get('k'), 'of 1');
  assert.equal(calls('get'), before);
});

test('after an acknowledged own write a read never has the value before it', async (t) => {
  const { db, sockets } = await start(t);
  const other = db.client();
  const writes = {
    set: (n) => db.set('k', n),
    multi: (n) => db.multi().set('k', n).get('k').exec(),
    'other client': (n) => other.set('k', n),
    prefix: (n) => db.prefix('k').set('', n),
    mset: (n) => db.call('MSET', 'x', 1, 'k', n),
    renamed: async (n) => {
      await db.set('moved', n);
      await db.rename('moved', 'k');
    },
    restored: async (n) => {
      await db.rpush('list', n);
      await db.call('LMOVE', 'list', 'list', 'LEFT', 'RIGHT');
      await db.set('k', await db.blpop('list', 1).then(([, value]) => value));
    },
  };
  let n = 0;
  const readers = Array.from({ length: 4 }, async () => {
    // Kept replies come without a turn of the event loop.
    for (; n >= 0; await new Promise(setImmediate)) await db.get('k');
  });
  for (let round = 0; round < 60; round += 1) {
    for (const [name, write] of Object.entries(writes)) {
      n += 1;
      await write(n);
      assert.equal(await db.get('k'), String(n), name);
    }
  }
  n = -1;
  await Promise.all(readers);
  assert.ok(sockets.opened >= 2, 'the other client has a socket of its own');
});

test('a lost connection, and a silent one, end all that was kept', async (t) => {
  const { engine, db, sockets, calls } = await start(t, { timeoutMs: 1500, retryMs: 3000 });
  engine.set('k', 'one');
  assert.equal(await db.get('k'), 'one');
  sockets.close(1012);
  await until(() => sockets.sockets.size === 0);
  // No connection comes by itself, since nothing is expected.
  engine.set('k', 'two');
  assert.equal(await db.get('k'), 'two');
  assert.equal(await db.get('k'), 'two');
  assert.equal(calls('get'), 2);
  sockets.isMute = true;
  engine.set('k', 'three');
  // The change was not heard of, and the clock of the client ends what it has.
  await until(async () => (await db.get('k').catch(() => 'lost')) === 'lost', 'the loss', 60_000);
  sockets.isMute = false;
  await until(async () => (await db.get('k').catch(() => 'lost')) === 'three', 'a connection', 60_000);
});

test('the number of kept replies is bounded', async (t) => {
  const { db, calls } = await start(t, { cache: { maxEntries: 2 } });
  for (const key of ['a', 'b', 'c', 'b', 'c', 'a']) await db.get(key);
  assert.equal(calls('get'), 4);
});

test('subscriptions and transactions beside a cache', async (t) => {
  const { engine, db } = await start(t);
  const got = [];
  await db.subscribe('news', (message) => got.push(message));
  engine.set('n', '1');
  assert.equal(await db.get('n'), '1');
  const done = await db.transaction(async (client) => {
    await client.watch('n');
    return client
      .multi()
      .set('n', Number(await client.get('n')) + 1)
      .exec();
  });
  assert.deepEqual(done, ['OK']);
  assert.equal(await db.get('n'), '2');
  engine.publish('news', 'hello');
  await until(() => got.length === 1);
  await db.close();
  await assert.rejects(db.get('n'), { name: 'ClosedError' });
});

test('wrong options, and ways without messages, are refused', () => {
  const url = 'https://x';
  for (const [target, options, message] of [
    [url, { cache: { maxEntries: 0 } }, /cache.maxEntries must be an integer of at least 1/],
    [url, { cache: { maxEntries: 1.5 } }, /cache.maxEntries/],
    [url, { cache: { entries: 1 } }, /entries/],
    [url, { cache: true }, /cache/],
    [url, { cache: {}, transport: 'rest' }, /cache needs a WebSocket, .*: leave out transport: 'rest'/],
    [{ idFromName: () => 1, get: () => 1 }, { cache: {} }, /cache needs a WebSocket, .*: connect to the address/],
  ])
    assert.throws(() => connect(target, { WebSocket, ...options }), message);
});
