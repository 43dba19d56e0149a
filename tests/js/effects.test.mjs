// The signal for stores: effects are pending.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entry } from './support/package.mjs';

const { Keylatch, ManualClock } = await entry('index');

const fresh = () => new Keylatch({ clock: new ManualClock(0), seed: 1 });

test('a write is signalled once until its effects are taken', () => {
  const db = fresh();
  let signals = 0;
  db.onEffects(() => {
    signals += 1;
  });
  db.get('k');
  assert.equal(signals, 0);
  db.set('k', 1);
  db.set('k', 2);
  assert.equal(signals, 1);
  const log = db.takeEffects();
  db.get('k');
  assert.equal(signals, 1);
  db.del('k');
  assert.equal(signals, 2);
  const copy = fresh();
  copy.replay(log);
  assert.equal(copy.get('k'), '2');
  copy.replay(db.takeEffects());
  assert.equal(copy.exists('k'), 0);
});

test('an expiry is signalled, and so is a write of another client, of a transaction and of a callback', () => {
  const clock = new ManualClock(0);
  const db = new Keylatch({ clock });
  const log = [];
  db.onEffects(() => log.push(new TextDecoder().decode(db.takeEffects())));
  db.set('k', 1, { px: 5 });
  clock.advance(6);
  assert.match(log.at(-1), /DEL\r\n\$1\r\nk/);
  db.client().incr('n');
  assert.match(log.at(-1), /INCR|SET/);
  db.multi().set('a', 1).set('b', 2).exec();
  assert.match(log.at(-1), /MULTI.*a.*b.*EXEC/s);
  db.on('set', ({ key }) => key === 'a' && db.rpush('seen', key));
  db.set('a', 3);
  db.get('a');
  assert.match(log.join(''), /seen/);
});

test('a listener is removed by its function, by using, and its error does not reach the call', () => {
  const db = fresh();
  const errors = [];
  db.on('error', (error) => errors.push(error.message));
  const end = db.onEffects(() => {
    throw new Error('no disk');
  });
  assert.equal(db.set('k', 1), 'OK');
  assert.deepEqual(errors, ['no disk']);
  end();
  db.takeEffects();
  db.set('k', 2);
  assert.equal(errors.length, 1);
  assert.notEqual(db.takeEffects().length, 0);
  assert.equal(typeof end[Symbol.dispose], 'function');
  assert.throws(() => db.onEffects('listener'), TypeError);
});

test('effects that are pending survive compact()', () => {
  const db = fresh();
  let signals = 0;
  db.onEffects(() => {
    signals += 1;
  });
  db.set('k', 1);
  db.compact();
  db.set('l', 2);
  assert.equal(signals, 1);
  const copy = fresh();
  copy.replay(db.takeEffects());
  assert.equal(copy.digestAll(), db.digestAll());
  db.set('m', 3);
  assert.equal(signals, 2);
});
