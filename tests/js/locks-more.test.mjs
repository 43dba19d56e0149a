// keylatch/locks over an engine of this process: semaphores, limits, tasks that run once, elections, barriers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobs } from './support/hand-time.mjs';
import { deferred, errorOf, errors, setUp } from './support/locks.mjs';

const { Aborted, Lost, NeverAcquired, TimedOut } = errors;

test('a semaphore has as many holders as permits', async () => {
  const { time, locks } = setUp();
  const pool = locks.semaphore('pool', 3);
  assert.deepEqual([pool.name, pool.limit], ['pool', 3]);
  const two = await pool.acquire({ permits: 2, ttl: 3000 });
  const one = await pool.acquire({ ttl: 1000, renew: false });
  assert.ok(one.token > two.token);
  assert.equal(await pool.acquire({ ifAvailable: true }), null);
  assert.equal(await pool.request({ ifAvailable: true }, (lock) => lock), null);
  assert.ok((await errorOf(pool.request({ wait: 0 }, () => {}))) instanceof NeverAcquired);
  const order = [];
  const large = pool.request({ permits: 2 }, () => order.push('large'));
  const small = pool.request(() => order.push('small'));
  await time.advance(1001);
  assert.deepEqual(order, [], 'the larger request is the first in line, and not overtaken');
  assert.equal(two.held, true);
  await two.release();
  await Promise.all([large, small]);
  assert.deepEqual(order, ['large', 'small']);
  const all = await pool.acquire({ permits: 3 });
  assert.equal(all.mode, 'shared');
  const timedOut = errorOf(pool.acquire({ wait: 100 }));
  await time.advance(101);
  assert.ok((await timedOut) instanceof TimedOut);
  await assert.rejects(all.upgrade(), /permits of a semaphore have no other mode/);
  await assert.rejects(all.downgrade(), TypeError);
});

test('a semaphore refuses wrong arguments', async () => {
  const { locks } = setUp();
  const pool = locks.semaphore('pool', 2);
  await assert.rejects(pool.acquire({ permits: 3 }), /3 permits are more than the 2 there are/);
  await assert.rejects(pool.acquire({ permits: 0 }), /permits must be an integer from 1/);
  await assert.rejects(pool.request({}), /callback must be a function/);
  await assert.rejects(pool.acquire({ mode: 'shared' }), /unknown option "mode"/);
  assert.throws(() => locks.semaphore('pool', 0), /the number of permits must be/);
  assert.throws(() => locks.semaphore('', 1), /a name must be/);
});

test('limits: smooth, fixed and sliding', async () => {
  const { time, locks } = setUp();
  const smooth = { limit: 2, period: 1000 };
  assert.deepEqual(await locks.limit('a', { ...smooth, peek: true }), {
    allowed: true,
    remaining: 2,
    retryAfterMs: 0,
    resetMs: 0,
  });
  assert.equal((await locks.limit('a', smooth)).remaining, 1);
  assert.equal((await locks.limit('a', smooth)).allowed, true);
  const refused = await locks.limit('a', smooth);
  assert.deepEqual([refused.allowed, refused.remaining, refused.retryAfterMs], [false, 0, 500]);
  await time.advance(500);
  assert.equal((await locks.limit('a', smooth)).allowed, true);
  const never = await locks.limit('b', { ...smooth, cost: 3 });
  assert.deepEqual([never.allowed, never.retryAfterMs], [false, Number.POSITIVE_INFINITY]);
  assert.equal((await locks.limit('b', { ...smooth, burst: 5, cost: 5 })).allowed, true);
  for (const kind of ['fixed', 'sliding']) {
    const counted = { limit: 2, period: 1000, kind };
    const answers = [];
    for (let count = 0; count < 3; count += 1) answers.push((await locks.limit(kind, counted)).allowed);
    assert.deepEqual(answers, [true, true, false], kind);
    await time.advance(1001);
    assert.equal((await locks.limit(kind, counted)).allowed, true, kind);
  }
});

test('limits refuse wrong arguments', async () => {
  const { locks } = setUp();
  for (const [options, message] of [
    [undefined, /limit must be an integer from 1/],
    [{ limit: 0, period: 1 }, /limit must be an integer from 1/],
    [{ limit: 1 }, /period must be an integer from 1/],
    [{ limit: 1, period: 1, cost: 0 }, /cost must be/],
    [{ limit: 1, period: 1, kind: 'gcra' }, /kind must be 'smooth' or/],
    [{ limit: 1, period: 1, kind: 'fixed', burst: 2 }, /burst is an option of the kind 'smooth'/],
    [{ limit: 1, periods: 1 }, /did you mean "period"/],
  ]) {
    await assert.rejects(locks.limit('a', options), { name: 'TypeError', message });
  }
});

test('a task runs once, and all callers get its result', async () => {
  const { db, locks, open } = setUp();
  let runs = 0;
  const running = deferred();
  const task = async (lock) => {
    runs += 1;
    assert.equal(db.call('LATCH.CHECK', 'lock:mail:7', lock.owner, lock.token) > 0, true);
    return running.promise;
  };
  const first = locks.once('mail:7', task);
  await jobs();
  const second = open().once('mail:7', task);
  assert.ok((await errorOf(locks.once('mail:7', { wait: 0 }, task))) instanceof NeverAcquired);
  await jobs();
  running.resolve({ sent: true });
  assert.deepEqual(await first, { sent: true });
  assert.deepEqual(await second, { sent: true });
  assert.deepEqual(await locks.once('mail:7', task), { sent: true });
  assert.equal(runs, 1);
  assert.equal(db.get('lock:mail:7'), '[{"sent":true}]');
  assert.equal(db.pttl('lock:mail:7'), 86_400_000);
  assert.equal(await locks.once('mail:8', { keep: 10 }, () => undefined), undefined);
  assert.equal(await locks.once('mail:8', () => runs), undefined);
  assert.equal(db.pttl('lock:mail:8'), 10);
});

test('a task that fails is not done', async () => {
  const { db, locks } = setUp();
  const broken = new Error('broken');
  assert.equal(await errorOf(locks.once('a', () => Promise.reject(broken))), broken);
  assert.equal(db.exists('lock:a'), 0);
  assert.match((await errorOf(locks.once('a', () => ({ n: 1n })))).message, /BigInt/);
  assert.equal(await locks.once('a', () => 1), 1);
});

test('a task that lost its lease stores nothing; another caller runs it', async () => {
  const { time, locks } = setUp();
  const running = deferred();
  const lost = errorOf(locks.once('a', { ttl: 1000, renew: false }, () => running.promise));
  await time.advance(10);
  const second = locks.once('a', () => 'second');
  await time.advance(1000);
  assert.equal(await second, 'second');
  running.resolve('first');
  assert.ok((await lost) instanceof Lost);
  assert.equal(await locks.once('a', () => 'third'), 'second');
});

test('a task that takes long is renewed; waiting for it can be limited and aborted', async () => {
  const { time, locks } = setUp();
  const running = deferred();
  const first = locks.once('a', { ttl: 1000 }, () => running.promise);
  await jobs();
  const timedOut = errorOf(locks.once('a', { wait: 5000 }, () => {}));
  const controller = new AbortController();
  const aborted = errorOf(locks.once('a', { signal: controller.signal }, () => {}));
  await time.advance(5001);
  assert.ok((await timedOut) instanceof TimedOut);
  controller.abort();
  assert.ok((await aborted) instanceof Aborted);
  running.resolve(1);
  assert.equal(await first, 1);
});

test('one candidate leads, all observe, and the next one follows', async () => {
  const { db, time, locks, open } = setUp();
  const ann = locks.elect('chair', { candidate: 'ann#1' });
  const bob = open().elect('chair', { candidate: 'bob' });
  assert.deepEqual([ann.name, ann.candidate], ['chair', 'ann#1']);
  assert.equal(await ann.leader(), null);
  const seen = [];
  const controller = new AbortController();
  const watching = (async () => {
    for await (const leader of bob.observe({ signal: controller.signal })) seen.push(leader?.candidate ?? null);
  })();
  await jobs();
  const leadership = await ann.campaign({ ttl: 3000 });
  assert.equal(await ann.campaign(), leadership);
  const next = bob.campaign({ ttl: 1000, renew: false });
  assert.ok((await errorOf(bob.campaign({ wait: 0 }))) instanceof NeverAcquired);
  await jobs();
  assert.deepEqual(await bob.leader(), { candidate: 'ann#1', owner: leadership.owner, token: leadership.token });
  assert.equal(await bob.resign(), false);
  assert.equal(await ann.resign(), true);
  const second = await next;
  assert.ok(second.token > leadership.token);
  await time.advance(1001);
  assert.equal(second.held, false);
  await jobs();
  assert.equal(await bob.resign(), false);
  controller.abort();
  await watching;
  assert.deepEqual(seen, [null, 'ann#1', 'bob', null]);
  assert.equal(db.exists('lock:chair'), 0);
});

test('a barrier opens when all have arrived', async () => {
  const { time, locks, open } = setUp();
  const start = locks.barrier('start', { parties: 3, ttl: 10_000 });
  assert.deepEqual([start.name, start.parties], ['start', 3]);
  const order = [];
  const arrivals = [start.arrive().then(() => order.push(1))];
  await jobs();
  assert.deepEqual(await start.state(), { open: false, arrived: 1, parties: 3 });
  arrivals.push(
    open()
      .barrier('start', { parties: 3 })
      .arrive({ member: 'b' })
      .then(() => order.push(2)),
  );
  const again = await errorOf(start.arrive({ member: 'b', wait: 100 }).finally(time.advance(101)));
  assert.ok(again instanceof TimedOut);
  assert.match(again.message, /2 of 3 arrived/);
  assert.ok((await errorOf(start.arrive({ member: 'b', wait: 0 }))) instanceof NeverAcquired);
  const controller = new AbortController();
  const aborted = errorOf(start.arrive({ member: 'b', signal: controller.signal }));
  await jobs();
  controller.abort();
  assert.ok((await aborted) instanceof Aborted);
  assert.deepEqual(order, []);
  await start.arrive({ member: 'c' });
  await Promise.all(arrivals);
  assert.deepEqual(order, [1, 2]);
  await start.arrive();
  assert.equal((await start.state()).open, true);
  await time.advance(10_001);
  assert.deepEqual(await start.state(), { open: false, arrived: 0, parties: 3 });
  assert.throws(() => locks.barrier('start', { parties: 0 }), /parties must be/);
  await assert.rejects(start.arrive({ wait: 0.5 }), /wait must be/);
});
