// keylatch/locks over an engine of this process: modes, several names, stores that fail, and wrong arguments.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobs } from './support/hand-time.mjs';
import { AskedCoordination, calls, deferred, errorOf, errors, Keylatch, setUp } from './support/locks.mjs';
import { entry } from './support/package.mjs';

const { Deadlock, LockError, Lost, NeverAcquired, NotSupported, TimedOut } = errors;

test('a shared lock becomes exclusive ahead of the line, with a new token, and shared again', async () => {
  const { locks } = setUp();
  const reader = await locks.acquire('door', { mode: 'shared' });
  const other = await locks.acquire('door', { mode: 'shared' });
  const order = [];
  const writer = locks.request('door', () => order.push('writer'));
  const { token } = reader;
  const upgrade = reader.upgrade().then(() => order.push('upgraded'));
  await jobs();
  assert.deepEqual([reader.mode, order], ['shared', []]);
  await other.release();
  await upgrade;
  assert.equal(reader.mode, 'exclusive');
  assert.ok(reader.token > token);
  await reader.upgrade();
  assert.equal(await locks.acquire('door', { mode: 'shared', ifAvailable: true }), null);
  await reader.downgrade();
  assert.equal(reader.mode, 'shared');
  await reader.release();
  await writer;
  assert.deepEqual(order, ['upgraded', 'writer']);
});

test('the second of two upgrades is a deadlock at once, and keeps what it holds', async () => {
  const { locks } = setUp();
  const one = await locks.acquire('door', { mode: 'shared' });
  const two = await locks.acquire('door', { mode: 'shared' });
  const upgrade = one.upgrade();
  await jobs();
  const error = await errorOf(two.upgrade());
  assert.ok(error instanceof Deadlock);
  assert.deepEqual([error.name, error.code, two.held, two.mode], ['Deadlock', 'DEADLOCK', true, 'shared']);
  await two.release();
  await upgrade;
  assert.equal(one.mode, 'exclusive');
});

test('an upgrade can be tried, limited and aborted; the lock stays shared', async () => {
  const { time, locks } = setUp();
  const lock = await locks.acquire('door', { mode: 'shared' });
  await locks.acquire('door', { mode: 'shared' });
  const never = await errorOf(lock.upgrade({ wait: 0 }));
  assert.equal(never.code, 'NEVER_ACQUIRED');
  const limited = errorOf(lock.upgrade({ wait: 100 }));
  await time.advance(101);
  assert.ok((await limited) instanceof TimedOut);
  const controller = new AbortController();
  const aborted = errorOf(lock.upgrade({ signal: controller.signal }));
  await jobs();
  controller.abort();
  assert.equal((await aborted).code, 'ABORTED');
  assert.deepEqual([lock.mode, lock.held], ['shared', true]);
  await assert.rejects(lock.upgrade({ wat: 1 }), TypeError);
});

test('several names are locked together or not at all', async () => {
  const { db, time, locks } = setUp();
  const b = await locks.acquire('b');
  assert.equal(await locks.acquire(['a', 'b'], { ifAvailable: true }), null);
  assert.equal(db.exists('lock:a'), 0);
  const both = locks.acquire(['a', 'b'], { ttl: 3000 });
  await jobs();
  await b.release();
  const lock = await both;
  assert.deepEqual(lock.names, ['a', 'b']);
  await time.advance(10_000);
  assert.equal(lock.held, true);
  for (const name of ['a', 'b']) assert.equal(await locks.acquire(name, { ifAvailable: true }), null);
  const { signal } = lock;
  await jobs();
  db.del('lock:b');
  await jobs();
  assert.ok(signal.reason instanceof Lost, 'one of them is lost');
});

test('in a hierarchy a lock excludes those below and above it', async () => {
  const { db, open } = setUp();
  const locks = open(db, { hierarchy: true });
  const isFree = async (name, mode) => {
    const lock = await locks.acquire(name, { mode, ifAvailable: true });
    await lock?.release();
    return lock !== null;
  };
  const row = await locks.acquire('shop/orders/7');
  assert.deepEqual(await Promise.all(['shop', 'shop/orders', 'shop/orders/7'].map((name) => isFree(name))), [
    false,
    false,
    false,
  ]);
  assert.equal(await isFree('shop', 'shared'), false);
  assert.equal(await isFree('shop/orders/8'), true);
  assert.equal(await row.release(), true);
  assert.equal(db.dbsize(), 0);
  const table = await locks.acquire('shop/orders', { mode: 'shared' });
  assert.equal(await isFree('shop/orders/7'), false);
  assert.equal(await isFree('shop/orders/7', 'shared'), true);
  await table.release();
  const flat = open();
  const url = await flat.acquire('https://a/b');
  assert.notEqual(await flat.acquire('https:', { ifAvailable: true }), null);
  await url.release();
});

test('delay keeps a key closed after a lease that was lost, not after a release', async () => {
  const { time, locks } = setUp();
  await locks.acquire('door', { ttl: 1000, renew: false, delay: 500 });
  const next = locks.acquire('door');
  await time.advance(1400);
  assert.equal((await locks.query('door')).pending.length, 1);
  await time.advance(101);
  const lock = await next;
  await lock.release();
  const again = await locks.acquire('door', { delay: 5000 });
  await again.release();
  assert.notEqual(await locks.acquire('door', { ifAvailable: true }), null);
});

test('a key of another type is named as the reason', async () => {
  const { db, locks } = setUp();
  db.lpush('lock:door', 1);
  const error = await errorOf(locks.request('door', () => {}));
  assert.ok(error instanceof NeverAcquired);
  assert.match(error.message, /"door".*WRONGTYPE/);
  assert.equal(error.cause.code, 'WRONGTYPE');
});

test('prefix: keys are names behind a text of choice', async () => {
  const { db, open } = setUp();
  const lock = await open(db, { prefix: '' }).acquire('door');
  assert.equal(db.exists('door'), 1);
  await lock.release();
  const view = await open(db.prefix('app:')).acquire('door');
  assert.equal(db.exists('app:lock:door'), 1);
  assert.equal(view.signal.aborted, false);
  await view.release();
  const client = db.client({ db: 3 });
  const other = await open(client).acquire('door');
  assert.equal(client.exists('lock:door'), 1);
  await other.release();
});

/** A store that fails while `broken` is set. */
function fragile(db, time) {
  const real = new AskedCoordination(db, time);
  const store = { broken: false, asked: 0, hang: undefined };
  for (const name of ['acquire', 'renew', 'release', 'inspect']) {
    store[name] = async (...args) => {
      store.asked += 1;
      if (store.hang) await store.hang;
      if (store.broken) throw new Error('connection lost');
      return real[name](...args);
    };
  }
  return store;
}

test('renewal goes on after failures, and the lock is lost when its lease is over', async () => {
  const { db, time, over } = setUp();
  const store = fragile(db, time);
  const locks = over(store);
  const lock = await locks.acquire('door', { ttl: 3000 });
  const { signal } = lock;
  store.broken = true;
  await time.advance(2500);
  assert.equal(signal.aborted, false);
  store.broken = false;
  await time.advance(10_000);
  assert.equal(lock.held, true);
  store.broken = true;
  await time.advance(2000);
  assert.equal(signal.aborted, false);
  await time.advance(2000);
  assert.ok(signal.reason instanceof Lost);
  const { asked } = store;
  await time.advance(60_000);
  assert.equal(store.asked, asked, 'a lost lock asks for nothing');
});

test('a store that does not answer loses the lock at the end of its lease', async () => {
  const { db, time, over } = setUp();
  const store = fragile(db, time);
  const lock = await over(store).acquire('door', { ttl: 3000 });
  const { signal } = lock;
  const answer = deferred();
  store.hang = answer.promise;
  await time.advance(3000);
  assert.ok(signal.reason instanceof Lost);
  answer.resolve();
  await jobs();
  assert.equal(lock.held, false);
});

test('an error of the way to the store is the cause; at the end of a request it is none', async () => {
  const { db, time, over } = setUp();
  const store = fragile(db, time);
  const locks = over(store);
  store.broken = true;
  const error = await errorOf(locks.acquire('door'));
  assert.ok(error instanceof NeverAcquired);
  assert.match(error.message, /connection lost/);
  assert.equal(error.cause.message, 'connection lost');
  store.broken = false;
  const result = await locks.request('door', () => {
    store.broken = true;
    return 'done';
  });
  assert.equal(result, 'done');
  store.broken = false;
  const lock = await locks.acquire('other');
  store.broken = true;
  assert.equal((await errorOf(lock.release())).message, 'connection lost');
});

test('a grant with a lost reply is kept by the same owner, and given back when nothing else is left', async () => {
  const { db, time, over } = setUp();
  const store = fragile(db, time);
  const { acquire } = store;
  store.acquire = async (request) => {
    await acquire(request);
    throw new Error('reply lost');
  };
  assert.ok((await errorOf(over(store).acquire('door'))) instanceof NeverAcquired);
  await jobs();
  assert.equal(db.exists('lock:door'), 0);
});

test('wrong arguments are TypeErrors', async () => {
  const { locks, open } = setUp();
  const work = () => {};
  for (const [run, message] of [
    [() => locks.request('', work), /a name must be a string that is not empty/],
    [() => locks.request(7, work), /a name must be a string/],
    [() => locks.request([], work), /at least one name/],
    [() => locks.request(['a', 'a'], work), /given twice/],
    [() => locks.request('a'), /callback must be a function/],
    [() => locks.request('a', {}), /callback must be a function/],
    [() => locks.request('a', { tll: 5 }, work), /unknown option "tll"; did you mean "ttl"/],
    [() => locks.acquire('a', { ttl: 0 }), /ttl must be an integer from 1/],
    [() => locks.acquire('a', { ttl: 1.5 }), /ttl must be/],
    [() => locks.acquire('a', { ttl: 2 ** 53 }), /ttl must be/],
    [() => locks.acquire('a', { wait: -1 }), /wait must be an integer from 0/],
    [() => locks.acquire('a', { delay: -1 }), /delay must be an integer from 0/],
    [() => locks.acquire('a', { mode: 'x' }), /mode must be 'exclusive' or 'shared'/],
    [() => locks.acquire('a', { ifAvailable: true, steal: true }), /exclude each other/],
    [() => locks.acquire('a', { ifAvailable: true, wait: 5 }), /exclude each other/],
    [() => locks.acquire('a', { steal: true, mode: 'shared' }), /only an exclusive lock can be stolen/],
    [() => locks.acquire('a', { signal: {} }), /signal must be an AbortSignal/],
    [() => locks.acquire('a', 'NX'), /options must be an object/],
    [() => locks.query(''), /a name must be/],
    [async () => open(null), /the store must be a database of keylatch/],
    [async () => open({}), /the store must be a database of keylatch.*got an object/],
    [async () => open({ call() {}, options: { keyPrefix: 'p:' } }), /pass a client without keyPrefix/],
  ]) {
    await assert.rejects(async () => run(), { name: 'TypeError', message });
  }
});

test('a closed engine is an error of the request, and a loss of what is held', async () => {
  const { db, locks } = setUp();
  const lock = await locks.acquire('door');
  const { signal } = lock;
  await jobs();
  db.close();
  assert.ok((await errorOf(locks.acquire('other'))) instanceof NeverAcquired);
  assert.ok((await errorOf(lock.renew())) instanceof Error);
  assert.equal(await lock.release().catch(() => 'refused'), 'refused');
  assert.equal(signal.aborted, false);
});

test('errors are LockErrors with a code', () => {
  for (const [error, code] of [
    [new errors.NeverAcquired('x'), 'NEVER_ACQUIRED'],
    [new errors.TimedOut('x'), 'TIMED_OUT'],
    [new errors.Aborted('x'), 'ABORTED'],
    [new errors.Lost('x'), 'LOST'],
    [new errors.Stolen('x'), 'STOLEN'],
    [new errors.Deadlock('x'), 'DEADLOCK'],
    [new NotSupported('LATCH.LIMIT', 'x'), 'NOT_SUPPORTED'],
  ]) {
    assert.ok(error instanceof LockError && error instanceof Error);
    assert.equal(error.code, code);
  }
});

test('a database of promises, as keylatch/tabs has it: waits are notified there too', async () => {
  const { locks } = await entry('locks');
  const db = new Keylatch();
  const shared = {
    call: async (...argv) => db.call(...argv),
    executeWaiting: (...argv) => db.executeWaiting(...argv),
    client: () => shared,
    now: async () => db.now(),
  };
  const order = [];
  await locks(shared).request('door', { ttl: 1000 }, async (lock) => {
    void locks(shared).request('door', () => order.push('next'));
    await jobs();
    assert.ok(lock.remainingMs > 0 && !lock.signal.aborted);
    order.push('first');
  });
  await jobs();
  assert.deepEqual(order, ['first', 'next']);
  assert.equal(calls(db, 'latch.acquire'), 3, 'the second request asks once, and waits once');
});

test('engines without a time in hand: the locks of the entry, with true timers', async () => {
  const { locks } = await entry('locks');
  const db = new Keylatch();
  const order = [];
  await locks(db).request('door', { ttl: 300 }, async (lock) => {
    void locks(db).request('door', () => order.push('next'));
    await new Promise((resolve) => setTimeout(resolve, 450));
    assert.equal(lock.held, true);
    order.push('first');
  });
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(order, ['first', 'next']);
});
