/**
 * Libraries that store data in Redis: keyv, cache-manager, connect-redis, unstorage. Each works as its manual says,
 * with the results of a real Redis, including the keys left in the database.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import KeyvRedis, { createKeyv } from '@keyv/redis';
import { createCache } from 'cache-manager';
import { RedisStore } from 'connect-redis';
import session from 'express-session';
import { Keyv } from 'keyv';
import { createClient } from 'redis';
import { createStorage } from 'unstorage';
import unstorageRedis from 'unstorage/drivers/redis';
import { serveRedis } from './support/redis.mjs';
import { serve, until } from './support/server.mjs';

const SHORT_MS = 800;
const DAY_S = 86_400;

/** Array.fromAsync was added in Node 22. */
async function collected(items) {
  const all = [];
  for await (const item of items) all.push(item);
  return all;
}

const gone = (look) => until(async () => (await look()) == null, 'the end of a short life').then(() => 'gone');

/** Checks that a time to live is set and at most the requested one. */
const within = (left, most) => left > most / 2 && left <= most;

/** A plain client that reads the keys of the library. */
async function looker(t, port) {
  const redis = createClient({ socket: { port, host: '127.0.0.1' } }).on('error', () => {});
  t.after(() => redis.destroy());
  return redis.connect();
}

/** Every key once: SCAN may return a key twice while a table of the server grows or shrinks. */
async function keys(redis) {
  return [...new Set((await collected(redis.scanIterator())).flat())].sort();
}

async function keyv(t, port, redis) {
  const store = createKeyv(`redis://127.0.0.1:${port}`, { namespace: 'app' });
  const other = new Keyv({
    store: new KeyvRedis(`redis://127.0.0.1:${port}`, { useUnlink: false }),
    namespace: 'other',
    useKeyPrefix: false,
  });
  t.after(() => Promise.all([store.disconnect(), other.disconnect()]));
  const results = {};
  results.set = [
    await store.set('plain', 'text'),
    await store.set('nested', { list: [1, null, 'é'], deep: { yes: true } }),
  ];
  results.get = [await store.get('plain'), await store.get('nested'), await store.get('missing')];
  results.has = [await store.has('plain'), await store.has('missing')];
  results.many = [
    await store.setMany([
      { key: 'a', value: 1 },
      { key: 'b', value: 2, ttl: 60_000 },
    ]),
    await store.getMany(['a', 'b', 'missing']),
    await store.hasMany(['a', 'missing', 'b']),
  ];
  results.short = [
    await store.set('short', 'lived', SHORT_MS),
    await store.get('short'),
    await gone(() => store.get('short')),
  ];
  results.raw = (await store.getRaw('b')).value;
  results.ttl = within(await redis.pTTL('app::b'), 60_000);
  await other.set('plain', 'of the other');
  results.isolated = [await store.get('plain'), await other.get('plain')];
  await store.setMany(Array.from({ length: 2500 }, (_, index) => ({ key: `n${index}`, value: index })));
  await store.set('dying', 'soon', SHORT_MS);
  await gone(() => redis.get('app::dying'));
  const iterated = await collected(store.iterator('app'));
  results.iterated = [
    iterated.length,
    iterated.some(([key]) => key === 'dying'),
    iterated.reduce((sum, [, value]) => sum + (Number(value) || 0), 0),
  ];
  results.deleted = [
    await store.delete('a'),
    await store.delete('a'),
    await store.deleteMany(['b', 'plain', 'missing']),
  ];
  results.before = (await keys(redis)).length;
  await store.clear();
  results.cleared = [await keys(redis), await other.delete('plain')];
  return results;
}

async function cacheManager(t, port, redis) {
  const store = () => createKeyv(`redis://127.0.0.1:${port}`, { namespace: 'cache' });
  const cache = createCache({ stores: [new Keyv(), store()], ttl: 60_000 });
  const second = createCache({ stores: [store()], ttl: SHORT_MS });
  t.after(() => Promise.all([cache.disconnect(), second.disconnect()]));
  const results = {};
  let computed = 0;
  const compute = async () => ({ computed: (computed += 1) });
  results.set = [
    await cache.set('k', { a: [1] }),
    await cache.get('k'),
    await second.get('k'),
    within(await redis.pTTL('cache::k'), 60_000),
  ];
  results.missing = await cache.get('missing');
  results.many = [
    await cache.mset([
      { key: 'x', value: 1 },
      { key: 'y', value: 'two', ttl: 5000 },
    ]),
    await cache.mget(['x', 'y', 'z']),
    within(await redis.pTTL('cache::y'), 5000),
  ];
  results.ttl = within((await second.ttl('y')) - Date.now(), 5000);
  results.wrapped = [
    await cache.wrap('w', compute),
    await cache.wrap('w', compute),
    await second.wrap('w', compute),
    computed,
  ];
  results.failed = await cache
    .wrap('error', async () => {
      throw new Error('failed');
    })
    .catch((error) => error.message);
  results.short = [await second.wrap('short', compute), await second.wrap('short', compute)];
  await gone(() => second.get('short'));
  results.again = await second.wrap('short', compute);
  results.deleted = [
    await cache.del('k'),
    await second.get('k'),
    await cache.mdel(['x', 'y']),
    await second.mget(['x', 'y']),
  ];
  await second.clear();
  results.left = await keys(redis);
  await cache.clear();
  results.cleared = await keys(redis);
  return results;
}

async function sessions(t, _port, redis) {
  const store = new RedisStore({ client: redis, prefix: 'myapp:', ttl: DAY_S });
  const call = (name, ...args) => promisify(store[name]).call(store, ...args);
  const results = {};
  await redis.set('unrelated', 'stays');
  results.set = [await call('set', 'one', { user: 'ann' }), await call('get', 'one'), await call('get', 'missing')];
  results.ttl = within(await redis.ttl('myapp:one'), DAY_S);
  const cookie = (ms) => ({ cookie: { expires: new Date(Date.now() + ms).toISOString() } });
  await call('set', 'two', { ...cookie(50_000), user: 'bob' });
  results.cookie = within(await redis.ttl('myapp:two'), 50);
  results.touched = [await call('touch', 'two', cookie(500_000)), within(await redis.ttl('myapp:two'), 500)];
  results.counted = [
    await call('length'),
    (await call('ids')).sort(),
    (await call('all')).map(({ id, user }) => `${id} ${user}`).sort(),
  ];
  await call('set', 'short', cookie(900));
  results.short = await gone(() => call('get', 'short'));
  results.expired = [await call('set', 'two', cookie(-1000)), await call('get', 'two')];
  results.destroyed = [await call('destroy', 'one'), await call('get', 'one'), await call('destroy', 'one')];
  await Promise.all(Array.from({ length: 250 }, (_, index) => call('set', `s${index}`, { index })));
  results.many = await call('length');
  results.cleared = [await call('clear'), await call('length'), await keys(redis)];
  results.visits = await visits(t, store);
  results.kept = (await keys(redis)).length;
  return results;
}

/** Responses of an application that counts visits to a browser that keeps its cookie. */
async function visits(t, store) {
  const middleware = session({
    store,
    resave: false,
    saveUninitialized: false,
    secret: 'keyboard cat',
    cookie: { maxAge: 60_000 },
  });
  const server = createServer((request, response) =>
    middleware(request, response, async () => {
      if (request.url === '/out') await promisify(request.session.destroy).call(request.session);
      else if (request.url !== '/look') request.session.visits = (request.session.visits ?? 0) + 1;
      response.end(String(request.session?.visits));
    }),
  ).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  let jar = '';
  const visit = async (path) => {
    const response = await fetch(`http://127.0.0.1:${server.address().port}${path}`, {
      headers: { cookie: jar, connection: 'close' },
    });
    jar = response.headers.get('set-cookie')?.split(';')[0] ?? jar;
    return response.text();
  };
  const seen = [];
  for (const path of ['/', '/', '/look', '/', '/out', '/look', '/']) seen.push(await visit(path));
  return seen;
}

async function unstorage(t, port, redis) {
  const storage = createStorage({ driver: unstorageRedis({ base: 'store', host: '127.0.0.1', port, scanCount: 50 }) });
  t.after(() => storage.dispose());
  const results = {};
  await storage.setItem('plain', 'text');
  await storage.setItem('deep:er:key', { list: [1, 2], text: 'é' });
  await storage.setItemRaw('raw', Buffer.from([0, 255, 10, 13]));
  await storage.setItem('star*[key]', 'glob');
  await storage.setItem('lived', 1, { ttl: 1 });
  results.lives = within(await redis.pTTL('store:lived'), 1000);
  results.get = [
    await storage.getItem('plain'),
    await storage.getItem('deep:er:key'),
    await storage.getItem('missing'),
  ];
  results.raw = [...new Uint8Array(await storage.getItemRaw('raw'))];
  results.has = [await storage.hasItem('plain'), await storage.hasItem('missing')];
  results.many = [
    await storage.setItems([
      { key: 'm:a', value: 1 },
      { key: 'm:b', value: '2' },
    ]),
    await storage.getItems(['m:a', 'm:b', 'm:c']),
  ];
  results.keys = [
    (await storage.getKeys('m')).sort(),
    (await storage.getKeys()).filter((key) => key !== 'lived').sort(),
  ];
  results.expired = await gone(() => storage.getItem('lived'));
  results.meta = [await storage.setMeta('plain', { owner: 'ann' }), await storage.getMeta('plain')];
  results.removed = [await storage.removeItem('plain', { removeMeta: true }), await storage.hasItem('plain')];
  await redis.set('unrelated', 'stays');
  results.left = await keys(redis);
  await storage.clear();
  results.cleared = await keys(redis);
  return results;
}

/** Expected results, so that two servers with the same mistake are detected. */
const PROMISES = {
  keyv: ({ iterated, deleted, cleared }) =>
    assert.deepEqual(
      [iterated, deleted, cleared],
      [
        [2504, false, 3_123_753],
        [true, false, true],
        [['other::plain'], true],
      ],
    ),
  'cache-manager': ({ wrapped, again, cleared }) =>
    assert.deepEqual(
      [wrapped, again, cleared],
      [[{ computed: 1 }, { computed: 1 }, { computed: 1 }, 1], { computed: 3 }, []],
    ),
  'connect-redis': ({ counted, many, cleared, visits: seen }) =>
    assert.deepEqual(
      [counted[0], many, cleared, seen],
      [2, 250, [null, 0, ['unrelated']], ['1', '2', '2', '3', 'undefined', 'undefined', '1']],
    ),
  unstorage: ({ raw, left, cleared }) =>
    assert.deepEqual(
      [raw, left.length, left.includes('store:star*[key]'), cleared],
      [[0, 255, 10, 13], 6, true, ['unrelated']],
    ),
};

describe('stores', { concurrency: 1 }, () => {
  for (const [name, work] of Object.entries({
    keyv,
    'cache-manager': cacheManager,
    'connect-redis': sessions,
    unstorage,
  })) {
    test(`${name}: what its manual promises, as on a real Redis`, async (t) => {
      const ports = [(await serveRedis(t)).port, (await serve(t)).port];
      const [control, ours] = await Promise.all(ports.map(async (port) => work(t, port, await looker(t, port))));
      PROMISES[name](control);
      assert.deepEqual(ours, control);
    });
  }
});
