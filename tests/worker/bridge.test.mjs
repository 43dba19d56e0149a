/** `keylatch connect --port`: redis-cli, ioredis and node-redis reach an object through a bridge. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect as dial } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { Redis } from 'ioredis';
import { createClient } from 'redis';

import { bridge, redisCliPrints } from './support/bridge.mjs';
import { compareRecordings } from './support/conformance.mjs';
import { start, storageFolder } from './support/host.mjs';
import { encode, replyEnd } from './support/sockets.mjs';

const ROUNDS = 20;
const CLIENTS = 4;
const IN_FLIGHT = 8;
const LIMIT_MS = 60_000;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function until(isTrue, what) {
  for (const end = Date.now() + LIMIT_MS; Date.now() < end; await sleep(20)) if (await isTrue()) return;
  assert.fail(`${what} did not come about`);
}

async function bridged(t, { namespace = '', ...options } = {}) {
  const worker = await start(t, options);
  const address = `${worker.url}${namespace}`;
  return { worker, address, ...(await bridge(t, address)) };
}

/** Waits until so many clients of the default namespace wait. */
const blocked = (worker, count) =>
  until(async () => (await worker.call('INFO', 'clients')).includes(`blocked_clients:${count}\r`), 'the wait');

function ioredis(t, port, options = {}) {
  const redis = new Redis({ port, host: '127.0.0.1', maxRetriesPerRequest: 1, ...options });
  redis.on('error', () => {});
  t.after(() => redis.disconnect());
  return redis;
}

async function nodeRedis(t, port, options = {}) {
  const redis = createClient({ socket: { port, host: '127.0.0.1', reconnectStrategy: false }, ...options });
  redis.on('error', () => {});
  t.after(() => redis.destroy());
  await redis.connect();
  return redis;
}

/** A client of raw bytes. */
async function raw(t, port) {
  const socket = dial(typeof port === 'string' ? { path: port } : { port, host: '127.0.0.1' });
  t.after(() => socket.destroy());
  const own = { socket, bytes: 0, text: '', isClosed: false };
  socket.setEncoding('latin1').on('data', (text) => {
    own.bytes += text.length;
    own.text = (own.text + text).slice(-2000);
  });
  socket
    .on('error', () => {})
    .on('close', () => {
      own.isClosed = true;
    });
  await once(socket, 'connect');
  return own;
}

test('redis-cli: lines, both protocols, a pipeline, messages', async (t) => {
  const { worker, port } = await bridged(t);
  const lines = ['SET k "a b"', 'GET k', 'MULTI', 'INCR n', 'EXEC', 'SELECT 3', 'DBSIZE', 'HSET h f v', 'NOSUCH'];
  const expected = 'OK\n"a b"\nOK\nQUEUED\n1) (integer) 1\nOK\n(integer) 0\n(integer) 1\n(error) ERR unknown command';
  const printed = await redisCliPrints(port, [], `${lines.join('\n')}\n`);
  assert.ok(printed.startsWith(expected), printed);
  assert.match(await redisCliPrints(port, ['-3', '-n', '3', 'HGETALL', 'h']), /^1# "f" => "v"\n/);
  const many = Array.from({ length: 5000 }, (_, index) => `SET p:${index} ${index}\r\n`).join('');
  assert.match(await redisCliPrints(port, ['--pipe'], many), /errors: 0, replies: 5000/);
  assert.equal(await worker.call('DBSIZE'), 5002);
  assert.equal(await redisCliPrints(port, ['BLPOP', 'none', '0.05']), '(nil)\n');
});

test('ioredis: pipelines, transactions, watched keys, bytes, waits, messages', async (t) => {
  const { worker, port } = await bridged(t);
  const [redis, other] = [ioredis(t, port), ioredis(t, port, { db: 2, connectionName: 'other' })];
  const bytes = Buffer.from([0, 255, 13, 10]);
  assert.equal(await redis.set(bytes, bytes), 'OK');
  assert.deepEqual(await redis.getBuffer(bytes), bytes);
  const replies = await redis.pipeline().incr('n').lpush('n', 1).hset('h', { a: 1 }).hgetall('h').exec();
  assert.deepEqual([replies[0][1], replies[1][0].message.slice(0, 9), replies[3][1]], [1, 'WRONGTYPE', { a: '1' }]);
  await redis.watch('n');
  await worker.call('INCR', 'n');
  assert.equal(await redis.multi().incr('n').exec(), null);
  assert.equal(await other.client('GETNAME'), 'other');
  const popped = other.blpop('q', 0);
  await blocked(worker, 1);
  assert.equal(await ioredis(t, port, { db: 2 }).rpush('q', 'x'), 1);
  assert.deepEqual(await popped, ['q', 'x']);
  await other.subscribe('news');
  const heard = once(other, 'message');
  assert.equal(await redis.publish('news', 'hello'), 1);
  assert.deepEqual(await heard, ['news', 'hello']);
});

test('node-redis: both protocols, transactions, waits, messages, its cache', async (t) => {
  const { worker, port } = await bridged(t);
  for (const RESP of [2, 3]) {
    const redis = await nodeRedis(t, port, { RESP });
    await worker.call('FLUSHALL');
    assert.deepEqual(await redis.multi().incr('n').hSet('h', 'f', '1').exec(), [1, 1]);
    assert.deepEqual({ ...(await redis.hGetAll('h')) }, { f: '1' });
    const popped = redis.blPop('q', 0);
    await blocked(worker, 1);
    await worker.call('RPUSH', 'q', 'x');
    assert.deepEqual({ ...(await popped) }, { key: 'q', element: 'x' });
    const subscriber = await nodeRedis(t, port, { RESP });
    const heard = [];
    await subscriber.subscribe('news', (message) => heard.push(message));
    await worker.call('PUBLISH', 'news', 'hello');
    await until(() => heard.length === 1, 'the message');
  }
  const caching = await nodeRedis(t, port, { RESP: 3, clientSideCache: { ttl: 0, maxEntries: 10 } });
  await worker.call('SET', 'cached', 'one');
  assert.equal(await caching.get('cached'), 'one');
  await worker.call('SET', 'cached', 'two');
  await until(async () => (await caching.get('cached')) === 'two', 'the invalidation');
});

test('recorded sessions give the recorded replies', async (t) => {
  const worker = await start(t);
  const bridges = new Map();
  await compareRecordings(async (namespace) => {
    // A namespace has a bridge of its own, so sessions share a few.
    const name = `shared ${namespace.length % 3}`;
    if (!bridges.has(name))
      bridges.set(name, await bridge(t, worker.url, { args: ['--port', '0', '--namespace', name] }));
    const socket = dial(bridges.get(name).port, '127.0.0.1');
    const peer = replies(socket);
    assert.equal(String(await peer.ask([Buffer.from('FLUSHALL')])), '+OK\r\n');
    return peer;
  });
});

/** Replies of a socket, one for each request. */
function replies(socket) {
  let bytes = Buffer.alloc(0);
  let changed = () => {};
  socket.on('data', (piece) => {
    bytes = Buffer.concat([bytes, piece]);
    changed();
  });
  const ask = async (argv) => {
    socket.write(encode(argv));
    for (;;) {
      const end = replyEnd(bytes);
      if (end !== undefined) {
        const reply = bytes.subarray(0, end);
        bytes = bytes.subarray(end);
        return reply;
      }
      await new Promise((resolve) => {
        changed = resolve;
      });
    }
  };
  return { ask, close: () => socket.end() };
}

test('without a server, or with a wrong token, a client has an error reply, and its connection ends', async (t) => {
  const worker = await start(t);
  const wrong = await bridge(t, worker.url, { token: 'wrong' });
  assert.match(await redisCliPrints(wrong.port, ['GET', 'k']), /ERR keylatch connect: the server refuses the token/);
  await worker.stop();
  const { port, errors } = await bridge(t, worker.url);
  assert.match(await redisCliPrints(port, ['GET', 'k']), /ERR keylatch connect: no connection to .*ECONNREFUSED/);
  const client = await raw(t, port);
  client.socket.write('*1\r\n$4\r\nPING\r\n');
  await until(() => client.isClosed, 'the end of the connection');
  assert.match(client.text, /^-ERR keylatch connect: no connection/);
  await assert.rejects(ioredis(t, port, { retryStrategy: null, maxRetriesPerRequest: 0 }).get('k'));
  assert.match(errors(), /^keylatch connect: no connection to [^\n]*\n$/, 'the same is printed once');
});

test('a lost server disconnects its clients, whose own rule decides; they come back with it', async (t) => {
  const folder = await storageFolder(t);
  const first = await start(t, { folder });
  const { port } = await bridge(t, first.url);
  const redis = ioredis(t, port, { maxRetriesPerRequest: null, retryStrategy: () => 50 });
  await redis.set('k', 'v');
  const lost = await raw(t, port);
  lost.socket.write('BLPOP q 0\r\n');
  await blocked(first, 1);
  await first.stop();
  await until(() => lost.isClosed, 'the end of the connection');
  assert.equal(lost.text, '');
  const read = redis.get('k');
  await start(t, { folder, port: first.port });
  assert.equal(await read, 'v');
});

test('neither side is read while the other one takes nothing', async (t) => {
  const { worker, port, memory } = await bridged(t);
  const before = memory();
  const value = 1_000_000;
  const count = 100;
  const reader = await raw(t, port);
  reader.socket.write(`SETRANGE large ${value - 1} x\r\n`);
  await until(() => reader.bytes > 0, 'the reply');
  reader.socket.pause();
  const passed = reader.bytes;
  reader.socket.write('GET large\r\n'.repeat(count));
  // Other clients are served meanwhile.
  const other = ioredis(t, port);
  for (let round = 0; round < 200; round += 1) assert.equal(await other.ping(), 'PONG');
  if (before !== undefined) assert.ok(memory() - before < 40_000_000, `${memory() - before} bytes more`);
  reader.socket.resume();
  const header = `$${value}\r\n`.length;
  await until(() => reader.bytes - passed === count * (header + value + 2), 'all replies');

  const writer = await raw(t, port);
  writer.socket.write('PING\r\n');
  await until(() => writer.bytes > 0, 'the connection');
  process.kill(worker.pid, 'SIGSTOP');
  const piece = Buffer.alloc(1_000_000, 'x');
  const busy = memory();
  let sent = 0;
  const isTaken = async () => writer.socket.write(piece) || Promise.race([once(writer.socket, 'drain'), sleep(2000)]);
  for (; sent < 200 && (await isTaken()) !== undefined; sent += 1);
  assert.ok(sent < 200, 'the bridge has stopped reading');
  if (busy !== undefined) assert.ok(memory() - busy < 40_000_000, `${memory() - busy} bytes more`);
  process.kill(worker.pid, 'SIGCONT');
});

test('a signal ends a bridge and its clients; a Unix socket', async (t) => {
  const worker = await start(t);
  const folder = await mkdtemp(join(tmpdir(), 'keylatch-bridge-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'socket');
  for (const signal of ['SIGTERM', 'SIGINT']) {
    const { stop, addresses, target } = await bridge(t, worker.url, { args: ['--unixsocket', path] });
    assert.deepEqual([addresses, target], [path, worker.url.replace('http', 'ws').replace(/\/$/, '')]);
    const client = await raw(t, path);
    client.socket.write('PING\r\n');
    await until(() => client.text === '+PONG\r\n', 'the reply');
    client.socket.write('BLPOP q 0\r\n');
    await blocked(worker, 1);
    assert.equal(await stop(signal), 0);
    await until(() => client.isClosed, 'the end of the connection');
    await blocked(worker, 0);
  }
});

/** Appends numbers until the server is lost; calls back for those that were acknowledged. */
async function writeNumbers(redis, key, next, acknowledged) {
  const write = async () => {
    for (;;) {
      const number = next();
      if (!(await redis.rpush(key, number).then(Boolean, () => false))) return;
      acknowledged(number);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, write));
}

test(`workerd is killed ${ROUNDS} times below clients: what was acknowledged is there, nothing twice`, async (t) => {
  const folder = await storageFolder(t);
  let worker = await start(t, { folder });
  const { port } = await bridge(t, worker.url);
  const keys = Array.from({ length: CLIENTS }, (_, index) => `list:${index}`);
  const known = new Map(keys.map((key) => [key, { count: 0, acknowledged: [] }]));
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = keys.map((key) => known.get(key).acknowledged.length);
    const writers = keys.map((key) => {
      const own = known.get(key);
      const redis = ioredis(t, port, { retryStrategy: null, maxRetriesPerRequest: 0 });
      const next = () => (own.count += 1);
      return writeNumbers(redis, key, next, (number) => own.acknowledged.push(number));
    });
    await until(() => keys.every((key, index) => known.get(key).acknowledged.length > before[index]), 'replies');
    await sleep(Math.random() * 200);
    await worker.stop();
    await Promise.all(writers);
    worker = await start(t, { folder, port: worker.port });
  }
  for (const [key, { acknowledged }] of known) {
    const stored = (await worker.call('LRANGE', key, 0, -1)).map(Number);
    assert.equal(new Set(stored).size, stored.length, 'nothing is there twice');
    assert.ok(acknowledged.length >= ROUNDS, `${acknowledged.length} acknowledged`);
    const missing = acknowledged.filter((number) => !stored.includes(number));
    assert.deepEqual(missing, [], 'nothing that was acknowledged is lost');
  }
});
