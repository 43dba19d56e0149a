/** Limiter libraries, unchanged: rate-limiter-flexible, and rate-limit-redis below express-rate-limit. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import express from 'express';
import { rateLimit } from 'express-rate-limit';
import { RedisStore } from 'rate-limit-redis';
import { BurstyRateLimiter, RateLimiterRedis } from 'rate-limiter-flexible';
import { createClient } from 'redis';
import { both, client } from './support/both.mjs';

both('rate-limiter-flexible: two points in a second, a penalty, a reward, a block', async (t, port) => {
  const storeClient = client(t, port);
  const limiter = new RateLimiterRedis({ storeClient, points: 2, duration: 1, keyPrefix: 'l' });
  assert.equal((await limiter.consume('ann')).remainingPoints, 1);
  assert.equal((await limiter.consume('ann')).remainingPoints, 0);
  const refused = await limiter.consume('ann').catch((result) => result);
  assert.ok(refused.msBeforeNext > 0 && refused.msBeforeNext <= 1000, `${refused.msBeforeNext}`);
  await limiter.reward('ann', 2);
  await limiter.consume('ann');
  assert.equal((await limiter.penalty('bob', 5)).consumedPoints, 5);
  await assert.rejects(limiter.consume('bob'), (result) => result.consumedPoints === 6);
  await limiter.block('eve', 5);
  await assert.rejects(limiter.consume('eve'), (result) => result.msBeforeNext > 4000);
  await limiter.delete('eve');
  await limiter.consume('eve');
  await sleep(1050);
  assert.equal((await limiter.consume('bob')).consumedPoints, 1);
});

both('rate-limiter-flexible: bursts', async (t, port) => {
  const storeClient = client(t, port);
  const limiter = new BurstyRateLimiter(
    new RateLimiterRedis({ storeClient, points: 1, duration: 1, keyPrefix: 'slow' }),
    new RateLimiterRedis({ storeClient, points: 2, duration: 5, keyPrefix: 'burst' }),
  );
  for (let turn = 0; turn < 3; turn += 1) await limiter.consume('ann');
  await assert.rejects(limiter.consume('ann'), (result) => result.msBeforeNext > 0);
});

both('rate-limit-redis: the third request of a program in express is refused', async (t, port) => {
  const redis = await createClient({ url: `redis://127.0.0.1:${port}` }).connect();
  t.after(() => redis.destroy());
  const store = new RedisStore({ sendCommand: (...args) => redis.sendCommand(args) });
  const program = express();
  program.use(rateLimit({ windowMs: 60_000, limit: 2, store, standardHeaders: 'draft-8', legacyHeaders: false }));
  program.get('/', (_request, response) => response.send('ok'));
  const server = program.listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const statuses = [];
  for (let turn = 0; turn < 3; turn += 1) {
    const response = await fetch(`http://127.0.0.1:${server.address().port}/`);
    statuses.push(response.status);
    await response.text();
  }
  assert.deepEqual(statuses, [200, 200, 429]);
  const key = '127.0.0.1';
  assert.equal((await store.get(key)).totalHits, 3);
  await store.decrement(key);
  await store.resetKey(key);
  assert.equal((await store.increment(key)).totalHits, 1);
});
