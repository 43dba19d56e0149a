/** The libraries of Upstash, unchanged, with an object behind them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Lock } from '@upstash/lock';
import { Ratelimit } from '@upstash/ratelimit';
import { Redis } from '@upstash/redis';

import { checkLock, checkRatelimit } from '../js/support/upstash-checks.mjs';
import { start, TOKEN } from './support/host.mjs';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

test('commands, pipelines, transactions, scripts and messages', async (t) => {
  const { url } = await start(t, { bundle: 'scripting' });
  const redis = new Redis({ url, token: TOKEN, retry: false });
  assert.equal(await redis.set('user', { name: 'Zoë' }, { ex: 100 }), 'OK');
  assert.deepEqual(await redis.get('user'), { name: 'Zoë' });
  assert.deepEqual(await Promise.all([redis.incr('n'), redis.incr('n'), redis.get('n')]), [1, 2, 2]);
  assert.deepEqual(await redis.pipeline().hset('h', { a: 1 }).hgetall('h').exec(), [1, { a: 1 }]);
  assert.deepEqual(await redis.multi().incr('n').get('n').exec(), [3, 3]);
  assert.equal(await redis.createScript("return redis.call('GET', KEYS[1])").exec(['n'], []), 3);
  await assert.rejects(redis.lpush('n', 'x'), /WRONGTYPE/);
  const heard = [];
  const subscriber = redis.subscribe('news');
  subscriber.on('message', ({ message }) => heard.push(message));
  await sleep(200);
  assert.equal(await redis.publish('news', { hello: 'world' }), 1);
  for (let tries = 0; heard.length === 0 && tries < 50; tries += 1) await sleep(20);
  assert.deepEqual(heard, [{ hello: 'world' }]);
  await subscriber.unsubscribe();
});

test('@upstash/lock and @upstash/ratelimit', async (t) => {
  const { url } = await start(t, { bundle: 'scripting' });
  const redis = new Redis({ url, token: TOKEN, retry: false });
  await checkLock(Lock, redis);
  await checkRatelimit(Ratelimit, redis);
});

test('a namespace in the address', async (t) => {
  const { url, call } = await start(t);
  const redis = new Redis({ url: `${url}namespace/tenant-2`, token: TOKEN, retry: false });
  await redis.set('k', 'there');
  assert.equal(await redis.get('k'), 'there');
  assert.equal(await call('EXISTS', 'k'), 0);
});

test('a wrong token is an error of the client', async (t) => {
  const { url } = await start(t);
  await assert.rejects(new Redis({ url, token: 'wrong', retry: false }).get('k'), /WRONGPASS/);
});
