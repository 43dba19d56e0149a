// Clocks: the default one, given ones, failing ones, and the one moved by hand.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entry } from './support/package.mjs';

const { Keylatch, ManualClock, ClockError } = await entry('index');

test('the clock is asked only when it matters', () => {
  let asked = 0;
  const db = new Keylatch({
    now: () => {
      asked += 1;
      return 5000;
    },
  });
  db.ping();
  db.setnx('n', 1);
  db.get('k');
  db.exists('k');
  assert.equal(asked, 0);
  db.set('k', 'v', { px: 100 });
  assert.equal(asked, 1);
  db.get('n');
  assert.equal(asked, 2, 'something may be due');
});

test('a clock that fails refuses the call, and the command has not run', () => {
  let now = () => 1000;
  const db = new Keylatch({ now: () => now() });
  db.set('k', 'v', { px: 100 });
  const failures = [
    () => {
      throw new Error('no time');
    },
    () => NaN,
    () => Infinity,
    () => 'noon',
    () => undefined,
    () => 9e15,
    () => 1000n,
  ];
  for (const failure of failures) {
    now = failure;
    for (const call of [
      () => db.set('k', 'w', { px: 100 }),
      () => db.get('k'),
      () => db.tick(),
      () => db.now(),
      () => db.callRaw('GET', 'k'),
      () => db.multi().del('k').exec(),
    ]) {
      assert.throws(call, (error) => error instanceof ClockError && /the clock (threw|returned)/.test(error.message));
    }
    now = () => 1000;
    assert.equal(db.get('k'), 'v');
    assert.equal(db.inTransaction, false);
  }
  now = failures[0];
  assert.throws(
    () => db.get('k'),
    (error) => error.cause.message === 'no time',
  );
});

test('a clock that fails within a transaction ends it', () => {
  let failAfter = Infinity;
  const db = new Keylatch({ now: () => (failAfter-- > 0 ? 1000 : NaN) });
  db.set('k', 'v', { px: 100 });
  for (let reads = 0; reads < 4; reads += 1) {
    failAfter = reads;
    assert.throws(() => db.multi().del('k').del('k').exec(), ClockError, `after ${reads}`);
    assert.equal(db.inTransaction, false, `after ${reads}`);
    failAfter = Infinity;
    assert.equal(db.get('k'), 'v');
  }
});

test('a clock may not call the engine it drives', () => {
  const db = new Keylatch({
    now: () => {
      db.get('k');
      return 1;
    },
  });
  assert.throws(
    () => db.set('k', 1, { px: 5 }),
    (error) => error instanceof ClockError && /must not use the engine/.test(error.cause.message),
  );
  const closing = new Keylatch({
    now: () => {
      closing.close();
      return 1;
    },
  });
  assert.throws(() => closing.set('k', 1, { px: 5 }), ClockError);
  assert.equal(closing.get('k'), null);
  const listening = new Keylatch({
    now: () => {
      listening.on('set', () => {});
      return 1;
    },
  });
  assert.throws(() => listening.set('k', 1, { px: 5 }), ClockError);
});

test('nor may it when it is asked without need', () => {
  let meddles = false;
  const db = new Keylatch({
    now: () => {
      if (meddles) db.set('other', 'value');
      return 1;
    },
  });
  for (let turn = 0; turn < 2; turn += 1) {
    db.set('lock', 'token', { nx: true, px: 5 });
    db.del('lock');
  }
  db.set('lock', 'token');
  meddles = true;
  assert.equal(db.delex('lock', { ifeq: 'token' }), 1);
  meddles = false;
  assert.deepEqual(db.mget('lock', 'other'), [null, null]);
});

test('a clock may call another engine', () => {
  const times = new Keylatch();
  times.set('now', 1234);
  const db = new Keylatch({ now: () => Number(times.get('now')) });
  db.set('k', 1, { px: 100 });
  assert.equal(db.pexpiretime('k'), 1334);
});

test('fractions of a millisecond are cut off', () => {
  const db = new Keylatch({ now: () => 1000.9 });
  assert.equal(db.now(), 1000);
});

test('a system clock set back lengthens lives, a monotonic one does not follow', () => {
  for (const [clock, left] of [
    ['system', 600],
    ['monotonic', 100],
  ]) {
    let now = 1000;
    const db = new Keylatch({ clock, now: () => now });
    db.set('k', 1, { px: 100 });
    now = 500;
    assert.equal(db.pttl('k'), left, clock);
  }
  const floored = new Keylatch({ clock: 'monotonic', floorMs: 9000, now: () => 1000 });
  assert.equal(floored.now(), 9000);
});

test('a manual clock stands still, moves, and moves its engines', () => {
  const clock = new ManualClock();
  assert.equal(clock.now(), Date.UTC(2026, 0, 1));
  assert.equal(new ManualClock(new Date(5)).now(), 5);
  const one = new Keylatch({ clock });
  const two = new Keylatch({ clock });
  const heard = [];
  one.on('expired', ({ key }) => heard.push(`one ${key}`));
  two.on('expired', ({ key }) => heard.push(`two ${key}`));
  one.set('a', 1, { px: 100 });
  two.set('b', 1, { px: 50 });
  assert.equal(clock.advanceToNextExpiry(), Date.UTC(2026, 0, 1) + 51);
  assert.deepEqual(heard, ['two b']);
  assert.equal(clock.advance(50), one.now());
  assert.deepEqual(heard, ['two b', 'one a']);
  assert.equal(clock.advanceToNextExpiry(), null);
  two.close();
  clock.set(0);
  assert.equal(one.now(), 0);
  for (const wrong of [NaN, Infinity, 1e17, 'x']) assert.throws(() => clock.set(wrong), RangeError);
  assert.throws(() => clock.advance(NaN), RangeError);
  assert.throws(() => new ManualClock(NaN), RangeError);
});

test('advancing over many deadlines removes them all, in their order', () => {
  const clock = new ManualClock(0);
  const db = new Keylatch({ clock });
  for (let index = 0; index < 2000; index += 1) db.set(`k${index}`, 1, { px: 2000 - index });
  const order = [];
  db.on('expired', ({ key }) => order.push(key));
  clock.advance(2001);
  assert.equal(order.length, 2000);
  assert.deepEqual(order.slice(0, 2), ['k1999', 'k1998']);
  assert.equal(db.nextExpiry(), null);
});
