/** Client-side caching of popular clients: their caches hit and never return outdated values, as with a real Redis. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { BasicClientSideCache, createClient } from 'redis';
import { python, serveRedis } from './support/redis.mjs';
import { run, serve, until } from './support/server.mjs';

async function open(t, port, options = {}) {
  const client = createClient({ RESP: 3, socket: { port, host: '127.0.0.1', reconnectStrategy: false }, ...options });
  client.on('error', () => {});
  t.after(() => client.destroy());
  await client.connect();
  return client;
}

/** Values that a caching client reads while another writes, and the number of its cache hits. */
async function nodeRedis(t, port) {
  const cache = new BasicClientSideCache({ maxEntries: 100, ttl: 0 });
  const [reader, writer] = [await open(t, port, { clientSideCache: cache }), await open(t, port)];
  const invalidated = [];
  cache.on('invalidate', (key) => invalidated.push(key === null ? null : key.toString()));
  const told = (count) => until(() => invalidated.length >= count, `${count} invalidations of ${invalidated}`);
  const seen = [];
  const read = async () => {
    seen.push(await reader.get('k'), await reader.hGetAll('h'));
  };
  await writer.flushAll();
  await told(1);
  await read();
  await read();
  await writer.set('k', 'v');
  await writer.hSet('h', 'f', '1');
  await told(3);
  await read();
  await read();
  await writer.multi().del('k').hIncrBy('h', 'f', 1).exec();
  await told(5);
  await read();
  await writer.set('k', 'short', { expiration: { type: 'PX', value: 30 } });
  await told(6);
  await read();
  await told(7);
  await read();
  await writer.flushAll();
  await told(8);
  await read();
  await reader.set('k', 'own');
  await told(9);
  await read();
  const stats = cache.stats();
  return { seen: JSON.parse(JSON.stringify(seen)), invalidated, hits: stats.hitCount, misses: stats.missCount };
}

test('node-redis: a cache over RESP3', async (t) => {
  const control = await nodeRedis(t, (await serveRedis(t)).port);
  assert.ok(control.hits > 5, `${control.hits}`);
  assert.deepEqual(await nodeRedis(t, (await serve(t)).port), control);
});

// This client refuses to cache with servers older than 7.4, so the real server is compared by the values read only.
test('redis-py: a cache over RESP3', async (t) => {
  const { port } = await serve(t);
  const { code, output, errors } = await run(python, [join(import.meta.dirname, 'python/caching.py'), port]);
  assert.equal(code, 0, errors);
  const { seen, sizes } = JSON.parse(output);
  assert.deepEqual(seen, [null, null, 'v', 'v', 'w', null, null, null, 'own', null, null]);
  assert.equal(Math.max(...sizes), 2, 'the cache held what was read');
});
