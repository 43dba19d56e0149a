// Several names and hierarchies by the script of locks, with time in hand.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobs } from './support/hand-time.mjs';
import { errorOf, errors } from './support/locks.mjs';
import { scriptKeys, setUpScripts } from './support/script-server.mjs';

const { Deadlock, Lost, NeverAcquired, TimedOut } = errors;

/** How long a place in line lasts without a look. */
const LIVENESS_MS = 10_000;

/** Whether a lock is granted at once; it is released again. */
async function isFree(locks, name, mode = 'exclusive') {
  const lock = await locks.acquire(name, { mode, ifAvailable: true });
  await lock?.release();
  return lock !== null;
}

test('several names are locked together or not at all, with one token', async () => {
  const { db, time, open } = setUpScripts();
  const { client, locks } = open();
  const b = await locks.acquire('b');
  assert.equal(await isFree(locks, ['a', 'b']), false);
  assert.equal(await isFree(locks, 'a'), true);
  await b.release();
  client.log.length = 0;
  const lock = await locks.acquire(['a', 'b'], { ttl: 3000 });
  assert.ok(lock.token > b.token);
  assert.deepEqual([await isFree(locks, 'a'), await isFree(locks, 'b')], [false, false]);
  await time.advance(10_000);
  assert.equal(lock.held, true, 'renewed');
  assert.equal(await lock.check(), true);
  assert.equal((await locks.query(['a', 'b'])).held.length, 2);
  assert.equal(await lock.release(), true);
  assert.deepEqual([await isFree(locks, 'a'), await isFree(locks, 'b')], [true, true]);
  assert.deepEqual(client.log[0].slice(2, 13), ['10', ...scriptKeys('lock:a'), ...scriptKeys('lock:b')]);
  assert.deepEqual(db.keys('*').sort(), ['{lock:a}:state', '{lock:b}:state']);
});

test('the token is greater than the last one of each name, also after the clock was set back', async () => {
  const { clock, open } = setUpScripts();
  const { locks } = open();
  for (const names of [
    ['a', 'b'],
    ['b', 'a'],
  ]) {
    const before = await locks.acquire('b');
    await before.release();
    clock.advance(-60_000);
    const lock = await locks.acquire(names);
    assert.ok(lock.token > before.token, names.join());
    assert.equal(await lock.release(), true);
    clock.advance(120_000);
  }
});

test('the loss of one name is the loss of the lock', async () => {
  const { time, open } = setUpScripts();
  const lock = await open().locks.acquire(['a', 'b'], { ttl: 3000 });
  const { signal } = lock;
  await time.advance(1);
  const thief = await open().locks.acquire('b', { steal: true });
  await jobs();
  assert.equal(signal.reason?.code, 'STOLEN');
  assert.equal(await lock.release(), false);
  assert.equal(thief.held, true);
});

test('a request for several names waits in the line of each, and is told when the last one is free', async () => {
  const { time, open } = setUpScripts();
  const [a, b] = [await open().locks.acquire('a'), await open().locks.acquire('b')];
  const order = [];
  const request = (name) => open().locks.request(name, () => void order.push(String(name)));
  const waits = [];
  for (const name of [['b', 'a'], 'a', ['a', 'b'], 'b']) {
    waits.push(request(name));
    await jobs();
  }
  await time.advance(10);
  await a.release();
  await jobs();
  assert.deepEqual(order, [], 'the head of a needs b');
  assert.deepEqual((await open().locks.query('a')).held, [], 'and does not hold a meanwhile');
  assert.equal(await isFree(open().locks, 'a'), false, 'no newcomer overtakes it');
  await b.release();
  await Promise.all(waits);
  assert.deepEqual(order, ['b,a', 'a', 'a,b', 'b'], 'without any time');
});

test('a dead head of several lines costs its liveness once', async () => {
  const { time, open } = setUpScripts();
  const holder = await open().locks.acquire('a');
  const dead = open();
  void dead.locks.acquire(['a', 'b']);
  const next = ['a', 'b'].map((name) => open().locks.acquire(name));
  await time.advance(10);
  dead.client.isDead = true;
  await holder.release();
  await time.advance(LIVENESS_MS + LIVENESS_MS / 3);
  for (const lock of await Promise.all(next)) assert.equal(lock.held, true);
});

test('a request that lost one of its places takes all anew, so that no two wait for each other', async () => {
  const { db, run, runAt } = setUpScripts();
  const acquire = (names, owner) => runAt(names, 'acquire', owner, 'x', 1000, LIVENESS_MS, '-', 0, 0, 1, 1, 0);
  acquire(['a', 'b'], 'holder');
  acquire(['a', 'b'], 'first');
  acquire(['a', 'b'], 'second');
  db.zrem('{a}:line', 'first');
  db.hdel('{a}:waiters', 'first');
  acquire(['a', 'b'], 'first');
  for (const name of ['a', 'b'])
    assert.deepEqual(
      run(name, 'inspect', '')[1].map(([owner]) => owner),
      ['second', 'first'],
    );
  runAt(['a', 'b'], 'release', 'holder', 0);
  assert.equal(acquire(['a', 'b'], 'first')[0], 0);
  assert.equal(acquire(['a', 'b'], 'second')[0], 1);
});

test('in a hierarchy a lock excludes those below and above it', async () => {
  const { open } = setUpScripts();
  const { locks } = open({ hierarchy: true });
  const row = await locks.acquire('shop/orders/7');
  const names = ['shop', 'shop/orders', 'shop/orders/7', 'shop/orders/8'];
  assert.deepEqual(await Promise.all(names.map((name) => isFree(locks, name))), [false, false, false, true]);
  assert.equal(await isFree(locks, 'shop', 'shared'), false);
  assert.deepEqual(
    (await locks.query('shop')).held.map(({ mode }) => mode),
    ['shared'],
  );
  const waiting = open({ hierarchy: true }).locks.acquire('shop');
  await jobs();
  assert.equal(await isFree(locks, 'shop/orders/8'), false, 'behind the one that waits for the whole');
  assert.equal(await row.release(), true);
  assert.equal(await (await waiting).release(), true);
  const table = await locks.acquire('shop/orders', { mode: 'shared' });
  assert.equal(await isFree(locks, 'shop/orders/7'), false);
  assert.equal(await isFree(locks, 'shop/orders/7', 'shared'), true);
  assert.equal(await isFree(locks, 'shop', 'shared'), true);
  assert.equal(await table.release(), true);
});

test('upgrade and downgrade of several names; a second upgrade is a deadlock', async () => {
  const { time, open } = setUpScripts();
  const shared = (name) => open({ hierarchy: true }).locks.acquire(name, { mode: 'shared' });
  const [first, second] = [await shared(['shop/a', 'shop/b']), await shared('shop/b')];
  const upgrade = first.upgrade();
  await jobs();
  assert.ok((await errorOf(second.upgrade())) instanceof Deadlock);
  await second.release();
  await upgrade;
  assert.equal(first.mode, 'exclusive');
  const { locks } = open({ hierarchy: true });
  assert.deepEqual([await isFree(locks, 'shop/b', 'shared'), await isFree(locks, 'shop', 'shared')], [false, false]);
  await first.downgrade();
  assert.deepEqual([await isFree(locks, 'shop/b', 'shared'), await isFree(locks, 'shop', 'shared')], [true, true]);
  const third = await shared('shop/a');
  const late = errorOf(first.upgrade({ wait: 500 }));
  await time.advance(500);
  assert.ok((await late) instanceof TimedOut);
  assert.deepEqual([first.mode, third.held], ['shared', true]);
  assert.equal(await isFree(locks, 'shop/a', 'shared'), true, 'the line is left');
});

test('a lost reply: the release of several names succeeds when sent again', async () => {
  const { time, open } = setUpScripts();
  const { client, locks } = open();
  const lock = await locks.acquire(['a', 'b']);
  client.lost = ['the reply was lost'];
  await assert.rejects(lock.release());
  await (await open().locks.acquire('a')).release();
  assert.equal(await lock.release(), true);
  const short = await locks.acquire(['a', 'b'], { ttl: 1000, renew: false });
  await time.advance(1001);
  assert.ok((await errorOf(short.renew())) instanceof Lost);
});

test('names in several slots of a cluster: the error shows names in one', async () => {
  const { open } = setUpScripts();
  const { client, locks } = open({ hierarchy: true });
  const { call } = client;
  client.call = async (...argv) => {
    if (argv[0] === 'EVALSHA') throw new Error("CROSSSLOT Keys in request don't hash to the same slot");
    return call(...argv);
  };
  for (const [names, expected] of [
    [['a', 'b'], /name them "\{a\}", "\{a\}b"/],
    ['shop/till', /name them "\{shop\}\/till"/],
  ]) {
    const error = await errorOf(locks.acquire(names));
    assert.ok(error instanceof NeverAcquired);
    assert.match(error.message, expected);
    assert.match(error.cause.message, /^CROSSSLOT/);
  }
});
