/** @upstash/lock and @upstash/ratelimit on an engine in this process, through the requester. */
import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { Lock } from '@upstash/lock';
import { Ratelimit } from '@upstash/ratelimit';
import { Redis } from '@upstash/redis';

process.env.KEYLATCH_PACKAGE ??= resolve(import.meta.dirname, '../../target/npm/keylatch-scripting');
const { entry } = await import('../clients/support/server.mjs');
const { Keylatch } = await entry('index');
const { upstashRequester } = await entry('upstash');

function connect() {
  const db = new Keylatch();
  return { db, redis: new Redis(upstashRequester(db)) };
}

test('@upstash/lock: held by one, extended, released', async () => {
  const { db, redis } = connect();
  const options = { id: 'job', redis, lease: 5000, retry: { attempts: 1, delay: 1 } };
  const [lock, other] = [new Lock(options), new Lock(options)];
  assert.equal(await lock.acquire(), true);
  assert.equal(await other.acquire(), false);
  assert.equal(await other.release(), false);
  assert.equal(await lock.extend(10_000), true);
  assert.ok(db.pttl('job') > 5000);
  assert.equal(await lock.getStatus(), 'ACQUIRED');
  assert.equal(await lock.release(), true);
  assert.equal(await other.acquire(), true);
});

const ALGORITHMS = {
  fixedWindow: Ratelimit.fixedWindow(2, '60 s'),
  slidingWindow: Ratelimit.slidingWindow(2, '60 s'),
  tokenBucket: Ratelimit.tokenBucket(1, '60 s', 2),
};

for (const [name, limiter] of Object.entries(ALGORITHMS)) {
  test(`@upstash/ratelimit: ${name} allows two, then none until it is reset`, async () => {
    const { redis, db } = connect();
    const limit = new Ratelimit({ redis, limiter, prefix: 'r', ephemeralCache: false });
    const successes = [];
    for (let turn = 0; turn < 3; turn += 1) successes.push((await limit.limit('ann')).success);
    assert.deepEqual(successes, [true, true, false]);
    assert.equal((await limit.getRemaining('ann')).remaining, 0);
    assert.equal((await limit.limit('bob')).success, true);
    await limit.resetUsedTokens('ann');
    assert.equal((await limit.getRemaining('ann')).remaining, 2);
    assert.equal((await limit.limit('ann')).success, true);
    assert.ok(db.dbsize() > 0);
  });
}

test('@upstash/ratelimit: a cached fixed window', async () => {
  const { redis } = connect();
  const limiter = Ratelimit.cachedFixedWindow(2, '60 s');
  const limit = new Ratelimit({ redis, limiter, prefix: 'c', ephemeralCache: new Map() });
  const { success, pending } = await limit.limit('ann');
  await pending;
  assert.equal(success, true);
});

test('@upstash/ratelimit: a deny list, custom rates and dynamic limits', async (t) => {
  // The library fetches a list of addresses.
  t.mock.method(globalThis, 'fetch', async () => new Response('192.0.2.1\n192.0.2.2\n'));
  const { redis } = connect();
  const limit = new Ratelimit({
    redis,
    limiter: Ratelimit.slidingWindow(10, '60 s'),
    prefix: 'd',
    ephemeralCache: false,
    enableProtection: true,
    dynamicLimits: true,
  });
  await redis.sadd('d:denyList:all', 'evil');
  const first = await limit.limit('evil');
  await first.pending;
  assert.equal(first.success, false);
  assert.equal(first.deniedValue, 'evil');
  assert.deepEqual((await redis.smembers('d:denyList:ipDenyList')).sort(), ['192.0.2.1', '192.0.2.2']);
  const denied = await limit.limit('192.0.2.1', { ip: '192.0.2.1' });
  assert.equal(denied.success, false);
  assert.equal((await limit.limit('ann', { rate: 4 })).remaining, 6);
  await limit.setDynamicLimit({ limit: 3 });
  assert.equal((await limit.getDynamicLimit()).dynamicLimit, 3);
  assert.equal((await limit.limit('bob')).limit, 3);
});
