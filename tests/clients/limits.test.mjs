/**
 * keylatch/limits with the libraries of its interfaces, over engines of this process and servers: express-rate-limit, and
 * rate-limiter-flexible as the control.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Redis as Upstash } from '@upstash/redis';
import express from 'express';
import { rateLimit } from 'express-rate-limit';
import Redis from 'ioredis';
import {
  RateLimiterCompatibleAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterUnion,
  RLWrapperTimeouts,
} from 'rate-limiter-flexible';
import { createClient } from 'redis';
import { listening } from './support/http.mjs';
import { serveRedis } from './support/redis.mjs';
import { entry, freePort, serve } from './support/server.mjs';

const { Keylatch, ManualClock } = await entry('index');
const { NoAnswer } = await entry('locks');
const { FlexibleLimiter, RateLimiterRes, RateLimitStore } = await entry('limits');
const { upstashRequester } = await entry('upstash');

function ioredis(t, port, options) {
  const redis = new Redis(port, '127.0.0.1', options);
  redis.on('error', () => {});
  t.after(() => redis.disconnect());
  return redis;
}

async function nodeRedis(t, port) {
  const redis = createClient({ socket: { port, host: '127.0.0.1' } });
  redis.on('error', () => {});
  t.after(() => redis.destroy());
  await redis.connect();
  return redis;
}

/** Stores of counts, each for the duration of a test. */
const STORES = {
  'an engine': () => new Keylatch(),
  'a view of an engine': () => new Keylatch().prefix('app:'),
  'keylatch, by ioredis': async (t) => ioredis(t, (await serve(t)).port),
  'keylatch, by node-redis': async (t) => nodeRedis(t, (await serve(t)).port),
  'an engine, by @upstash/redis': () => new Upstash(upstashRequester(new Keylatch())),
  'Redis, by ioredis': async (t) => ioredis(t, (await serveRedis(t)).port),
  'Redis, by node-redis': async (t) => nodeRedis(t, (await serveRedis(t)).port),
};

async function errorOf(promise) {
  return promise.then(
    () => assert.fail('expected a rejection'),
    (error) => error,
  );
}

/** An express app with a limit of two hits. */
async function limited(t, store, options) {
  const app = express();
  app.use(
    rateLimit({ limit: 2, store, standardHeaders: 'draft-8', keyGenerator: ({ query }) => query.who, ...options }),
  );
  app.get('/', (request, response) =>
    response.status(request.query.fails ? 500 : 200).send(String(request.rateLimit?.used)),
  );
  app.use((_error, _request, response, _next) => response.status(503).end());
  const url = await listening(t, app);
  return async (query) => {
    const response = await fetch(`${url}/?${query}`);
    return [response.status, await response.text(), response.headers];
  };
}

for (const [title, open] of Object.entries(STORES)) {
  test(`express-rate-limit over ${title}`, async (t) => {
    const store = new RateLimitStore(await open(t), { prefix: 'hits[*]:' });
    const ask = await limited(t, store);
    const answers = [];
    for (const who of ['ann', 'ann', 'bob', 'ann']) answers.push((await ask(`who=${who}`)).slice(0, 2));
    assert.deepEqual(answers.slice(0, 3), [
      [200, '1'],
      [200, '2'],
      [200, '1'],
    ]);
    assert.equal(answers[3][0], 429);
    const [, , headers] = await ask('who=ann');
    const [, seconds] = /^"2-in-1min"; r=0; t=(\d+)$/.exec(headers.get('ratelimit'));
    assert.ok(seconds > 0 && seconds <= 60, seconds);
    const { totalHits, resetTime } = await store.get('ann');
    assert.equal(totalHits, 4);
    assert.ok(resetTime > new Date());
    await store.resetKey('ann');
    assert.equal(await store.get('ann'), undefined);
    assert.equal((await ask('who=ann'))[0], 200);
    await store.resetAll();
    assert.equal(await store.get('ann'), undefined);
    assert.equal(await store.get('bob'), undefined);
  });

  test(`rate-limiter-flexible's interface over ${title}`, async (t) => {
    const limiter = new FlexibleLimiter({ storeClient: await open(t), points: 3, duration: 60, blockDuration: 600 });
    const first = await limiter.consume('ann', 2);
    assert.deepEqual([first.remainingPoints, first.consumedPoints, first.isFirstInDuration], [1, 2, true]);
    assert.ok(first.msBeforeNext > 0 && first.msBeforeNext <= 60_000);
    const refused = await errorOf(limiter.consume('ann', 2));
    assert.ok(refused instanceof RateLimiterRes && !(refused instanceof Error));
    assert.deepEqual([refused.remainingPoints, refused.consumedPoints, refused.msBeforeNext], [0, 4, 600_000]);
    const blocked = await errorOf(limiter.consume('ann'));
    assert.ok(blocked.msBeforeNext > 60_000, 'the block lasts');
    assert.equal(blocked.consumedPoints, 5);
    assert.equal(await limiter.delete('ann'), true);
    assert.equal(await limiter.delete('ann'), false);
    assert.equal(await limiter.get('ann'), null);
    await limiter.set('ann', 2, 0);
    assert.deepEqual(JSON.parse(String(await limiter.get('ann'))), {
      remainingPoints: 1,
      msBeforeNext: -1,
      consumedPoints: 2,
      isFirstInDuration: false,
    });
  });
}

test('windows of express-rate-limit end by the clock of the engine', async (t) => {
  const clock = new ManualClock(Date.now());
  const ask = await limited(t, new RateLimitStore(new Keylatch({ clock })), { windowMs: 10_000 });
  const statuses = [];
  const hit = async () => statuses.push((await ask('who=ann'))[0]);
  for (let count = 0; count < 3; count += 1) await hit();
  clock.advance(10_000);
  await hit();
  clock.advance(1);
  await hit();
  assert.deepEqual(statuses, [200, 200, 429, 429, 200]);
});

test('express-rate-limit takes hits back, and none of a window that has ended', async (t) => {
  const clock = new ManualClock(Date.now());
  const store = new RateLimitStore(new Keylatch({ clock }));
  const ask = await limited(t, store, { skipFailedRequests: true });
  for (let count = 0; count < 4; count += 1) assert.equal((await ask('who=ann&fails=1'))[0], 500);
  assert.equal((await ask('who=ann'))[0], 200);
  await store.decrement('gone');
  assert.equal((await store.get('gone')).totalHits, 1);
  clock.advance(60_001);
  assert.equal(await store.get('gone'), undefined);
});

test('express-rate-limit with a server that is down: the error passes, or the request', async (t) => {
  const redis = ioredis(t, await freePort(), { maxRetriesPerRequest: null });
  const store = (prefix) => new RateLimitStore(redis, { timeout: 100, prefix });
  assert.ok((await errorOf(Promise.resolve(store('a:').increment('ann')))) instanceof NoAnswer);
  const closed = await limited(t, store('b:'));
  assert.equal((await closed('who=ann'))[0], 503);
  const logger = { error: () => {}, warn: () => {} };
  const opened = await limited(t, store('c:'), { passOnStoreError: true, logger });
  assert.equal((await opened('who=ann'))[0], 200);
});

test('mistakes are refused', async () => {
  const db = new Keylatch();
  assert.throws(() => new RateLimitStore(), /the store must be a database/);
  assert.throws(() => new RateLimitStore(db, { prefx: '' }), /did you mean "prefix"/);
  assert.throws(() => new RateLimitStore(db, { timeout: 0 }), /timeout must be an integer from 1/);
  assert.throws(() => new RateLimitStore(db).init({ windowMs: 0.5 }), /windowMs must be an integer from 1/);
  await assert.rejects(new RateLimitStore(db, { prefix: '' }).resetAll(), /would empty the database/);
  assert.throws(() => new FlexibleLimiter({ storeClient: db, points: 1.5, duration: 1 }), /points must be/);
  assert.throws(
    () => new FlexibleLimiter({ storeClient: db, points: 1, duration: -1 }),
    /duration must be a number of sec/,
  );
  assert.throws(
    () => new FlexibleLimiter({ storeClient: db, points: 1, duration: 1, block: 1 }),
    /unknown option "block"/,
  );
  const limiter = new FlexibleLimiter({ storeClient: db, points: 1, duration: 1 });
  await assert.rejects(limiter.consume('ann', 0.5), { name: 'TypeError', message: /number of points/ });
  db.lpush('rlflx:list', 1);
  await assert.rejects(limiter.consume('list'), { code: 'WRONGTYPE' });
});

describe('beside rate-limiter-flexible', { concurrency: 1 }, () => {
  /** A generator of numbers below a limit, of a seed. */
  const dice = (seed) => (below) => {
    seed = (seed * 48271) % 2147483647;
    return seed % below;
  };

  /** Outcome of a call, without times that pass. */
  const outcome = async (promise) => {
    const [state, result] = await promise.then(
      (value) => ['resolved', value],
      (error) => ['rejected', error],
    );
    if (result === null || typeof result !== 'object') return [state, result];
    const { remainingPoints, consumedPoints, isFirstInDuration, msBeforeNext } = result;
    return [state, remainingPoints, consumedPoints, isFirstInDuration, Math.sign(msBeforeNext)];
  };

  /** A random call. */
  function call(draw) {
    const key = `k${draw(3)}`;
    const [method, ...parameters] = [
      ['consume', 1 + draw(3)],
      ['consume', 1],
      ['penalty', 1 + draw(2)],
      ['reward', 1 + draw(3)],
      ['set', draw(6), 100],
      ['block', 100 * draw(2)],
      ['get'],
      ['delete'],
    ][draw(8)];
    return [method, key, ...parameters];
  }

  for (const options of [
    { points: 4, duration: 100 },
    { points: 4, duration: 0 },
    { points: 3, duration: 100, blockDuration: 200 },
  ]) {
    test(`the same calls have the same results: ${JSON.stringify(options)}`, async (t) => {
      const { port } = await serveRedis(t);
      const redis = ioredis(t, port);
      const control = new RateLimiterRedis({ storeClient: redis, keyPrefix: 'control', ...options });
      const limiters = [redis, new Keylatch()].map((storeClient) => new FlexibleLimiter({ storeClient, ...options }));
      const draw = dice(35);
      for (let count = 0; count < 400; count += 1) {
        const [method, ...parameters] = call(draw);
        const expected = await outcome(control[method](...parameters));
        for (const limiter of limiters)
          assert.deepEqual(
            await outcome(limiter[method](...parameters)),
            expected,
            `${count}: ${method} ${parameters}`,
          );
      }
    });
  }

  test('keys are those of RateLimiterRedis: one goes on where the other one stopped', async (t) => {
    const { port } = await serveRedis(t);
    const storeClient = ioredis(t, port);
    const options = { storeClient, points: 3, duration: 100 };
    await new RateLimiterRedis(options).consume('ann', 2);
    assert.equal((await new FlexibleLimiter(options).consume('ann')).consumedPoints, 3);
    assert.equal((await new RateLimiterRedis(options).get('ann')).consumedPoints, 3);
  });

  test('a store that is down: the insurance decides, with its own points', async (t) => {
    const storeClient = ioredis(t, await freePort(), { maxRetriesPerRequest: null });
    const options = { points: 2, duration: 100, timeout: 50 };
    assert.ok((await errorOf(new FlexibleLimiter({ storeClient, ...options }).consume('ann'))) instanceof NoAnswer);
    const insuranceLimiter = new RateLimiterMemory({ points: 1, duration: 100 });
    const limiter = new FlexibleLimiter({ storeClient, ...options, insuranceLimiter, blockDuration: 7 });
    assert.equal((await limiter.consume('ann')).consumedPoints, 1);
    const refused = await errorOf(limiter.consume('ann'));
    assert.deepEqual([refused.consumedPoints, refused.msBeforeNext], [2, 7000]);
    assert.equal(await limiter.delete('ann'), true);
    const own = new FlexibleLimiter({ storeClient: new Keylatch(), points: 5, duration: 1 });
    const twice = new FlexibleLimiter({ storeClient, ...options, insuranceLimiter: own });
    assert.equal((await twice.consume('ann', 4)).remainingPoints, 1);
  });

  test("the library's classes take a limiter after register", async (t) => {
    const storeClient = new Keylatch();
    const make = (keyPrefix, points) => new FlexibleLimiter({ storeClient, keyPrefix, points, duration: 10 });
    assert.throws(() => new RateLimiterUnion(make('a', 1), make('b', 2)), /be instance of/);
    FlexibleLimiter.register(RateLimiterCompatibleAbstract);
    const union = new RateLimiterUnion(make('a', 1), make('b', 2));
    assert.deepEqual(Object.keys(await union.consume('ann')), ['a', 'b']);
    const [[, refusal]] = Object.entries(await errorOf(union.consume('ann')));
    assert.equal(refusal.consumedPoints, 2);
    const insured = new RateLimiterRedis({
      storeClient: ioredis(t, await freePort(), { maxRetriesPerRequest: 0, retryStrategy: null }),
      points: 9,
      duration: 10,
      insuranceLimiter: make('c', 3),
    });
    assert.equal((await insured.consume('ann', 2)).remainingPoints, 1);
    const bounded = new RLWrapperTimeouts({ limiter: make('d', 1), timeoutMs: 1000 });
    assert.equal((await bounded.consume('ann')).remainingPoints, 0);
    assert.throws(() => FlexibleLimiter.register(undefined), /RateLimiterCompatibleAbstract/);
  });

  test('execEvenly spreads calls over the period', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
    const limiter = new FlexibleLimiter({ storeClient: new Keylatch(), points: 3, duration: 9, execEvenly: true });
    assert.equal((await limiter.consume('ann')).isFirstInDuration, true);
    let spread;
    void limiter.consume('ann').then((result) => (spread = result));
    const jobs = () => new Promise((resolve) => setImmediate(resolve));
    await jobs();
    t.mock.timers.tick(2999);
    await jobs();
    assert.equal(spread, undefined);
    t.mock.timers.tick(1);
    await jobs();
    assert.equal(spread.msBeforeNext, 6000);
  });
});
