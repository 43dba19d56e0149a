/** Promises of @upstash/lock and @upstash/ratelimit, whatever is behind the client object. The classes are those of the caller's packages. */
import assert from 'node:assert/strict';

/** A lock is held by one, extended and released. */
export async function checkLock(Lock, redis) {
  const options = { id: 'job', redis, lease: 5000, retry: { attempts: 1, delay: 1 } };
  const [lock, other] = [new Lock(options), new Lock(options)];
  assert.deepEqual(await Promise.all([lock.acquire(), other.acquire()]), [true, false]);
  assert.equal(await other.release(), false);
  assert.equal(await lock.extend(10_000), true);
  assert.ok((await redis.pttl('job')) > 5000);
  assert.equal(await lock.getStatus(), 'ACQUIRED');
  assert.equal(await lock.release(), true);
  assert.equal(await other.acquire(), true);
}

/** Each kind of limiter allows two, then none until it is reset. */
export async function checkRatelimit(Ratelimit, redis) {
  const kinds = {
    fixed: Ratelimit.fixedWindow(2, '1 d'),
    sliding: Ratelimit.slidingWindow(2, '1 d'),
    bucket: Ratelimit.tokenBucket(1, '1 d', 2),
  };
  for (const [prefix, limiter] of Object.entries(kinds)) {
    const limit = new Ratelimit({ redis, limiter, prefix, ephemeralCache: false });
    const answers = [];
    for (let turn = 0; turn < 3; turn += 1) answers.push((await limit.limit('ann')).success);
    assert.deepEqual(answers, [true, true, false], prefix);
    assert.equal((await limit.getRemaining('ann')).remaining, 0);
    assert.equal((await limit.limit('bob')).success, true);
    await limit.resetUsedTokens('ann');
    assert.equal((await limit.getRemaining('ann')).remaining, 2);
    assert.equal((await limit.limit('ann')).success, true);
  }
}
