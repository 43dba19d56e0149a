/** keylatch/locks over a Redis Cluster of two nodes, with the clients of ioredis and node-redis, and while a slot moves. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import Redis from 'ioredis';
import { createCluster } from 'redis';
import { closed, control } from './support/lock-clients.mjs';
import { serveRedis } from './support/redis.mjs';
import { entry, freePort, sleep, until } from './support/server.mjs';

const { locks } = await entry('locks');
const KEY = '{lock:door}:state';

/** A node; `redis` is a connection to it. */
async function node(t) {
  const dir = mkdtempSync(join(tmpdir(), 'keylatch-cluster-'));
  const { port } = await serveRedis(
    t,
    '--cluster-enabled',
    'yes',
    '--cluster-port',
    String(await freePort()),
    '--dir',
    dir,
  );
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const redis = control(t, port);
  return { port, redis, id: await redis.cluster('MYID') };
}

/** Two nodes: the first has all slots but one. node-redis knows no nodes without slots. */
async function cluster(t) {
  const [first, second] = [await node(t), await node(t)];
  await first.redis.cluster('ADDSLOTSRANGE', 1, 16_383);
  await second.redis.cluster('ADDSLOTS', 0);
  const bus = /@(\d+)/.exec(await second.redis.cluster('NODES'))[1];
  await first.redis.cluster('MEET', '127.0.0.1', second.port, bus);
  const isReady = async ({ redis }) => {
    const info = await redis.cluster('INFO');
    return /cluster_state:ok/.test(info) && /cluster_known_nodes:2/.test(info);
  };
  await until(async () => (await isReady(first)) && isReady(second), 'the cluster', 60_000);
  return { first, second };
}

const CLIENTS = {
  ioredis: async (t, port) => {
    const client = closed(t, new Redis.Cluster([{ host: '127.0.0.1', port }]), 'disconnect');
    await until(() => client.status === 'ready', 'the client');
    return client;
  },
  'node-redis': async (t, port) => {
    const client = closed(t, createCluster({ rootNodes: [{ url: `redis://127.0.0.1:${port}` }] }), 'destroy');
    await client.connect();
    return client;
  },
};

for (const [title, connect] of Object.entries(CLIENTS)) {
  test(`${title}: locks, line, messages, tasks and barriers of a cluster`, async (t) => {
    const { first, second } = await cluster(t);
    const mine = locks(await connect(t, first.port));
    const lock = await mine.acquire('door', { ttl: 60_000 });
    const order = [];
    const waits = [];
    for (const number of [1, 2]) {
      waits.push(mine.request('door', () => order.push(number)));
      await until(async () => (await mine.query('door')).pending.length === number, 'the wait');
    }
    const channels = async ({ redis }) => (await redis.pubsub('CHANNELS')).length;
    await until(async () => (await channels(first)) + (await channels(second)) === 1, 'the subscription');
    await lock.release();
    await Promise.all(waits);
    assert.deepEqual(order, [1, 2]);
    const readers = [await mine.acquire('page', { mode: 'shared' }), await mine.acquire('page', { mode: 'shared' })];
    assert.deepEqual(await Promise.all(readers.map((reader) => reader.release())), [true, true]);
    const both = [mine.once('job', () => sleep(20).then(() => 1)), mine.once('job', () => 2)];
    assert.deepEqual(await Promise.all(both), [1, 1]);
    const barrier = mine.barrier('start', { parties: 2 });
    await Promise.all([barrier.arrive(), barrier.arrive()]);
    assert.equal((await mine.limit('api', { limit: 1, period: 1000 })).allowed, true);
    await assert.rejects(mine.acquire(['left', 'right']), /name them "\{left\}", "\{left\}right"/);
    const names = await mine.acquire(['{left}', '{left}right']);
    assert.equal(await names.release(), true);
  });

  test(`${title}: a lock is held, renewed and released while its slot moves, and granted after that`, async (t) => {
    const { first, second } = await cluster(t);
    const mine = locks(await connect(t, first.port));
    const lock = await mine.acquire('door', { ttl: 60_000 });
    const slot = await first.redis.cluster('KEYSLOT', KEY);
    await second.redis.cluster('SETSLOT', slot, 'IMPORTING', first.id);
    await first.redis.cluster('SETSLOT', slot, 'MIGRATING', second.id);
    assert.ok((await lock.renew()) > 0, 'the key has not moved yet');
    await first.redis.call('MIGRATE', '127.0.0.1', second.port, KEY, 0, 5000);
    assert.ok((await lock.renew()) > 0, 'the key has moved, and the slot has not');
    assert.equal(await mine.acquire('door', { ifAvailable: true }), null);
    assert.equal(await lock.release(), true);
    const again = await mine.acquire('door', { ttl: 60_000, ifAvailable: true });
    assert.ok(again.token > lock.token);
    for (const { redis } of [second, first]) await redis.cluster('SETSLOT', slot, 'NODE', second.id);
    assert.ok((await again.renew()) > 0);
    assert.equal(await again.release(), true);
    assert.equal(await mine.request('door', () => 'done'), 'done');
  });
}
