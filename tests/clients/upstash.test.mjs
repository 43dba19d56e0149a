/** @upstash/redis without HTTP and over the REST handler, and @upstash/lock on top. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { Lock } from '@upstash/lock';
import { Redis, errors } from '@upstash/redis';
import { entry, until } from './support/server.mjs';

const { Keylatch } = await entry('index');
const { handleUpstashRequest, upstashRequester } = await entry('upstash');

const TOKEN = 'secret';

/** A server for the handler, as Node's http has it. */
async function serve(t, db) {
  const server = createServer(async (incoming, outgoing) => {
    const gone = new AbortController();
    outgoing.on('close', () => gone.abort());
    const hasBody = incoming.method !== 'GET' && incoming.method !== 'HEAD';
    const request = new Request(`http://${incoming.headers.host}${incoming.url}`, {
      method: incoming.method,
      headers: incoming.headers,
      signal: gone.signal,
      ...(hasBody ? { body: Readable.toWeb(incoming), duplex: 'half' } : {}),
    });
    const response = await handleUpstashRequest(db, request, { token: TOKEN });
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    if (response.body === null) outgoing.end();
    else
      Readable.fromWeb(response.body)
        .on('error', () => {})
        .pipe(outgoing);
  }).listen(0, '127.0.0.1');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${server.address().port}`;
}

const WAYS = {
  'without HTTP': async (_t, db) => new Redis(upstashRequester(db)),
  'over HTTP': async (t, db) => new Redis({ url: await serve(t, db), token: TOKEN, retry: false }),
  'over HTTP, without base64': async (t, db) =>
    new Redis({ url: await serve(t, db), token: TOKEN, retry: false, responseEncoding: false }),
  'from the environment': async (t, db) => {
    process.env.UPSTASH_REDIS_REST_URL = await serve(t, db);
    process.env.UPSTASH_REDIS_REST_TOKEN = TOKEN;
    return Redis.fromEnv({ retry: false });
  },
};

for (const [way, connect] of Object.entries(WAYS)) {
  describe(way, { concurrency: 1 }, () => {
    test('commands, with values as they were', async (t) => {
      const db = new Keylatch();
      const redis = await connect(t, db);
      assert.equal(await redis.set('k', { name: 'é', list: [1, null] }, { px: 5000, nx: true }), 'OK');
      assert.equal(await redis.set('k', 1, { nx: true }), null);
      assert.deepEqual(await redis.get('k'), { name: 'é', list: [1, null] });
      assert.ok((await redis.pttl('k')) > 4000);
      assert.equal(await redis.set('text', 'OK'), 'OK');
      assert.equal(await redis.get('text'), 'OK');
      assert.equal(await redis.incrby('n', 5), 5);
      assert.deepEqual(await redis.mget('n', 'missing', 'text'), [5, null, 'OK']);
      await redis.hset('h', { a: 1, b: { c: true } });
      assert.deepEqual(await redis.hgetall('h'), { a: 1, b: { c: true } });
      await redis.zadd('z', { score: 1.5, member: 'x' }, { score: 2, member: 'y' });
      assert.deepEqual(await redis.zrange('z', 0, -1, { withScores: true }), ['x', 1.5, 'y', 2]);
      await redis.sadd('s', 'a', 'b');
      assert.deepEqual((await redis.smembers('s')).sort(), ['a', 'b']);
      await redis.rpush('l', 'one', { two: 2 });
      assert.deepEqual(await redis.lrange('l', 0, -1), ['one', { two: 2 }]);
      assert.equal((await redis.scan(0, { match: 'k*' }))[1][0], 'k');
      assert.equal(await redis.del('k', 'missing'), 1);
    });

    test('pipelines and transactions', async (t) => {
      const db = new Keylatch();
      const redis = await connect(t, db);
      assert.deepEqual(await redis.pipeline().set('a', 1).get('a').incr('a').exec(), ['OK', 1, 2]);
      assert.deepEqual(await redis.multi().set('b', { x: 1 }).get('b').hgetall('none').exec(), ['OK', { x: 1 }, null]);
      const kept = await redis.pipeline().lpush('a', 1).get('a').exec({ keepErrors: true });
      assert.match(kept[0].error, /^WRONGTYPE/);
      assert.equal(kept[1].result, 2);
      await assert.rejects(redis.pipeline().get('a').lpush('a', 1).exec(), /Command 2 \[ lpush \] failed: WRONGTYPE/);
      await assert.rejects(
        redis
          .multi()
          .set('x', 1)
          .exec()
          .then(() => redis.multi().eval('return 1', [], []).exec()),
        {
          name: 'UpstashError',
        },
      );
    });

    test('errors are those of the client', async (t) => {
      const db = new Keylatch();
      db.lpush('l', 1);
      const redis = await connect(t, db);
      await assert.rejects(
        redis.get('l'),
        (error) => error instanceof errors.UpstashError && /WRONGTYPE/.test(error.message),
      );
      await assert.rejects(redis.eval('return 1', [], []), errors.UpstashError);
    });

    test('messages', async (t) => {
      const db = new Keylatch();
      const redis = await connect(t, db);
      const subscription = redis.subscribe(['news']);
      const heard = [];
      subscription.on('message', ({ channel, message }) => heard.push([channel, message]));
      await until(() => db.pubsubChannels().length === 1, 'a subscription');
      assert.equal(await redis.publish('news', { n: 1 }), 1);
      await until(() => heard.length === 1, 'a message');
      assert.deepEqual(heard, [['news', { n: 1 }]]);
      await subscription.unsubscribe();
      await until(() => db.pubsubChannels().length === 0, 'the end of a subscription');
    });

    test('@upstash/lock acquires and looks; release and extend need scripts', async (t) => {
      const db = new Keylatch();
      const redis = await connect(t, db);
      const lock = new Lock({ id: 'door', redis, lease: 5000, retry: { attempts: 1, delay: 0 } });
      const other = new Lock({ id: 'door', redis, retry: { attempts: 1, delay: 0 } });
      assert.equal(await lock.acquire(), true);
      assert.equal(await lock.getStatus(), 'ACQUIRED');
      assert.equal(await other.acquire(), false);
      assert.equal(await other.getStatus(), 'FREE');
      assert.ok(db.pttl('door') > 4000);
      // Both run EVAL, which this version does not have: the error says so, and the lock stays.
      await assert.rejects(lock.release(), /EVAL/i);
      assert.equal(db.exists('door'), 1);
    });
  });
}

test('a wrong token is an error of the client', async (t) => {
  const redis = new Redis({ url: await serve(t, new Keylatch()), token: 'wrong', retry: false });
  await assert.rejects(redis.get('k'), /WRONGPASS/);
});
