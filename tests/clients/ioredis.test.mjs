/** ioredis 5 and 6, over a socket and within the process: a script has the results it has with a real Redis. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Redis as Redis5 } from 'ioredis';
import { Redis as Redis6 } from 'ioredis-6';
import { serveRedis } from './support/redis.mjs';
import { entry, folder, run, serve, sleep } from './support/server.mjs';

const { Keylatch } = await entry('index');
const { connector } = await entry('ioredis');
const CLIENTS = { 'ioredis 5': Redis5, 'ioredis 6': Redis6 };

/** Kinds of connection; each returns the options of a client. */
const PLACES = {
  'over a socket': async (t) => ({ port: (await serve(t)).port, host: '127.0.0.1' }),
  'within the process': async (t) => {
    const db = new Keylatch();
    t.after(() => db.close());
    return { Connector: connector(db) };
  },
};

function open(t, Redis, options) {
  const redis = new Redis({ maxRetriesPerRequest: 1, ...options });
  t.after(() => redis.disconnect());
  return redis;
}

/** Commands of every kind of reply, one after another. */
async function script(redis) {
  const results = {};
  const note = async (name, promise) => {
    results[name] = await promise.catch((error) => `${error.name}: ${error.message}`);
  };
  await note('set', redis.set('k', 'v', 'EX', 100, 'NX'));
  await note('set again', redis.set('k', 'w', 'NX'));
  await note('get', redis.get('k'));
  await note('getBuffer', redis.getBuffer('k'));
  await note('missing', redis.get('missing'));
  await note('ttl', redis.ttl('k'));
  await note('mset', redis.mset({ a: 1, b: 2 }));
  await note('mget', redis.mget('a', 'b', 'c'));
  await note('incrbyfloat', redis.incrbyfloat('f', '1.5'));
  await note('wrong type', redis.lpush('k', 'x'));
  await note('wrong arity', redis.call('GET'));
  await note('unknown', redis.call('NOSUCH', 'x'));
  await note('binary', redis.set('bin', Buffer.from([0, 255, 13, 10])));
  await note('binary back', redis.getBuffer('bin'));
  await note('rpush', redis.rpush('list', 'a', 'b', 'c'));
  await note('lrange', redis.lrange('list', 0, -1));
  await note(
    'pipeline',
    redis
      .pipeline()
      .set('p', 1)
      .incr('p')
      .get('p')
      .lpush('p', 1)
      .exec()
      .then((replies) => replies.map(([error, value]) => [error?.message, value])),
  );
  await note('multi', redis.multi().incr('p').get('p').exec());
  await note(
    'multi with an error',
    redis
      .multi()
      .incr('k')
      .get('p')
      .exec()
      .then((replies) => replies.map(([error, value]) => [error?.message, value])),
  );
  await note('scan', redis.scan('0', 'MATCH', 'p', 'COUNT', 1000));
  await note('type', redis.type('list'));
  await note('object', redis.object('ENCODING', 'k'));
  await note('exists', redis.exists('k', 'a', 'missing'));
  await note('del', redis.del('a', 'b', 'c'));
  await note('select', redis.select(1));
  await note('empty database', redis.dbsize());
  await note('setname', redis.client('SETNAME', 'me'));
  await note('getname', redis.client('GETNAME'));
  await note('config', redis.config('GET', 'maxmemory'));
  await note('select back', redis.select(0));
  return results;
}

/** A separate program, for the question whether it exits by itself. */
const PROGRAM = `
  import { Redis } from 'ioredis';
  const { Keylatch } = await import(process.argv[1]);
  const { connector } = await import(process.argv[2]);
  const redis = new Redis({ Connector: connector(new Keylatch()) });
  console.log(await redis.blpop('queue', 0.2), await redis.ping());
`;

test('a process stays while a command waits, and ends though a client is open', async () => {
  const files = ['index', 'ioredis'].map((name) => join(folder, 'esm', `${name}.js`));
  const { code, output, errors } = await run(process.execPath, ['--input-type=module', '-e', PROGRAM, ...files], {
    cwd: import.meta.dirname,
  });
  assert.deepEqual([output, code], ['null PONG\n', 0], errors);
});

describe('ioredis', { concurrency: 1 }, () => {
  for (const [version, Redis] of Object.entries(CLIENTS)) {
    for (const [place, prepare] of Object.entries(PLACES)) {
      const name = `${version} ${place}`;

      test(`${name}: the same results as on a real Redis`, async (t) => {
        const control = await script(open(t, Redis, { host: '127.0.0.1', port: (await serveRedis(t)).port }));
        assert.ok(
          Object.values(control).some((result) => /WRONGTYPE/.test(result)),
          'the script ran',
        );
        assert.deepEqual(await script(open(t, Redis, await prepare(t))), control);
      });

      test(`${name}: WATCH across clients`, async (t) => {
        const options = await prepare(t);
        const [first, second] = [open(t, Redis, options), open(t, Redis, options)];
        await first.set('balance', 10);
        await first.watch('balance');
        assert.deepEqual(await first.multi().decr('balance').exec(), [[null, 9]]);
        await first.watch('balance');
        await second.set('balance', 100);
        assert.equal(await first.multi().decr('balance').exec(), null);
        assert.equal(await second.get('balance'), '100');
      });

      test(`${name}: publish and subscribe`, async (t) => {
        const options = await prepare(t);
        const [publisher, subscriber] = [open(t, Redis, options), open(t, Redis, options)];
        assert.equal(await subscriber.subscribe('news', 'more'), 2);
        await subscriber.psubscribe('n*');
        const messages = [once(subscriber, 'message'), once(subscriber, 'pmessage')];
        assert.equal(await publisher.publish('news', 'hello'), 2);
        assert.deepEqual(await Promise.all(messages), [
          ['news', 'hello'],
          ['n*', 'news', 'hello'],
        ]);
        assert.equal(await subscriber.unsubscribe('news', 'more'), 1);
      });

      test(`${name}: blocking pops are woken, time out, and end with their client`, async (t) => {
        const options = await prepare(t);
        const [waiting, other] = [open(t, Redis, options), open(t, Redis, options)];
        const popped = waiting.blpop('queue', 0);
        const behind = waiting.set('after', 1);
        await sleep(50);
        assert.equal(await other.exists('after'), 0);
        await other.rpush('queue', 'a', 'b');
        assert.deepEqual(await popped, ['queue', 'a']);
        assert.equal(await behind, 'OK');
        assert.equal(await waiting.brpop('empty', 0.05), null);
        const gone = open(t, Redis, options);
        const lost = gone.blpop('empty', 0).catch(() => {});
        await sleep(50);
        gone.disconnect();
        await lost;
        await sleep(50);
        await other.rpush('empty', 'kept');
        assert.equal(await other.lpop('empty'), 'kept');
      });

      test(`${name}: many requests at once, large values, transactions in pipelines`, async (t) => {
        const redis = open(t, Redis, { ...(await prepare(t)), enableAutoPipelining: true });
        const large = 'x'.repeat(3_000_000);
        await redis.set('large', large);
        assert.deepEqual(
          (await Promise.all([1, 2, 3, 4].map(() => redis.get('large')))).map((value) => value.length),
          [3_000_000, 3_000_000, 3_000_000, 3_000_000],
        );
        const counts = await Promise.all(Array.from({ length: 10_000 }, () => redis.incr('n')));
        assert.deepEqual(
          counts,
          counts.map((_, index) => index + 1),
        );
        const replies = await redis.pipeline().multi().incr('n').exec().exec();
        assert.deepEqual(replies.at(-1)[1], [10_001]);
      });

      test(`${name}: it ends with quit, and comes again`, async (t) => {
        const redis = open(t, Redis, await prepare(t));
        const copy = redis.duplicate();
        t.after(() => copy.disconnect());
        await redis.set('k', 'v');
        assert.equal(await redis.quit(), 'OK');
        assert.equal(await copy.get('k'), 'v');
        const id = await copy.client('ID');
        const again = once(copy, 'ready');
        await copy.client('KILL', 'ID', id, 'SKIPME', 'no').catch(() => {});
        await again;
        assert.equal(await copy.get('k'), 'v');
      });
    }
  }
});
