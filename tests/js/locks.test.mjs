// keylatch/locks over an engine of this process, with time in hand: requests, leases, waits and losses.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobs } from './support/hand-time.mjs';
import { calls, deferred, errorOf, errors, setUp } from './support/locks.mjs';

const { Aborted, Lost, NeverAcquired, Stolen, TimedOut } = errors;

test('a callback runs while the lock is held, and its result is the result', async () => {
  const { db, locks } = setUp();
  const result = await locks.request('door', async (lock) => {
    assert.equal(lock.name, 'door');
    assert.deepEqual(lock.names, ['door']);
    assert.equal(lock.mode, 'exclusive');
    assert.match(lock.owner, /^k[0-9a-f]{32}$/);
    assert.equal(lock.held, true);
    assert.equal(lock.remainingMs, 30_000);
    assert.equal(db.call('LATCH.CHECK', 'lock:door', lock.owner, lock.token), 30_000);
    return 42;
  });
  assert.equal(result, 42);
  assert.equal(db.exists('lock:door'), 0);
});

test('an error of the callback passes through, and the lock is released', async () => {
  const { db, locks } = setUp();
  const broken = new Error('broken');
  assert.equal(await errorOf(locks.request('door', () => Promise.reject(broken))), broken);
  assert.equal(
    await errorOf(
      locks.request('door', () => {
        throw broken;
      }),
    ),
    broken,
  );
  assert.equal(db.exists('lock:door'), 0);
});

test('ifAvailable does not wait; shared locks are held together', async () => {
  const { locks } = setUp();
  const reader = await locks.acquire('door', { mode: 'shared' });
  const other = await locks.acquire('door', { mode: 'shared', ifAvailable: true });
  assert.equal(other.mode, 'shared');
  assert.equal(await locks.acquire('door', { ifAvailable: true }), null);
  assert.equal(await locks.request('door', { ifAvailable: true }, (lock) => lock), null);
  assert.equal(await reader.release(), true);
  assert.equal(await other.release(), true);
  assert.equal(await locks.request('door', { ifAvailable: true }, (lock) => lock.mode), 'exclusive');
});

test('those who wait get the lock in their order, without a timer that polls', async () => {
  const { time, locks } = setUp();
  const first = await locks.acquire('door', { renew: false });
  const timers = time.timers;
  const order = [];
  const waits = [1, 2, 3].map((number) => locks.request('door', () => order.push(number)));
  await jobs();
  assert.equal(time.timers, timers, 'a wait sets no timer');
  assert.deepEqual(order, []);
  await first.release();
  await Promise.all(waits);
  assert.deepEqual(order, [1, 2, 3]);
});

test('tokens grow with each grant, and the token of an earlier one is refused', async () => {
  const { db, locks } = setUp();
  const first = await locks.acquire('door');
  const { owner, token } = first;
  await first.release();
  const second = await locks.acquire('door');
  assert.ok(second.token > token);
  assert.notEqual(second.owner, owner);
  assert.throws(() => db.call('LATCH.CHECK', 'lock:door', owner, token), /^ReplyError: FENCED/);
});

test('a paused holder writes late: the guard of its transaction refuses, and that of the next holder does not', async () => {
  const { db, clock, locks } = setUp();
  const write = ({ owner, token }, value) =>
    db.multi().call('LATCH.CHECK', 'lock:door', owner, token).set('balance', value).exec();
  const paused = await locks.acquire('door', { ttl: 1000, renew: false });
  // The process of the holder stands still: its timers do not run.
  clock.advance(1001);
  const next = await locks.acquire('door', { ttl: 1000, renew: false });
  write(next, 'next');
  assert.equal(paused.held, false);
  assert.throws(() => write(paused, 'late'), /FENCED/);
  assert.equal(db.get('balance'), 'next');
  assert.equal(paused.remainingMs, 0);
});

test('a lease is renewed each third of its length, give or take the jitter', async () => {
  for (const [chance, third] of [
    [0, 900],
    [0.5, 1000],
    [0.999, 1100],
  ]) {
    const { db, time, locks } = setUp();
    time.chance = chance;
    const lock = await locks.acquire('door', { ttl: 3000 });
    await time.advance(third - 2);
    assert.equal(calls(db, 'latch.renew'), 0);
    await time.advance(3);
    assert.equal(calls(db, 'latch.renew'), 1);
    assert.ok(lock.remainingMs >= 2998);
    await time.advance(60_000);
    assert.equal(lock.held, true);
    assert.equal(calls(db, 'latch.renew'), Math.floor((60_000 + third + 1) / Math.ceil(third)));
    await lock.release();
    assert.equal(time.timers, 0);
  }
});

test('a lease that is not renewed ends, and the request rejects with the loss', async () => {
  const { db, time, locks } = setUp();
  const running = deferred();
  let lock;
  const request = errorOf(
    locks.request('door', { ttl: 1000, renew: false }, (granted) => {
      lock = granted;
      return running.promise;
    }),
  );
  await time.advance(999);
  assert.equal(lock.remainingMs, 1);
  const { signal } = lock;
  assert.equal(signal.aborted, false);
  await time.advance(1);
  assert.equal(signal.aborted, true);
  assert.ok(signal.reason instanceof Lost);
  assert.equal(signal.reason.code, 'LOST');
  assert.deepEqual([lock.held, lock.remainingMs, await lock.release()], [false, 0, false]);
  running.resolve('done all the same');
  assert.equal(await request, signal.reason);
  assert.equal(await errorOf(lock.renew()), signal.reason);
  await time.advance(1);
  assert.equal(db.exists('lock:door'), 0);
});

test('a signal that is asked for after the loss is aborted already', async () => {
  const { time, locks } = setUp();
  const lock = await locks.acquire('door', { ttl: 100, renew: false });
  await time.advance(200);
  assert.ok(lock.signal.reason instanceof Lost);
});

test('time counts by the clock that went further', async () => {
  const asleep = setUp();
  const lock = await asleep.locks.acquire('door', { ttl: 1000, renew: false });
  // The machine sleeps: the steady clock stands still.
  asleep.clock.advance(600);
  assert.equal(lock.remainingMs, 400);
  const setBack = setUp();
  const other = await setBack.locks.acquire('door', { ttl: 1000, renew: false });
  setBack.clock.advance(-3_600_000);
  setBack.time.steady += 600;
  assert.equal(other.remainingMs, 400);
});

test('after a pause of the whole process the lock is lost before anything is renewed', async () => {
  const { db, time, locks } = setUp();
  const lock = await locks.acquire('door', { ttl: 3000 });
  const { signal } = lock;
  await time.jump(3001);
  assert.ok(signal.reason instanceof Lost);
  assert.equal(calls(db, 'latch.renew'), 0);
});

test('a stolen lock is reported at once as stolen', async () => {
  const { locks } = setUp();
  const running = deferred();
  let signal;
  const request = errorOf(locks.request('door', (lock) => (signal = lock.signal) && running.promise));
  await jobs();
  const thief = await locks.acquire('door', { steal: true });
  await jobs();
  assert.ok(signal.reason instanceof Stolen && signal.reason instanceof Lost);
  assert.equal(signal.reason.code, 'STOLEN');
  running.resolve();
  assert.equal(await request, signal.reason);
  assert.equal(await thief.release(), true);
});

test('a key changed by hand is a loss at once; one that is not watched is noticed at the end', async () => {
  for (const change of [
    (db) => db.del('lock:door'),
    (db) => db.flushall(),
    (db) => db.set('lock:door', 'x'),
    (db, owner) => db.hdel('lock:door', owner),
    (db) => db.rename('lock:door', 'other'),
  ]) {
    const { db, locks } = setUp();
    const lock = await locks.acquire('door');
    const { signal } = lock;
    await jobs();
    change(db, lock.owner);
    await jobs();
    assert.ok(signal.reason instanceof Lost, String(change));
    assert.ok(!(signal.reason instanceof Stolen), String(change));
  }
  const { db, locks } = setUp();
  assert.ok((await errorOf(locks.request('door', () => db.del('lock:door')))) instanceof Lost);
});

test('a wait ends with TimedOut, and without a wait NeverAcquired is the answer', async () => {
  const { time, locks } = setUp();
  await locks.acquire('door');
  const ran = [];
  const timedOut = errorOf(locks.request('door', { wait: 500 }, () => ran.push(1)));
  const never = await errorOf(locks.request('door', { wait: 0 }, () => ran.push(1)));
  assert.deepEqual([never.name, never.code, never instanceof TimedOut], ['NeverAcquired', 'NEVER_ACQUIRED', false]);
  await time.advance(500);
  const error = await timedOut;
  assert.ok(error instanceof TimedOut && error instanceof NeverAcquired);
  assert.deepEqual([error.name, error.code], ['TimedOut', 'TIMED_OUT']);
  assert.deepEqual(ran, []);
});

test('an abort ends the wait and leaves the line', async () => {
  const { db, locks } = setUp();
  const lock = await locks.acquire('door');
  const controller = new AbortController();
  const waiting = errorOf(locks.acquire('door', { signal: controller.signal }));
  await jobs();
  assert.equal((await locks.query('door')).pending.length, 1);
  const reason = new Error('no longer needed');
  controller.abort(reason);
  const error = await waiting;
  assert.ok(error instanceof Aborted && error instanceof NeverAcquired);
  assert.deepEqual([error.name, error.code, error.cause], ['AbortError', 'ABORTED', reason]);
  assert.deepEqual((await locks.query('door')).pending, []);
  await lock.release();
  assert.equal(db.exists('lock:door'), 0);
  const late = await errorOf(locks.acquire('door', { signal: AbortSignal.abort(reason) }));
  assert.equal(late.cause, reason);
});

test('an abort in the tick of the grant releases it', async () => {
  const { db, locks } = setUp();
  const first = await locks.acquire('door');
  const controller = new AbortController();
  let ran = false;
  const waiting = errorOf(locks.request('door', { signal: controller.signal }, () => (ran = true)));
  await jobs();
  const released = first.release();
  controller.abort();
  assert.ok((await waiting) instanceof Aborted);
  assert.equal(await released, true);
  await jobs();
  assert.equal(ran, false);
  assert.equal(db.exists('lock:door'), 0);
  const next = new AbortController();
  const free = errorOf(locks.request('door', { signal: next.signal }, () => (ran = true)));
  next.abort();
  assert.ok((await free) instanceof Aborted);
  assert.deepEqual([ran, db.exists('lock:door')], [false, 0]);
});

test('after a wait longer than a third of the lease it is renewed before the callback runs', async () => {
  for (const [waitMs, leftMs, renewals] of [
    [1000, 2000, 0],
    [1001, 3000, 1],
    [9000, 3000, 1],
  ]) {
    const { db, time, locks } = setUp();
    const first = await locks.acquire('door', { ttl: 60_000, renew: false });
    const left = locks.request('door', { ttl: 3000 }, (lock) => lock.remainingMs);
    await time.advance(waitMs);
    await first.release();
    assert.deepEqual([await left, calls(db, 'latch.renew')], [leftMs, renewals]);
  }
});

test('pagehide and freeze release what is held', async () => {
  for (const [target, type] of [
    ['window', 'pagehide'],
    ['document', 'freeze'],
  ]) {
    const { db, page, locks } = setUp();
    const lock = await locks.acquire('door');
    const { signal } = lock;
    page[target].dispatchEvent(new Event(type));
    assert.equal(db.exists('lock:door'), 0, 'released within the event');
    assert.match(signal.reason.message, /the page was (hidden|frozen)/);
    const next = await locks.acquire('door');
    await next.release();
  }
});

test('a lock is disposed of at the end of its block', async () => {
  const { db, time, locks } = setUp();
  const lock = await locks.acquire('door');
  await lock[Symbol.asyncDispose]();
  assert.equal(db.exists('lock:door'), 0);
  await lock[Symbol.asyncDispose]();
  const lost = await locks.acquire('door', { ttl: 10, renew: false });
  await time.advance(20);
  await lost[Symbol.asyncDispose]();
});

test('query shows holders and line, of all names in use or of those given', async () => {
  const { db, time, locks, open } = setUp();
  const writer = await locks.acquire('a', { ttl: 1000, renew: false });
  const reader = await locks.acquire('b', { mode: 'shared', ttl: 1000, renew: false });
  const waiting = locks.acquire('a', { mode: 'shared', wait: 2000 });
  await time.advance(100);
  db.call('HPERSIST', 'lock:b', 'FIELDS', 1, reader.owner);
  const { held, pending } = await locks.query();
  assert.deepEqual(held, [
    { name: 'a', mode: 'exclusive', clientId: writer.owner, token: writer.token, remainingMs: 900 },
    { name: 'b', mode: 'shared', clientId: reader.owner, token: reader.token, remainingMs: Infinity },
  ]);
  assert.deepEqual(
    pending.map(({ name, mode }) => [name, mode]),
    [['a', 'shared']],
  );
  assert.deepEqual(await open().query(), { held: [], pending: [] });
  assert.deepEqual((await open().query(['b'])).held.length, 1);
  await writer.release();
  await (await waiting).release();
});
