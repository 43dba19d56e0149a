/** @upstash/lock and @upstash/ratelimit on an engine in this process, through the requester, and on a server. */
import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { Lock } from '@upstash/lock';
import { Ratelimit } from '@upstash/ratelimit';
import { Redis } from '@upstash/redis';
import { checkLock, checkRatelimit } from '../js/support/upstash-checks.mjs';

process.env.KEYLATCH_PACKAGE ??= resolve(import.meta.dirname, '../../target/npm/keylatch-scripting');
const { entry, serve } = await import('../clients/support/server.mjs');
const { Keylatch } = await entry('index');
const { upstashRequester } = await entry('upstash');

/** A client object on an engine in this process. */
const inProcess = () => new Redis(upstashRequester(new Keylatch()));

/** A client object by the variables that `keylatch serve --http` prints. */
async function served(t) {
  const server = await serve(t, '--http', '0');
  await server.printed(/UPSTASH_REDIS_REST_TOKEN="/);
  const [url, token] = ['URL', 'TOKEN'].map((name) => new RegExp(`REST_${name}="(.*)"`).exec(server.output())[1]);
  return new Redis({ url, token, retry: false });
}

for (const [place, connect] of Object.entries({ 'an engine': inProcess, 'serve --http': served })) {
  test(`@upstash/lock on ${place}: held by one, extended, released`, async (t) => {
    await checkLock(Lock, await connect(t));
  });

  test(`@upstash/ratelimit on ${place}: each kind allows two, then none until it is reset`, async (t) => {
    await checkRatelimit(Ratelimit, await connect(t));
  });
}

test('@upstash/ratelimit: a cached fixed window', async () => {
  const redis = inProcess();
  const limiter = Ratelimit.cachedFixedWindow(2, '60 s');
  const limit = new Ratelimit({ redis, limiter, prefix: 'c', ephemeralCache: new Map() });
  const { success, pending } = await limit.limit('ann');
  await pending;
  assert.equal(success, true);
});

test('@upstash/ratelimit: a deny list, custom rates and dynamic limits', async (t) => {
  // The library fetches a list of addresses.
  t.mock.method(globalThis, 'fetch', async () => new Response('192.0.2.1\n192.0.2.2\n'));
  const redis = inProcess();
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
