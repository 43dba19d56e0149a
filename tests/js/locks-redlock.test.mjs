// redlock of keylatch/locks over engines of this process, with time in hand and stores that fail.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobs } from './support/hand-time.mjs';
import {
  AskedCoordination,
  deferred,
  errorOf,
  errors,
  Keylatch,
  RedlockCoordination,
  setUp,
} from './support/locks.mjs';
import { entry } from './support/package.mjs';

const { Lost, NeverAcquired, NotSupported, TimedOut } = errors;
const { redlock } = await entry('locks');

/** Locks over a number of engines with one clock; each store can be `down`, or `hang` until a promise is resolved. */
function cluster(size) {
  const base = setUp();
  const engines = Array.from({ length: size }, () => new Keylatch({ clock: base.clock }));
  const stores = engines.map((engine) => {
    const real = new AskedCoordination(engine, base.time);
    const store = { down: false, hang: undefined };
    for (const name of ['acquire', 'renew', 'release']) {
      store[name] = async (...args) => {
        if (store.down) throw new Error('down');
        await store.hang;
        return real[name](...args);
      };
    }
    return store;
  });
  const locks = base.over(new RedlockCoordination(stores, base.time));
  return { ...base, engines, stores, locks, holders: () => engines.map((engine) => engine.exists('lock:door')) };
}

test('a lock is held on all stores; its lease is shorter by the drift', async () => {
  const { locks, holders, time } = cluster(3);
  const lock = await locks.acquire('door', { ttl: 1000, renew: false });
  await jobs();
  assert.deepEqual(holders(), [1, 1, 1]);
  assert.equal(lock.remainingMs, 1000 - 10 - 2);
  assert.throws(() => lock.token, NotSupported);
  assert.equal(await locks.acquire('door', { ifAvailable: true }), null);
  assert.equal(await lock.release(), true);
  await jobs();
  assert.deepEqual(holders(), [0, 0, 0]);
  const { signal } = await locks.acquire('door', { ttl: 1000, renew: false });
  await time.advance(988);
  assert.ok(signal.reason instanceof Lost);
});

test('a minority may be down or lose its memory, a majority not', async () => {
  const { locks, stores, engines, holders, time } = cluster(5);
  stores[0].down = true;
  stores[3].down = true;
  const lock = await locks.acquire('door', { ttl: 3000 });
  await jobs();
  assert.deepEqual(holders(), [0, 1, 1, 0, 1]);
  stores[0].down = false;
  stores[3].down = false;
  await time.advance(10_000);
  assert.equal(lock.held, true);
  assert.equal(await locks.acquire('door', { ifAvailable: true }), null, 'the grants of a minority are given back');
  await jobs();
  assert.deepEqual(holders(), [0, 1, 1, 0, 1]);
  const { signal } = lock;
  engines[1].flushall();
  await time.advance(3000);
  assert.ok(signal.reason instanceof Lost);
  const [one, two, three] = stores;
  for (const store of [one, two, three]) store.down = true;
  const error = await errorOf(locks.acquire('other'));
  assert.ok(error instanceof NeverAcquired);
  assert.match(error.message, /2 of 5 stores answered, 3 are needed: down/);
  assert.equal(error.cause.message, 'down');
});

test('while no majority answers, a lease goes on until its end', async () => {
  const { locks, stores, time } = cluster(3);
  const lock = await locks.acquire('door', { ttl: 3000 });
  const { signal } = lock;
  for (const store of stores) store.down = true;
  await time.advance(2000);
  assert.equal(signal.aborted, false);
  for (const store of stores) store.down = false;
  await time.advance(5000);
  assert.equal(lock.held, true);
  for (const store of stores) store.down = true;
  await time.advance(3000);
  assert.ok(signal.reason instanceof Lost);
});

test('a store that does not answer costs no time, and a late grant is given back', async () => {
  const { locks, stores, engines, time } = cluster(3);
  const answer = deferred();
  stores[2].hang = answer.promise;
  const lock = await locks.acquire('door', { ttl: 1000, renew: false });
  assert.equal(lock.remainingMs, 988);
  const released = lock.release();
  stores[2].hang = undefined;
  assert.equal(await released, true);
  answer.resolve();
  await time.advance(1);
  assert.deepEqual(
    engines.map((engine) => engine.exists('lock:door')),
    [0, 0, 0],
  );
});

test('asking must not take the lease: slow stores grant nothing', async () => {
  const { locks, stores, holders, time } = cluster(3);
  const answer = deferred();
  for (const store of stores) store.hang = answer.promise;
  const never = errorOf(locks.acquire('door', { ttl: 1000, wait: 0 }));
  // Its patience for the grant, and that for the release.
  await time.advance(250 + 1000);
  for (const store of stores) store.hang = undefined;
  assert.match((await never).message, /0 of 3 stores answered, 2 are needed: no answer in time/);
  answer.resolve();
  await time.advance(1);
  assert.deepEqual(holders(), [0, 0, 0]);
});

test('a waiting client tries again with jitter, and gets the lock or TimedOut', async () => {
  const { locks, time } = cluster(3);
  const first = await locks.acquire('door', { ttl: 60_000 });
  const timedOut = errorOf(locks.acquire('door', { wait: 300 }));
  const second = locks.acquire('door');
  await time.advance(300);
  assert.ok((await timedOut) instanceof TimedOut);
  await first.release();
  await time.advance(512);
  assert.equal((await second).held, true);
});

test('what several stores cannot do together names the command', async () => {
  const { locks } = cluster(3);
  for (const [run, command] of [
    [() => locks.acquire('a', { mode: 'shared' }), 'LATCH.ACQUIRE'],
    [() => locks.acquire('a', { steal: true }), 'LATCH.ACQUIRE'],
    [() => locks.acquire(['a', 'b']), 'LATCH.ACQUIRE'],
    [() => locks.acquire('a', { delay: 5 }), 'LATCH.ACQUIRE'],
    [() => locks.semaphore('a', 2).acquire(), 'LATCH.ACQUIRE'],
    [() => locks.query('a'), 'LATCH.INSPECT'],
    [() => locks.limit('a', { limit: 1, period: 1 }), 'LATCH.LIMIT'],
    [() => locks.once('a', () => {}), 'LATCH.ONCE'],
    [() => locks.elect('a').leader(), 'LATCH.INSPECT'],
    [() => locks.barrier('a', { parties: 2 }).arrive(), 'LATCH.ARRIVE'],
  ]) {
    const error = await errorOf(run());
    assert.ok(error instanceof NotSupported, String(run));
    assert.equal(error.command, command);
    assert.ok(error.message.includes(command), error.message);
    assert.match(error.message, /several stores do not have together/);
  }
});

test('redlock of the entry', async () => {
  const engines = [1, 2, 3].map(() => new Keylatch());
  const result = await redlock(engines, { prefix: '' }).request(
    'door',
    { ttl: 500 },
    () => engines.map((engine) => engine.exists('door')).filter((count) => count === 1).length >= 2,
  );
  assert.equal(result, true);
  assert.throws(() => redlock([]), /an array of stores/);
  assert.throws(() => redlock(engines[0]), /an array of stores/);
  assert.throws(() => redlock([engines[0], engines[0]]), /a store is given twice/);
});
