// Tasks that run once, barriers and limits by the script of locks, with time in hand.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobs } from './support/hand-time.mjs';
import { deferred, errorOf, errors } from './support/locks.mjs';
import { setUpScripts } from './support/script-server.mjs';

const { Aborted, Lost, NeverAcquired, TimedOut } = errors;

test('once: one caller runs the task, and all others have its result without any time', async () => {
  const { db, open } = setUpScripts();
  const work = deferred();
  let runs = 0;
  const call = () =>
    open().locks.once('report', { keep: 5000 }, () => {
      runs += 1;
      return work.promise;
    });
  const all = [call(), call(), call()];
  await jobs();
  assert.ok((await errorOf(open().locks.once('report', { wait: 0 }, () => 1))) instanceof NeverAcquired);
  work.resolve({ rows: 42 });
  assert.deepEqual(await Promise.all(all), [{ rows: 42 }, { rows: 42 }, { rows: 42 }]);
  assert.equal(runs, 1);
  assert.deepEqual(db.keys('*').sort(), ['{lock:report}:result', '{lock:report}:state']);
  assert.deepEqual(await open().locks.once('report', () => 1), { rows: 42 });
});

test('once: a caller that fails or dies is replaced; one that lost its lease stores nothing', async () => {
  const { time, open } = setUpScripts();
  const failed = errorOf(open().locks.once('job', () => Promise.reject(new Error('no paper'))));
  assert.equal((await failed).message, 'no paper');
  const dead = open();
  void dead.locks.once('job', { ttl: 2000 }, () => new Promise(() => {}));
  await jobs();
  const next = open().locks.once('job', () => 'second');
  await jobs();
  dead.client.isDead = true;
  await time.advance(2001);
  assert.equal(await next, 'second');
  const slow = open();
  const late = errorOf(
    slow.locks.once('other', { ttl: 1000, renew: false }, async () => {
      await time.advance(1001);
      return open().locks.once('other', () => 'of another');
    }),
  );
  assert.ok((await late) instanceof Lost);
  assert.equal(await open().locks.once('other', () => 'again'), 'of another');
});

test('once: a result that ends is made again, and storing it twice is storing it once', async () => {
  const { time, open, run } = setUpScripts();
  assert.equal(await open().locks.once('job', { keep: 1000 }, () => 1), 1);
  await time.advance(1001);
  assert.equal(await open().locks.once('job', { keep: 1000 }, () => 2), 2);
  const demand = ['x', 1000, 0, '-', 0, 0, 1, 1];
  const [status, token] = run('task', 'once', 'ann', ...demand);
  assert.equal(status, 1);
  assert.equal(run('task', 'done', 'bob', token, 'rows', 1000)[0], 0);
  assert.equal(run('task', 'done', 'ann', token - 1, 'rows', 1000)[0], 0);
  for (const expected of [1, 1]) assert.equal(run('task', 'done', 'ann', token, 'rows', 1000)[0], expected);
  assert.equal(run('task', 'done', 'ann', token, 'others', 1000)[0], 0);
  assert.deepEqual(run('task', 'once', 'bob', ...demand), [3, 'rows']);
});

test('a barrier opens when all have arrived, by messages', async () => {
  const { db, time, open } = setUpScripts();
  const barrier = () => open().locks.barrier('start', { parties: 3, ttl: 60_000 });
  const waits = [barrier().arrive(), barrier().arrive()];
  await time.advance(10);
  assert.deepEqual(await barrier().state(), { open: false, arrived: 2, parties: 3 });
  assert.match((await errorOf(open().locks.barrier('start', { parties: 4 }).state())).message, /PARTIES/);
  await barrier().arrive();
  await Promise.all(waits);
  assert.deepEqual(await barrier().state(), { open: true, arrived: 3, parties: 3 });
  assert.deepEqual(db.keys('*'), ['{lock:start}:members']);
  await time.advance(60_001);
  assert.equal(db.dbsize(), 0);
});

test('a barrier without messages is asked again; a wait that ends stays counted', async () => {
  const { db, time, open } = setUpScripts();
  const barrier = (canReceive) => open({}, canReceive).locks.barrier('start', { parties: 3, ttl: 60_000 });
  const timedOut = errorOf(barrier(true).arrive({ wait: 500 }));
  const controller = new AbortController();
  const aborted = errorOf(barrier(true).arrive({ signal: controller.signal }));
  await time.advance(500);
  controller.abort();
  assert.ok((await timedOut) instanceof TimedOut);
  assert.ok((await aborted) instanceof Aborted);
  await jobs();
  assert.deepEqual(db.keys('*'), ['{lock:start}:members'], 'no channel is left');
  const waiting = barrier(false).arrive();
  await waiting;
  const last = [barrier(false), open({}, false).locks.barrier('end', { parties: 2 })];
  const ends = last[1].arrive();
  await time.advance(100);
  await open().locks.barrier('end', { parties: 2 }).arrive();
  await time.advance(250);
  await ends;
});

test('limits of the three kinds', async () => {
  const { time, open } = setUpScripts();
  const { locks } = open();
  for (const kind of ['smooth', 'fixed', 'sliding']) {
    const ask = (options) => locks.limit(kind, { limit: 2, period: 1000, kind, ...options });
    assert.equal((await ask()).remaining, 1);
    assert.equal((await ask({ peek: true })).remaining, 1);
    assert.equal((await ask()).allowed, true);
    const refused = await ask();
    assert.equal(refused.allowed, false);
    assert.equal((await ask({ cost: 3 })).retryAfterMs, Number.POSITIVE_INFINITY);
    await time.advance(refused.retryAfterMs);
    assert.equal((await ask()).allowed, true, kind);
  }
});
