/** keylatch/locks with connections that are cut, behind a proxy: waits and watches go on with the next connection. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FaultProxy } from '../js/support/fault-proxy.mjs';
import { CLIENTS, control } from './support/lock-clients.mjs';
import { serveRedis } from './support/redis.mjs';
import { entry, serve, until } from './support/server.mjs';

const { locks, Lost, Stolen } = await entry('locks');

/** Servers of a lock: the LATCH commands, and the script. */
const SERVERS = { keylatch: serve, Redis: serveRedis };

/** Id of the connection that receives messages about keys or on channels; undefined without one. */
async function watching(redis) {
  return /^id=(\d+) .* flags=\S*t|^id=(\d+) .* sub=1 /m.exec(await redis.client('LIST'))?.[0].split(' ')[0];
}

const { '@upstash/redis': _, ...SOCKETS } = CLIENTS;

for (const [server, start] of Object.entries(SERVERS))
  for (const [title, connect] of Object.entries(SOCKETS)) {
    describe(`${title} with ${server}`, { concurrency: 1 }, () => {
      /** Locks behind a proxy, and locks beside it. */
      async function setUp(t) {
        const { port } = await start(t);
        const proxy = await FaultProxy.start(t, port);
        const redis = control(t, port);
        return { proxy, redis, mine: locks(await connect(t, proxy.port)), others: locks(redis) };
      }

      const waiting = (others, count) =>
        until(async () => (await others.query('door')).pending.length === count, `${count} in line`);

      test('a wait goes on when its connection was cut', async (t) => {
        const { proxy, mine, others } = await setUp(t);
        const first = await others.acquire('door', { ttl: 60_000 });
        const second = mine.acquire('door', { ttl: 60_000 });
        await waiting(others, 1);
        const before = proxy.connections;
        proxy.cut();
        await until(() => proxy.connections > before, 'the next connection');
        await waiting(others, 1);
        assert.equal(await first.release(), true);
        const lock = await second;
        assert.ok(lock.token > first.token);
        assert.equal(await lock.release(), true);
      });

      test('a lock that was freed while the connection was away is found by the look after it', async (t) => {
        const { proxy, mine, others } = await setUp(t);
        const first = await others.acquire('door', { ttl: 60_000 });
        const second = mine.acquire('door', { ttl: 60_000 });
        await waiting(others, 1);
        const released = first.release();
        proxy.cut();
        assert.equal(await released, true);
        assert.equal(await (await second).release(), true);
      });

      test('further connections that cannot be made: waiting requests ask again', async (t) => {
        const { proxy, mine, others } = await setUp(t);
        await mine.query('door');
        proxy.cutAfter = 0;
        const first = await others.acquire('door', { ttl: 60_000 });
        const second = mine.acquire('door', { ttl: 60_000 });
        const third = mine.acquire('door', { ttl: 60_000, wait: 300 });
        await assert.rejects(third, { name: 'TimedOut' });
        assert.equal(await first.release(), true);
        const lock = await second;
        const { signal } = lock;
        await others.query('door');
        assert.equal(signal.aborted, false);
        assert.equal(await lock.release(), true);
      });

      test('the loss of a held lock is noticed by a message after the watching connection was cut', async (t) => {
        const { proxy, redis, mine, others } = await setUp(t);
        const lock = await mine.acquire('door', { ttl: 3_600_000 });
        const { signal } = lock;
        const first = await until(() => watching(redis), 'the watching connection');
        proxy.cut();
        await until(async () => ![undefined, first].includes(await watching(redis)), 'the next connection');
        assert.equal(signal.aborted, false, 'the end of a connection is no loss');
        const thief = await others.acquire('door', { steal: true });
        await until(() => signal.aborted, 'the loss');
        assert.ok(signal.reason instanceof Lost || signal.reason instanceof Stolen);
        assert.equal(await thief.release(), true);
      });

      test('a lock that was stolen while the watching connection was away is found by the look after it', async (t) => {
        const { proxy, redis, mine, others } = await setUp(t);
        const lock = await mine.acquire('door', { ttl: 3_600_000 });
        const { signal } = lock;
        await until(() => watching(redis), 'the watching connection');
        proxy.cut();
        await others.acquire('door', { steal: true });
        await until(() => signal.aborted, 'the loss');
      });
    });
  }
