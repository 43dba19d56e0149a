/** keylatch/locks with client objects over a keylatch, where waiting clients are notified. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Redis as Upstash } from '@upstash/redis';
import Redis from 'ioredis';
import { CLIENTS, closed, control, errorOf } from './support/lock-clients.mjs';
import { checkElection, checkOnce, checkPermits } from './support/lock-kinds.mjs';
import { serveRedis } from './support/redis.mjs';
import { entry, serve, sleep, until } from './support/server.mjs';

const { locks, redlock, Lost, Stolen, TimedOut } = await entry('locks');
const { Keylatch } = await entry('index');
const { upstashRequester } = await entry('upstash');
const { connector } = await entry('ioredis');

/** How often a command ran on a server. */
async function calls(redis, command) {
  const stats = await redis.info('commandstats');
  return Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(stats)?.[1] ?? 0);
}

for (const [title, connect] of Object.entries(CLIENTS)) {
  describe(`${title} with keylatch`, { concurrency: 1 }, () => {
    test('shared locks, semaphores, limits, tasks, barriers, queries', async (t) => {
      const { port } = await serve(t);
      const mine = locks(await connect(t, port));
      const readers = [await mine.acquire('door', { mode: 'shared' }), await mine.acquire('door', { mode: 'shared' })];
      const { held, pending } = await mine.query();
      assert.deepEqual(
        held.map(({ name, mode, clientId, token }) => [name, mode, clientId, token]),
        readers.map(({ owner, token }) => ['door', 'shared', owner, token]),
      );
      assert.deepEqual(pending, []);
      await readers[1].release();
      await readers[0].upgrade();
      await readers[0].downgrade();
      assert.equal(await readers[0].release(), true);
      await checkPermits(mine);
      const limit = { limit: 1, period: 60_000 };
      assert.equal((await mine.limit('api', limit)).allowed, true);
      assert.equal((await mine.limit('api', limit)).allowed, false);
      await checkOnce(mine);
      const barrier = mine.barrier('start', { parties: 2 });
      await Promise.all([barrier.arrive(), barrier.arrive()]);
      await checkElection(mine);
    });

    test('a command runs only while the lock is held, in a transaction', async (t) => {
      const { port } = await serve(t);
      const mine = locks(await connect(t, port));
      const lock = await mine.acquire('door', { ttl: 60_000 });
      if (title.startsWith('@upstash')) {
        assert.equal((await errorOf(lock.run(['SET', 'file', 'mine']))).command, 'MULTI');
        return;
      }
      assert.equal(await lock.run(['SET', 'file', 'mine']), 'OK');
      assert.match((await errorOf(lock.run(['INCR', 'file']))).message, /not an integer/);
      const thief = await mine.acquire('door', { ttl: 60_000, steal: true });
      assert.ok((await errorOf(lock.run(['SET', 'file', 'late']))) instanceof Stolen);
      assert.equal(await thief.run(['GET', 'file']), 'mine');
    });

    test('a stolen lock is found out by the next renewal', async (t) => {
      const { port } = await serve(t);
      const client = await connect(t, port);
      const { signal } = await locks(client).acquire('door', { ttl: 300 });
      const thief = await locks(client).acquire('door', { steal: true });
      await until(() => signal.aborted, 'the loss');
      assert.ok(signal.reason instanceof Stolen);
      assert.equal(await thief.release(), true);
    });

    if (title.startsWith('@upstash')) return;

    test('the loss of a watched lock is reported by the server', async (t) => {
      const { port } = await serve(t);
      const redis = control(t, port);
      const mine = locks(await connect(t, port));
      const { signal } = await mine.acquire('door');
      const tracked = async () => (await redis.client('LIST')).split('\n').some((line) => / flags=\S*t/.test(line));
      await until(tracked, 'a connection that tracks');
      const thief = await mine.acquire('door', { steal: true });
      await until(() => signal.aborted, 'the loss');
      assert.ok(signal.reason instanceof Stolen);
      const second = thief.signal;
      const third = (await mine.acquire('gate')).signal;
      await sleep(20);
      await redis.flushall();
      await until(() => second.aborted && third.aborted, 'the loss of both');
      assert.ok(second.reason instanceof Lost && !(second.reason instanceof Stolen));
      const lock = await mine.acquire('door', { ttl: 60_000 });
      assert.equal(lock.signal.aborted, false);
      await redis.client('KILL', 'TYPE', 'pubsub');
      await sleep(50);
      assert.equal(lock.signal.aborted, false, 'the end of the connection is no loss');
      assert.equal(await lock.release(), true);
    });

    test('twenty objects of locks of one client watch on the same two connections', async (t) => {
      const { port } = await serve(t);
      const redis = control(t, port);
      const client = await connect(t, port);
      const held = await Promise.all(Array.from({ length: 20 }, (_, n) => locks(client).acquire(`door ${n}`)));
      const signals = held.map(({ signal }) => signal);
      const tracked = async () => (await redis.client('LIST')).split('\n').some((line) => / flags=\S*t/.test(line));
      await until(tracked, 'a connection that tracks');
      await sleep(50);
      // That of the client, the two, and the one that asks.
      assert.equal((await redis.client('LIST')).trim().split('\n').length, 4);
      await redis.flushall();
      await until(() => signals.every(({ aborted }) => aborted), 'the loss of all');
    });

    test('a waiting client is notified, on a connection of its own, in the order of the line', async (t) => {
      const { port } = await serve(t);
      const redis = control(t, port);
      const client = await connect(t, port);
      const mine = locks(client);
      const first = await mine.acquire('door');
      const order = [];
      const waits = [];
      for (const number of [1, 2, 3]) {
        waits.push(mine.request('door', () => order.push(number)));
        await until(async () => (await mine.query('door')).pending.length === number, 'the wait');
      }
      const asked = await calls(redis, 'latch.acquire');
      await sleep(100);
      assert.equal(await calls(redis, 'latch.acquire'), asked, 'nothing is asked while waiting');
      await first.release();
      await Promise.all(waits);
      assert.deepEqual(order, [1, 2, 3]);
      const connections = async () => (await redis.client('LIST')).trim().split('\n').length;
      await until(async () => (await connections()) === 2, 'the end of the connections of the waits');
    });

    test('an abort and a timeout leave the line', async (t) => {
      const { port } = await serve(t);
      const mine = locks(await connect(t, port));
      const first = await mine.acquire('door');
      const controller = new AbortController();
      const aborted = errorOf(mine.acquire('door', { signal: controller.signal }));
      await until(async () => (await mine.query('door')).pending.length === 1, 'the wait');
      controller.abort(new Error('enough'));
      assert.equal((await aborted).cause.message, 'enough');
      await until(async () => (await mine.query('door')).pending.length === 0, 'the end of the wait');
      assert.ok((await errorOf(mine.acquire('door', { wait: 50 }))) instanceof TimedOut);
      const deadlock = async (lock) => errorOf(lock.upgrade());
      await first.downgrade();
      const second = await mine.acquire('door', { mode: 'shared' });
      const upgrade = first.upgrade();
      await until(async () => (await mine.query('door')).pending.length === 1, 'the upgrade');
      assert.equal((await deadlock(second)).code, 'DEADLOCK');
      await second.release();
      await upgrade;
    });
  });
}

test('objects of this process: keylatch/ioredis, and @upstash/redis on an engine', async (t) => {
  const inProcess = closed(t, new Redis({ Connector: connector(new Keylatch()) }), 'disconnect');
  for (const client of [inProcess, new Upstash(upstashRequester(new Keylatch()))]) {
    const mine = locks(client);
    const order = [];
    await mine.request('door', async () => {
      void mine.request('door', () => order.push(2));
      await sleep(30);
      order.push(1);
    });
    await until(() => order.length === 2, 'the second request');
    assert.deepEqual(order, [1, 2]);
  }
});

test('redlock over three servers, one of which is gone', async (t) => {
  const servers = [await serveRedis(t), await serveRedis(t), await serve(t)];
  const clients = servers.map(({ port }) =>
    closed(t, new Redis(port, '127.0.0.1', { retryStrategy: () => 50 }), 'disconnect'),
  );
  const mine = redlock(clients);
  const controls = servers.map(({ port }) => control(t, port));
  await mine.request('door', { ttl: 9000 }, async (lock) => {
    assert.ok(lock.remainingMs > 3000 && lock.remainingMs < 9000 - 90);
    assert.equal(await mine.acquire('door', { ifAvailable: true }), null);
  });
  for (const redis of controls) {
    const free = async () => (await locks(redis).acquire('door', { ifAvailable: true }))?.release() ?? false;
    await until(free, 'the release on all servers');
  }
  process.kill(servers[0].pid);
  await until(() => clients[0].status !== 'ready', 'the end of a server');
  const held = await mine.acquire('door', { ttl: 600 });
  await sleep(1000);
  assert.equal(held.held, true, 'two of three renew');
  assert.equal(await held.release(), true);
});

test('ioredis with keyPrefix is refused, with the way to go', () => {
  const redis = new Redis({ lazyConnect: true, keyPrefix: 'app:' });
  assert.throws(() => locks(redis), /pass a client without keyPrefix, and the option prefix of locks/);
});
