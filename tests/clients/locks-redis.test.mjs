/** keylatch/locks with client objects over a real Redis: the script, its line and its messages. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import Redis from 'ioredis';
import { CLIENTS, closed, control, errorOf } from './support/lock-clients.mjs';
import { checkElection, checkOnce, checkPermits } from './support/lock-kinds.mjs';
import { serveRedis } from './support/redis.mjs';
import { entry, sleep, until } from './support/server.mjs';

const { locks, Lost, NeverAcquired, NotSupported, Stolen, TimedOut } = await entry('locks');

const STATE = '{lock:door}:state';

/** Connections to a server. */
async function connections(redis) {
  return (await redis.client('LIST')).trim().split('\n').length;
}

for (const [title, connect] of Object.entries(CLIENTS)) {
  const isHttp = title.startsWith('@upstash');

  describe(title, { concurrency: 1 }, () => {
    test('exclusive locks, with tokens that grow, also after the keys are gone', async (t) => {
      const { port } = await serveRedis(t);
      const redis = control(t, port);
      const mine = locks(await connect(t, port));
      let inside = 0;
      const tokens = [];
      const work = async (lock) => {
        inside += 1;
        assert.equal(inside, 1);
        tokens.push(lock.token);
        assert.ok((await redis.get(STATE)).endsWith(` ${lock.owner}`));
        await sleep(5);
        inside -= 1;
        return lock.token;
      };
      const results = await Promise.all([1, 2, 3, 4].map(() => mine.request('door', { ttl: 5000 }, work)));
      assert.deepEqual(results, tokens, 'in the order of the requests');
      assert.deepEqual([...tokens].sort(), tokens);
      assert.deepEqual(await redis.keys('*'), [STATE]);
      const ttlMs = await redis.pttl(STATE);
      assert.ok(ttlMs > 3_000_000 && ttlMs < 3_700_000, `${ttlMs}`);
      await redis.flushall();
      assert.ok((await mine.request('door', work)) > tokens[3]);
    });

    test("a held lock is not given, and another's is not released", async (t) => {
      const { port } = await serveRedis(t);
      const redis = control(t, port);
      const mine = locks(await connect(t, port));
      const lock = await mine.acquire('door');
      assert.equal(await mine.acquire('door', { ifAvailable: true }), null);
      assert.ok((await errorOf(mine.acquire('door', { wait: 50 }))) instanceof TimedOut);
      assert.deepEqual((await mine.query('door')).pending, []);
      const thief = await mine.acquire('door', { steal: true });
      assert.equal(await lock.release(), false);
      assert.equal(await thief.check(), true);
      await redis.rpush('{lock:list}:state', 'x');
      const error = await errorOf(mine.acquire('list'));
      assert.ok(error instanceof NeverAcquired);
      assert.match(error.message, /WRONGTYPE/);
    });

    test('a lease is renewed, and its loss is reported', async (t) => {
      const { port } = await serveRedis(t);
      const redis = control(t, port);
      const mine = locks(await connect(t, port));
      const lock = await mine.acquire('door', { ttl: 6000 });
      const { signal } = lock;
      const granted = await redis.get(STATE);
      await until(async () => (await redis.get(STATE)) !== granted, 'the renewal');
      assert.equal(signal.aborted, false);
      assert.ok((await lock.renew(60_000)) > 59_000);
      await redis.script('FLUSH');
      assert.equal(await lock.check(), true);
      await redis.flushall();
      assert.ok((await errorOf(lock.renew())) instanceof Lost);
      assert.ok(signal.reason instanceof Lost);
    });

    test('shared locks, upgrades, semaphores, elections, queries', async (t) => {
      const { port } = await serveRedis(t);
      const mine = locks(await connect(t, port));
      const readers = [await mine.acquire('door', { mode: 'shared' }), await mine.acquire('door', { mode: 'shared' })];
      const { held, pending } = await mine.query();
      assert.deepEqual(
        held.map(({ name, mode, clientId, token }) => [name, mode, clientId, token]).sort(),
        readers.map(({ owner, token }) => ['door', 'shared', owner, token]).sort(),
      );
      assert.deepEqual(pending, []);
      const upgrade = readers[0].upgrade();
      await until(async () => (await mine.query('door')).pending.length === 1, 'the upgrade');
      assert.equal((await errorOf(readers[1].upgrade())).code, 'DEADLOCK');
      await readers[1].release();
      await upgrade;
      await readers[0].downgrade();
      assert.equal(await readers[0].release(), true);
      await checkPermits(mine);
      await checkElection(mine);
    });

    test('limits, tasks, barriers', async (t) => {
      const { port } = await serveRedis(t);
      const redis = control(t, port);
      const mine = locks(await connect(t, port));
      for (const kind of ['smooth', 'fixed', 'sliding']) {
        const limit = { limit: 1, period: 60_000, kind };
        assert.equal((await mine.limit(kind, limit)).allowed, true);
        const { allowed, retryAfterMs } = await mine.limit(kind, limit);
        assert.equal(allowed, false);
        assert.ok(retryAfterMs > 50_000 && retryAfterMs < 61_000, `${kind}: ${retryAfterMs}`);
        assert.ok((await redis.pttl(`lock:${kind}`)) > 50_000);
      }
      await checkOnce(mine);
      assert.deepEqual(await mine.once('job', () => ({ n: 3 })), { n: 1 });
      const barrier = mine.barrier('start', { parties: 2 });
      await Promise.all([barrier.arrive(), barrier.arrive()]);
      assert.deepEqual(await barrier.state(), { open: true, arrived: 2, parties: 2 });
    });

    test('waiting requests are served in their order', async (t) => {
      const { port } = await serveRedis(t);
      const client = await connect(t, port);
      const mine = locks(client);
      const first = await mine.acquire('door');
      const order = [];
      const waits = [];
      for (const number of [1, 2, 3]) {
        waits.push(locks(client).request('door', () => order.push(number)));
        await until(async () => (await mine.query('door')).pending.length === number, 'the wait');
      }
      await first.release();
      await Promise.all(waits);
      assert.deepEqual(order, [1, 2, 3]);
    });

    test('several names, and names above them', async (t) => {
      const { port } = await serveRedis(t);
      const mine = locks(await connect(t, port), { hierarchy: true });
      const part = await mine.acquire('shop/till', { ttl: 60_000 });
      assert.equal(await mine.acquire('shop', { ifAvailable: true }), null);
      const both = mine.acquire(['door', 'shop'], { ttl: 60_000 });
      await until(async () => (await mine.query('door')).pending.length === 1, 'the wait');
      assert.equal(await mine.acquire('door', { ifAvailable: true }), null);
      assert.equal(await part.release(), true);
      const lock = await both;
      assert.ok(lock.token > part.token);
      assert.ok((await lock.renew()) > 0);
      assert.equal(await mine.acquire('shop/till', { mode: 'shared', ifAvailable: true }), null);
      assert.equal(await lock.release(), true);
    });

    test('a command runs only while the lock is held', async (t) => {
      const { port } = await serveRedis(t);
      const mine = locks(await connect(t, port));
      const lock = await mine.acquire('door', { ttl: 60_000 });
      assert.equal(await lock.run(['SET', 'file', 'mine']), 'OK');
      assert.match((await errorOf(lock.run(['INCR', 'file']))).message, /not an integer/);
      const thief = await mine.acquire('door', { ttl: 60_000, steal: true });
      assert.ok((await errorOf(lock.run(['SET', 'file', 'late']))) instanceof Stolen);
      assert.equal(await thief.run(['GET', 'file']), 'mine');
    });

    if (isHttp) return;

    test('twenty objects of locks of one client: two connections, and theft is told by a message', async (t) => {
      const { port } = await serveRedis(t);
      const redis = control(t, port);
      const client = await connect(t, port);
      const names = Array.from({ length: 20 }, (_, n) => `door ${n}`);
      const held = await Promise.all(names.map((name) => locks(client).acquire(name, { ttl: 600_000 })));
      const signals = held.map(({ signal }) => signal);
      await until(async () => (await redis.pubsub('CHANNELS')).length === 1, 'the subscription');
      assert.equal(await connections(redis), 3, 'that of the client, the one for messages, and the one that asks');
      const thief = locks(redis);
      await Promise.all(names.map((name) => thief.acquire(name, { steal: true })));
      await until(() => signals.every(({ aborted }) => aborted), 'the loss of all');
      assert.ok(signals.every(({ reason }) => reason instanceof Stolen));
    });

    test('a message is lost with its connection, and the waiting client looks when that is back', async (t) => {
      const { port } = await serveRedis(t);
      const redis = control(t, port);
      const client = await connect(t, port);
      const lock = await locks(redis).acquire('door', { ttl: 600_000 });
      const waiting = locks(client).acquire('door');
      await until(async () => (await redis.pubsub('CHANNELS')).length === 1, 'the subscription');
      await redis.client('KILL', 'TYPE', 'pubsub');
      await lock.release();
      assert.equal((await waiting).held, true);
    });

    test('a user without channels, and one without scripts', async (t) => {
      const { port } = await serveRedis(t);
      const redis = control(t, port);
      await redis.acl('SETUSER', 'quiet', 'on', 'nopass', '+@all', '~*', 'resetchannels');
      await redis.acl('SETUSER', 'plain', 'on', 'nopass', '+@all', '-@scripting', '~*', '&*');
      const as = (username) => closed(t, new Redis(port, '127.0.0.1', { username, password: 'x' }), 'disconnect');
      const lock = await locks(as('quiet')).acquire('door');
      const waiting = locks(as('quiet')).acquire('door');
      await until(async () => (await locks(redis).query('door')).pending.length === 1, 'the wait');
      await lock.release();
      assert.equal((await waiting).held, true);
      const error = await errorOf(locks(as('plain')).acquire('door'));
      assert.ok(error instanceof NotSupported, String(error));
      assert.equal(error.command, 'EVAL');
    });
  });
}

test('a user with the rights that docs/locks.md names, and no others', async (t) => {
  const { port } = await serveRedis(t);
  const redis = control(t, port);
  const page = readFileSync(new URL('../../docs/locks.md', import.meta.url), 'utf8');
  const [, rights] = /^ACL SETUSER locks on (.*)$/m.exec(page);
  await redis.acl('SETUSER', 'locks', 'on', 'nopass', ...rights.split(' '));
  const client = closed(t, new Redis(port, '127.0.0.1', { username: 'locks', password: 'x' }), 'disconnect');
  const mine = locks(client);
  const first = await mine.acquire('door', { delay: 10 });
  const next = mine.request('door', { mode: 'shared' }, (lock) => lock.upgrade());
  await until(async () => (await redis.pubsub('CHANNELS')).length === 1, 'the subscription');
  await first.release();
  await next;
  await (await mine.semaphore('pool', 2).acquire()).release();
  assert.equal(await mine.once('job', () => 1), 1);
  await mine.barrier('start', { parties: 1 }).arrive();
  for (const kind of ['smooth', 'fixed', 'sliding'])
    for (const allowed of [true, false])
      assert.equal((await mine.limit(kind, { limit: 1, period: 60_000, kind })).allowed, allowed);
  assert.equal((await mine.query('door')).held.length, 0);
  await assert.rejects(client.set('other', 1), /NOPERM/);
});

test('over maxmemory a lock can be renewed and released', async (t) => {
  const { port } = await serveRedis(t);
  const redis = control(t, port);
  const mine = locks(redis);
  const lock = await mine.acquire('door', { ttl: 60_000 });
  const reader = await mine.acquire('page', { mode: 'shared', ttl: 60_000 });
  await redis.config('SET', 'maxmemory', '1');
  assert.ok((await lock.renew()) > 0);
  assert.ok((await reader.renew()) > 0);
  assert.equal(await lock.release(), true);
  assert.equal(await reader.release(), true);
  const error = await errorOf(mine.acquire('door'));
  assert.ok(error instanceof NeverAcquired);
  assert.match(error.message, /OOM/);
});
