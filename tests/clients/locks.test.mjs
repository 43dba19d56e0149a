/** keylatch/locks with client objects: over a plain Redis, and over a keylatch, where waiting clients are notified. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Redis as Upstash } from '@upstash/redis';
import Redis from 'ioredis';
import { CLIENTS, closed, control, errorOf } from './support/lock-clients.mjs';
import { serveRedis } from './support/redis.mjs';
import { entry, serve, sleep, until } from './support/server.mjs';

const { locks, redlock, LockError, Lost, NeverAcquired, NotSupported, Stolen, TimedOut } = await entry('locks');
const { Keylatch } = await entry('index');
const { upstashRequester } = await entry('upstash');
const { connector } = await entry('ioredis');

/** How often a command ran on a server. */
async function calls(redis, command) {
  const stats = await redis.info('commandstats');
  return Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(stats)?.[1] ?? 0);
}

for (const [title, connect] of Object.entries(CLIENTS)) {
  describe(`${title} with Redis 7`, { concurrency: 1 }, () => {
    test('exclusive locks, with tokens that grow', async (t) => {
      const { port } = await serveRedis(t);
      const redis = control(t, port);
      const mine = locks(await connect(t, port));
      let inside = 0;
      const tokens = [];
      const work = async (lock) => {
        inside += 1;
        assert.equal(inside, 1);
        tokens.push(lock.token);
        assert.equal(await redis.get('lock:door'), lock.owner);
        await sleep(5);
        inside -= 1;
        return lock.token;
      };
      const results = await Promise.all([1, 2, 3, 4].map(() => mine.request('door', { ttl: 5000 }, work)));
      assert.deepEqual(tokens, [1, 2, 3, 4]);
      assert.deepEqual([...results].sort(), tokens);
      assert.equal(await redis.exists('lock:door'), 0);
      assert.equal(await redis.get('{lock:door}:token'), '4');
    });

    test("a held lock is not given, and another's is not released", async (t) => {
      const { port } = await serveRedis(t);
      const redis = control(t, port);
      const mine = locks(await connect(t, port));
      const lock = await mine.acquire('door');
      assert.equal(await mine.acquire('door', { ifAvailable: true }), null);
      assert.ok((await errorOf(mine.acquire('door', { wait: 50 }))) instanceof TimedOut);
      await redis.set('lock:door', 'other');
      assert.equal(await lock.release(), false);
      assert.equal(await redis.get('lock:door'), 'other');
      await redis.rpush('lock:list', 'x');
      const error = await errorOf(mine.acquire('list'));
      assert.ok(error instanceof NeverAcquired);
      assert.match(error.message, /WRONGTYPE/);
    });

    test('a lease is renewed, and its loss is reported', async (t) => {
      const { port } = await serveRedis(t);
      const redis = control(t, port);
      const mine = locks(await connect(t, port));
      const lock = await mine.acquire('door', { ttl: 300 });
      const { signal } = lock;
      await sleep(500);
      assert.equal(await redis.get('lock:door'), lock.owner);
      assert.equal(signal.aborted, false);
      assert.ok((await lock.renew(60_000)) > 59_000);
      assert.ok((await redis.pttl('lock:door')) > 59_000);
      await redis.del('lock:door');
      assert.ok((await errorOf(lock.renew())) instanceof Lost);
      assert.ok(signal.reason instanceof Lost);
    });

    test('what a plain Redis lacks is named', async (t) => {
      const { port } = await serveRedis(t);
      const mine = locks(await connect(t, port));
      for (const run of [
        () => mine.acquire('door', { mode: 'shared' }),
        () => mine.limit('door', { limit: 1, period: 1000 }),
        () => mine.once('door', () => 1),
        () => mine.query('door'),
      ]) {
        const error = await errorOf(run());
        assert.ok(error instanceof NotSupported && error instanceof LockError);
        assert.match(error.command, /^LATCH\./);
      }
    });
  });

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
      const permit = await mine.semaphore('pool', 1).acquire();
      assert.equal(await mine.semaphore('pool', 1).acquire({ ifAvailable: true }), null);
      await permit.release();
      const limit = { limit: 1, period: 60_000 };
      assert.equal((await mine.limit('api', limit)).allowed, true);
      assert.equal((await mine.limit('api', limit)).allowed, false);
      const both = [mine.once('job', () => sleep(20).then(() => ({ n: 1 }))), mine.once('job', () => ({ n: 2 }))];
      assert.deepEqual(await Promise.all(both), [{ n: 1 }, { n: 1 }]);
      const barrier = mine.barrier('start', { parties: 2 });
      await Promise.all([barrier.arrive(), barrier.arrive()]);
      const election = mine.elect('chair', { candidate: 'ann' });
      await election.campaign();
      assert.equal((await election.leader()).candidate, 'ann');
      assert.equal(await election.resign(), true);
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
  await until(async () => {
    const counts = await Promise.all(controls.map((redis) => redis.exists('lock:door')));
    return counts.every((count) => count === 0);
  }, 'the release on all servers');
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
