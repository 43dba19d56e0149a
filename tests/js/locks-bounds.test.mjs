// keylatch/locks over a store that is silent, slow or busy: each request ends by the clock of this process.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { jobs } from './support/hand-time.mjs';
import { deferred, errorOf, errors, setUp } from './support/locks.mjs';

const { Aborted, Lost, NeverAcquired, NoAnswer, TimedOut } = errors;

/** A client object of a server that answers when the test lets it: each command waits for its turn in `asked`. */
function remote(db) {
  const store = { asked: [], isSlow: false, errors: [] };
  store.call = async (...argv) => {
    const asked = { argv, turn: deferred() };
    store.asked.push(asked);
    if (store.isSlow) await asked.turn.promise;
    if (store.errors.length > 0) throw new Error(store.errors.shift());
    return db.call(...argv);
  };
  store.names = () => store.asked.map(({ argv: [name] }) => name);
  return store;
}

/** Locks over such a store, which has been asked for its commands already. */
async function setUpRemote() {
  const { db, time, open, ...others } = setUp();
  const store = remote(db);
  const locks = open(store);
  await locks.query('none');
  store.asked.length = 0;
  return { ...others, db, time, store, locks };
}

/** Moves the time on, and says whether a promise has ended by then. */
async function ended(time, ms, promise) {
  let isEnded = false;
  const end = () => (isEnded = true);
  promise.then(end, end);
  await time.advance(ms);
  return isEnded;
}

test('a wait ends soon after its time if the store is silent, and a late grant is given back', async () => {
  const { db, time, store, locks } = await setUpRemote();
  store.isSlow = true;
  const waiting = errorOf(locks.acquire('door', { wait: 500 }));
  assert.equal(await ended(time, 499, waiting), false);
  assert.equal(await ended(time, 101, waiting), true);
  const error = await waiting;
  assert.ok(error instanceof TimedOut, error.name);
  assert.ok(error.cause instanceof NoAnswer);
  assert.match(error.message, /"door" was not acquired: the store did not answer within 600 ms/);
  store.isSlow = false;
  for (const { turn } of store.asked) turn.resolve();
  await jobs();
  assert.equal(db.exists('lock:door'), 0);
});

test('without a wait the store has two seconds', async () => {
  const { time, store, locks } = await setUpRemote();
  store.isSlow = true;
  const waiting = errorOf(locks.request('door', { ifAvailable: true }, () => assert.fail('it ran')));
  assert.equal(await ended(time, 1999, waiting), false);
  assert.equal(await ended(time, 1, waiting), true);
  const error = await waiting;
  assert.ok(error instanceof NeverAcquired && !(error instanceof TimedOut), error.name);
});

test('an abort ends a request at once; what is granted afterwards is given back', async () => {
  const { store, locks } = await setUpRemote();
  store.isSlow = true;
  for (const start of [
    (signal) => locks.acquire('door', { signal }),
    (signal) => locks.semaphore('door', 1).acquire({ signal }),
    (signal) => locks.once('door', { signal }, () => assert.fail('it ran')),
    (signal) => locks.barrier('gate', { parties: 2 }).arrive({ signal }),
  ]) {
    const controller = new AbortController();
    const waiting = errorOf(start(controller.signal));
    await jobs();
    controller.abort('enough');
    const error = await waiting;
    assert.ok(error instanceof Aborted, `${error.name}: ${error.message}`);
    assert.equal(error.cause, 'enough');
  }
  store.isSlow = false;
  for (const { turn } of store.asked) turn.resolve();
  await jobs();
  await jobs();
  assert.deepEqual(
    (await locks.query('door')).held.map(({ name }) => name),
    [],
  );
});

test('a state of the server that passes is waited for, until the wait is over', async () => {
  const { time, store, locks } = await setUpRemote();
  store.errors.push('LOADING Redis is loading the dataset in memory', 'TRYAGAIN Multiple keys', 'BUSY Redis is busy');
  const granted = locks.acquire('door', { wait: 5000 });
  assert.equal(await ended(time, 200, granted), true);
  const lock = await granted;
  assert.equal(store.names().length, 4);
  store.errors.push(...Array(100).fill('READONLY You can’t write against a read only replica.'));
  const refused = errorOf(locks.acquire('other', { wait: 300 }));
  assert.equal(await ended(time, 400, refused), true);
  assert.ok((await refused) instanceof TimedOut);
  assert.equal(lock.held, true);
});

test('other errors of the server end the request with them as cause', async () => {
  const { store, locks } = await setUpRemote();
  store.errors.push('NOAUTH Authentication required.');
  const error = await errorOf(locks.acquire('door', { wait: 5000 }));
  assert.ok(error instanceof NeverAcquired && !(error instanceof TimedOut));
  assert.match(error.cause.message, /^NOAUTH/);
});

test('each read follows the clock, although no timer has run', async () => {
  const { clock, time, store, locks } = await setUpRemote();
  const lock = await locks.acquire('door', { ttl: 1000 });
  const { signal } = lock;
  let reason;
  signal.addEventListener('abort', () => (reason = signal.reason));
  clock.advance(999);
  assert.deepEqual([lock.held, lock.remainingMs, signal.aborted], [true, 1, false]);
  signal.throwIfAborted();
  // The process stands still, or its clock is set forward.
  clock.advance(1);
  assert.equal(signal.aborted, true);
  assert.deepEqual([lock.held, lock.remainingMs], [false, 0]);
  assert.throws(() => signal.throwIfAborted(), Lost);
  assert.ok(reason instanceof Lost);
  const count = store.asked.length;
  await time.advance(5000);
  assert.equal(store.asked.length, count, 'a lost lock is not renewed');
  assert.equal(await lock.release(), false);
});

test('check asks the store', async () => {
  const { db, time, store, locks } = await setUpRemote();
  const lock = await locks.acquire(['door', 'window'], { ttl: 1000, renew: false });
  assert.equal(await lock.check(), true);
  assert.deepEqual(store.names().slice(-2), ['LATCH.CHECK', 'LATCH.CHECK']);
  store.isSlow = true;
  const asked = errorOf(lock.check());
  await time.advance(1000);
  assert.ok((await asked) instanceof NoAnswer);
  store.isSlow = false;
  const other = await locks.acquire('cellar');
  db.del('lock:cellar');
  assert.equal(other.held, true);
  assert.equal(await other.check(), false);
  assert.equal(other.held, false);
  assert.ok(other.signal.reason instanceof Lost);
  const released = await locks.acquire('attic');
  await released.release();
  assert.equal(await released.check(), false);
});

test('a release without an answer is sent again by the next one', async () => {
  const { db, time, store, locks } = await setUpRemote();
  const lock = await locks.acquire('door', { ttl: 5000, renew: false });
  store.isSlow = true;
  const releasing = errorOf(lock.release());
  assert.equal(await ended(time, 4999, releasing), false);
  assert.equal(await ended(time, 1, releasing), true);
  assert.ok((await releasing) instanceof NoAnswer);
  assert.equal(lock.held, false);
  store.isSlow = false;
  const next = await locks.acquire('other');
  db.call('LATCH.ACQUIRE', 'lock:door', lock.owner, 'TTL', 5000);
  assert.equal(await lock.release(), true);
  assert.equal(await next.release(), true);
});

test('a renewal ends with the lease, and none is sent after a release', async () => {
  const { time, store, locks } = await setUpRemote();
  const lock = await locks.acquire('door', { ttl: 1000, renew: false });
  store.isSlow = true;
  const renewing = errorOf(lock.renew());
  assert.equal(await ended(time, 1000, renewing), true);
  assert.ok((await renewing) instanceof Lost);
  store.isSlow = false;
  const other = await locks.acquire('other', { ttl: 1000, renew: false });
  store.errors.push('TRYAGAIN', 'TRYAGAIN', 'TRYAGAIN');
  const renewed = other.renew().catch(() => {});
  await jobs();
  store.errors.length = 0;
  await other.release();
  await time.advance(900);
  await renewed;
  assert.equal(store.names().at(-1), 'LATCH.RELEASE');
});

/** Runs the collector of garbage until something has happened. */
async function collected(hasHappened) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  for (let round = 0; round < 1000 && !hasHappened(); round += 1) {
    collect();
    await jobs();
  }
  assert.ok(hasHappened());
}

test('a lock that is forgotten ends with its lease, one with a signal in use is renewed', async () => {
  const { db, time, locks } = await setUpRemote();
  const forget = async (acquire) => void (await acquire());
  let dropped = 0;
  const registry = new FinalizationRegistry(() => (dropped += 1));
  const signals = [];
  await forget(async () => registry.register(await locks.acquire('door', { ttl: 3000 })));
  await forget(async () => registry.register(await locks.semaphore('pool', 1).acquire({ ttl: 3000 })));
  await forget(async () => registry.register(await locks.elect('chair').campaign({ ttl: 3000 })));
  await forget(async () => signals.push((await locks.acquire('kept', { ttl: 3000 })).signal));
  await collected(() => dropped === 3);
  await jobs();
  await time.advance(10_000);
  const names = ['door', 'pool', 'chair', 'kept'];
  assert.deepEqual(
    names.map((name) => db.exists(`lock:${name}`)),
    [0, 0, 0, 1],
  );
  assert.equal(signals[0].aborted, false);
});

test('a limit has two seconds, or its timeout', async () => {
  const { time, store, locks } = await setUpRemote();
  store.isSlow = true;
  for (const [options, limitMs] of [
    [{}, 2000],
    [{ timeout: 300 }, 300],
  ]) {
    const waiting = errorOf(locks.limit('api', { limit: 1, period: 1000, ...options }));
    assert.equal(await ended(time, limitMs - 1, waiting), false);
    assert.equal(await ended(time, 1, waiting), true);
    assert.ok((await waiting) instanceof NoAnswer);
  }
  store.isSlow = false;
  store.errors.push('LOADING Redis is loading the dataset in memory');
  const answer = locks.limit('other', { limit: 1, period: 1000 });
  assert.equal(await ended(time, 100, answer), true);
  assert.equal((await answer).allowed, true);
});

test('the result of a task that cannot be stored ends with the lease', async () => {
  const { time, store, locks } = await setUpRemote();
  const ran = deferred();
  const task = errorOf(
    locks.once('mail', { ttl: 5000, renew: false }, () => {
      store.isSlow = true;
      ran.resolve();
    }),
  );
  await ran.promise;
  assert.equal(await ended(time, 4999, task), false);
  assert.equal(await ended(time, 1, task), true);
  assert.ok((await task) instanceof NoAnswer);
});
