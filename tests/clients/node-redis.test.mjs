/** node-redis over both protocols: a script has the results it has with a real Redis. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createClient, WatchError } from 'redis';
import { serveRedis } from './support/redis.mjs';
import { serve, sleep, until } from './support/server.mjs';

async function open(t, port, options = {}) {
  const client = createClient({ socket: { port, host: '127.0.0.1', reconnectStrategy: false }, ...options });
  client.on('error', () => {});
  t.after(() => client.destroy());
  await client.connect();
  return client;
}

/** Commands with every kind of reply, which both servers have. */
async function script(redis) {
  const results = {};
  const note = async (name, promise) => {
    results[name] = await promise.catch((error) => `error: ${error.message}`);
  };
  await note('set', redis.set('k', 'v', { expiration: { type: 'EX', value: 100 }, condition: 'NX' }));
  await note('set again', redis.set('k', 'w', { condition: 'NX' }));
  await note('get', redis.get('k'));
  await note('missing', redis.get('missing'));
  await note('getEx', redis.getEx('k', { type: 'PERSIST' }));
  await note('ttl', redis.ttl('k'));
  await note('mSet', redis.mSet({ a: '1', b: '2' }));
  await note('mGet', redis.mGet(['a', 'b', 'c']));
  await note('incrByFloat', redis.incrByFloat('f', 1.5));
  await note('wrong type', redis.lPush('k', 'x'));
  await note('unknown', redis.sendCommand(['NOSUCH', 'x']));
  await note('rPush', redis.rPush('list', ['a', 'b', 'c']));
  await note('lRange', redis.lRange('list', 0, -1));
  await note('lPos', redis.lPos('list', 'c'));
  await note('multi', redis.multi().incr('p').get('p').lRange('list', 0, 0).exec());
  await note(
    'multi with an error',
    redis
      .multi()
      .incr('k')
      .get('p')
      .exec()
      .catch((error) => error.replies.map(String)),
  );
  await note('pipeline', redis.multi().set('x', '1').get('x').execAsPipeline());
  await note('scan', redis.scan('0', { MATCH: 'p', COUNT: 1000 }));
  await note('exists', redis.exists(['k', 'a', 'missing']));
  await note('expireTime', redis.expireTime('k'));
  await note('lcs', redis.lcsIdx('k', 'k'));
  await note('config', redis.configGet('maxmemory'));
  await note(
    'clientInfo',
    redis.clientInfo().then(({ db, name, user, cmd }) => ({ db, name, user, cmd })),
  );
  await note('iterator', Array.fromAsync(redis.scanIterator({ MATCH: 'k*' })));
  return results;
}

/** Array.fromAsync was added in Node 22. */
Array.fromAsync ??= async (items) => {
  const all = [];
  for await (const item of items) all.push(item);
  return all;
};

describe('node-redis', { concurrency: 1 }, () => {
  for (const RESP of [2, 3]) {
    const name = `RESP${RESP}`;

    test(`${name}: the same results as on a real Redis`, async (t) => {
      const control = await script(await open(t, (await serveRedis(t)).port, { RESP }));
      assert.match(control['wrong type'], /WRONGTYPE/);
      assert.deepEqual(await script(await open(t, (await serve(t)).port, { RESP })), control);
    });

    test(`${name}: buffers, WATCH, names, databases and passwords`, async (t) => {
      const { port } = await serve(t, '--requirepass', 'secret');
      await assert.rejects(open(t, port, { RESP, password: 'wrong' }), /WRONGPASS/);
      const redis = await open(t, port, { RESP, password: 'secret', name: 'me', database: 3 });
      assert.equal(await redis.clientGetName(), 'me');
      const other = await open(t, port, { RESP, password: 'secret', database: 3 });
      await redis.watch('k');
      await other.set('k', 'theirs');
      await assert.rejects(redis.multi().set('k', 'mine').exec(), WatchError);
      assert.equal(await redis.get('k'), 'theirs');
      const line = await redis.sendCommand(['CLIENT', 'LIST']);
      assert.match(line, new RegExp(`name=me .* db=3 .* resp=${RESP} lib-name=node-redis lib-ver=6`));
    });

    test(`${name}: publish and subscribe, also sharded`, async (t) => {
      const { port } = await serve(t);
      const [publisher, subscriber] = [await open(t, port, { RESP }), await open(t, port, { RESP })];
      const heard = [];
      const hear = (message, channel) => heard.push(`${channel}: ${message}`);
      await subscriber.subscribe('news', hear);
      await subscriber.pSubscribe('n*', hear);
      await subscriber.sSubscribe('shard', hear);
      assert.equal(await publisher.publish('news', 'hello'), 2);
      assert.equal(await publisher.sPublish('shard', 'part'), 1);
      await until(() => heard.length === 3, 'three messages');
      assert.deepEqual(heard, ['news: hello', 'news: hello', 'shard: part']);
      await subscriber.unsubscribe('news');
      assert.equal(await publisher.publish('news', 'again'), 1);
    });

    test(`${name}: blocking pops are woken and time out`, async (t) => {
      const { port } = await serve(t);
      const [waiting, other] = [await open(t, port, { RESP }), await open(t, port, { RESP })];
      const popped = waiting.blPop('queue', 0);
      await sleep(50);
      await other.rPush('queue', 'a');
      assert.deepEqual({ ...(await popped) }, { key: 'queue', element: 'a' });
      assert.equal(await waiting.blPop('queue', 0.05), null);
      assert.equal(await waiting.blMove('queue', 'done', 'LEFT', 'RIGHT', 0.05), null);
    });

    test(`${name}: ten thousand requests at once, and the end`, async (t) => {
      const { port } = await serve(t);
      const redis = await open(t, port, { RESP });
      const counts = await Promise.all(Array.from({ length: 10_000 }, () => redis.incr('n')));
      assert.deepEqual(
        counts,
        counts.map((_, index) => index + 1),
      );
      const pending = redis.get('n');
      await redis.close();
      assert.equal(await pending, '10000');
    });
  }
});
