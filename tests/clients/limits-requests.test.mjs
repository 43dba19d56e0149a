/** Limits of requests by keylatch/limits in Express, Fastify and Hono: headers, keys, costs, and stores that fail. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import Redis from 'ioredis';
import { FaultProxy } from '../js/support/fault-proxy.mjs';
import { listening } from './support/http.mjs';
import { APPS, HEADER } from './support/limit-apps.mjs';
import { entry, freePort, serve } from './support/server.mjs';

const { Keylatch, ManualClock } = await entry('index');
const { NoAnswer } = await entry('locks');
const { expressLimit, fastifyLimit, honoLimit } = await entry('limits');
const { connect } = await entry('remote');
const { upstashListener } = await entry('upstash');

const LIMITS = { express: expressLimit, fastify: fastifyLimit, hono: honoLimit };

function ioredis(t, port) {
  const redis = new Redis(port, '127.0.0.1', { maxRetriesPerRequest: null });
  redis.on('error', () => {});
  t.after(() => redis.disconnect());
  return redis;
}

/** Stores behind a fault, which do not answer. */
const UNANSWERING = {
  'is down': async (t) => ioredis(t, await freePort()),
  'is silent': async (t) => {
    const proxy = await FaultProxy.start(t, (await serve(t)).port);
    proxy.isSilent = true;
    return ioredis(t, proxy.port);
  },
  'is slow': async (t) => {
    const proxy = await FaultProxy.start(t, (await serve(t)).port);
    proxy.delayMs = 3000;
    return ioredis(t, proxy.port);
  },
  'ends each connection': async (t) => {
    const proxy = await FaultProxy.start(t, (await serve(t)).port);
    proxy.cutAfter = 0;
    return ioredis(t, proxy.port);
  },
};

for (const [name, app] of Object.entries(APPS)) {
  describe(`limits of requests in ${name}`, { concurrency: 1 }, () => {
    const keyOf = (request) => HEADER[name](request, 'x-user');
    const limitOf = (store, options) => LIMITS[name](store, { limit: 2, period: 60_000, key: keyOf, ...options });
    const open = (t, store, options) =>
      app(t, [limitOf(store, options)], () => ({ status: 200, headers: {}, body: 'done' }));
    const by = (user) => ({ headers: { 'x-user': user } });

    test('requests are refused with 429 until the store allows one', async (t) => {
      const clock = new ManualClock();
      const ask = await open(t, new Keylatch({ clock }), { name: 'per "user"', period: 10_000 });
      const first = await ask('/', by('ann'));
      assert.deepEqual([first.status, first.text], [200, 'done']);
      assert.equal(first.headers.get('ratelimit-policy'), '"per \\"user\\"";q=2;w=10');
      assert.equal(first.headers.get('ratelimit'), '"per \\"user\\"";r=1;t=5');
      assert.equal((await ask('/', by('ann'))).status, 200);
      const refused = await ask('/', by('ann'));
      assert.equal(refused.status, 429);
      assert.equal(refused.headers.get('retry-after'), '5');
      assert.equal(refused.headers.get('ratelimit'), '"per \\"user\\"";r=0;t=10');
      assert.match(refused.headers.get('content-type'), /^application\/problem\+json/);
      assert.deepEqual(JSON.parse(refused.text), {
        title: 'Too Many Requests',
        status: 429,
        detail: 'there were too many requests',
      });
      assert.equal((await ask('/', by('bob'))).status, 200);
      clock.advance(5000);
      assert.equal((await ask('/', by('ann'))).status, 200);
      assert.equal((await ask('/', by('ann'))).status, 429);
    });

    test('skip, cost, and a cost that is never allowed', async (t) => {
      const skip = (request) => HEADER[name](request, 'x-skip') === 'yes';
      const cost = async (request) => Number(HEADER[name](request, 'x-cost') ?? 1);
      const ask = await open(t, new Keylatch(), { skip, cost, kind: 'fixed', headers: false });
      const asked = async (headers) => ask('/', { headers: { 'x-user': 'ann', ...headers } });
      for (let count = 0; count < 4; count += 1) assert.equal((await asked({ 'x-skip': 'yes' })).status, 200);
      assert.equal((await asked({ 'x-cost': '2' })).status, 200);
      assert.equal((await asked({})).status, 429);
      const never = await asked({ 'x-cost': '3' });
      assert.deepEqual(
        [never.status, never.headers.get('retry-after'), never.headers.get('ratelimit')],
        [429, null, null],
      );
      const wrong = await asked({ 'x-cost': 'much' });
      assert.deepEqual(
        [wrong.status, wrong.text],
        [500, `${LIMITS[name].name}: cost must be an integer from 1 to 2^52, got NaN`],
      );
      assert.match((await ask('/')).text, /the key must be a string that is not empty, got undefined/);
    });

    test('two limits of a request are two policies', async (t) => {
      const db = new Keylatch();
      const limits = [
        limitOf(db, { name: 'burst', prefix: 'burst:', kind: 'fixed' }),
        limitOf(db, { name: 'day', prefix: 'day:', limit: 1, period: 86_400_000, kind: 'fixed' }),
      ];
      const ask = await app(t, limits, () => ({ status: 200, headers: {}, body: 'done' }));
      const { headers } = await ask('/', by('ann'));
      assert.equal(headers.get('ratelimit-policy'), '"burst";q=2;w=60, "day";q=1;w=86400');
      const refused = await ask('/', by('ann'));
      assert.equal(refused.status, 429);
      assert.match(refused.headers.get('ratelimit'), /^"burst";r=0;t=\d+, "day";r=0;t=\d+$/);
    });

    for (const [fault, store] of Object.entries(UNANSWERING)) {
      test(`a store that ${fault}: requests pass, or are refused with 503`, async (t) => {
        const errors = [];
        const redis = await store(t);
        const options = { timeout: 100, onError: (error) => errors.push(error) };
        const opened = await open(t, redis, options);
        const passed = await opened('/', by('ann'));
        assert.deepEqual([passed.status, passed.headers.get('ratelimit')], [200, null]);
        const closed = await open(t, redis, { ...options, onFailure: 'closed' });
        const refused = await closed('/', by('ann'));
        assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1']);
        assert.equal(errors.length, 2);
        for (const error of errors) assert.ok(error instanceof NoAnswer, error.message);
      });
    }

    test('a server that lacks the command is a mistake, whatever is to happen at failures', async (t) => {
      const store = { call: async (command) => Promise.reject(new Error(`ERR unknown command '${command}'`)) };
      const ask = await open(t, store, { onFailure: 'open' });
      const { status, text } = await ask('/', by('ann'));
      assert.equal(status, 500);
      assert.match(text, /locks need the LATCH commands of keylatch, or EVAL/);
    });

    test('over keylatch serve and over keylatch/remote', async (t) => {
      const url = await listening(t, upstashListener(new Keylatch(), { token: 'secret' }));
      const remote = connect(url, { token: 'secret', transport: 'rest' });
      t.after(() => remote.close());
      for (const store of [ioredis(t, (await serve(t)).port), remote]) {
        const ask = await open(t, store);
        const statuses = [];
        for (let count = 0; count < 3; count += 1) statuses.push((await ask('/', by('ann'))).status);
        assert.deepEqual(statuses, [200, 200, 429]);
      }
    });

    test('mistakes are refused when the app is made', () => {
      const db = new Keylatch();
      for (const [options, message] of [
        [{ key: undefined }, /key must be a function of the request, got undefined/],
        [{ limit: 0 }, /limit must be an integer from 1/],
        [{ period: undefined }, /period must be an integer from 1/],
        [{ name: 'naïve' }, /name must be printable ASCII/],
        [{ kind: 'fixed', burst: 3 }, /burst is an option of the kind 'smooth'/],
        [{ onFailure: 'shut' }, /onFailure must be 'open' or 'closed'/],
        [{ peek: true }, /unknown option "peek"/],
      ])
        assert.throws(() => limitOf(db, options), { name: 'TypeError', message });
    });
  });
}
