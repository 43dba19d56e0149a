// Client-side caching: the recipients of invalidation messages, their keys and time, and how tracking ends.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entry } from './support/package.mjs';

const { Keylatch, ManualClock, ReplyError } = await entry('index');

function tracking(options) {
  const db = new Keylatch({ clock: new ManualClock(1000) });
  const heard = [];
  const end = db.track((keys) => heard.push(keys), options);
  return { db, heard, end, take: () => heard.splice(0) };
}

test('a key that was read is reported once, before the call that changed it returns', () => {
  const { db, take } = tracking();
  const other = db.client();
  db.mget('a', 'b');
  other.set('a', 1);
  assert.deepEqual(take(), [['a']]);
  other.set('a', 2);
  assert.deepEqual(take(), []);
  db.get('a');
  db.set('a', 3);
  assert.deepEqual(take(), [['a']], 'its own changes too');
  other.flushall();
  assert.deepEqual(take(), [null]);
});

test('a cache beside the engine never answers what is out of date', () => {
  const db = new Keylatch();
  const reader = db.client();
  const cache = new Map();
  reader.track((keys) => (keys === null ? cache.clear() : keys.forEach((key) => cache.delete(key))));
  const cached = (key) => {
    if (!cache.has(key)) cache.set(key, reader.get(key));
    return cache.get(key);
  };
  const writers = [db, db.client(), reader];
  let hits = 0;
  for (let step = 0; step < 500; step += 1) {
    const key = `k${(step * 7) % 5}`;
    const writer = writers[step % 3];
    if (step % 4 === 0) writer.set(key, step);
    else if (step % 97 === 0) writer.flushall();
    else if (step % 31 === 0 && writer.exists(key)) writer.rename(key, `k${step % 5}`);
    const asked = `k${step % 5}`;
    hits += cache.has(asked);
    assert.equal(cached(asked), db.get(asked), `step ${step}`);
  }
  assert.ok(hits > 100, `${hits}`);
});

test('expired keys are reported', async () => {
  const clock = new ManualClock(1000);
  const db = new Keylatch({ clock });
  const heard = [];
  db.set('k', 1, { px: 10 });
  db.track((keys) => heard.push(keys));
  db.get('k');
  clock.advance(11);
  assert.deepEqual(heard, [['k']]);
});

test('bcast reports all keys with one of the prefixes, noloop leaves out own changes', () => {
  const { db, take } = tracking({ bcast: true, noloop: true, prefixes: ['user:', 'item:'] });
  const other = db.client();
  other.mset({ 'user:2': 1, 'user:1': 1, 'item:1': 1, else: 1 });
  assert.deepEqual(take(), [['item:1'], ['user:1', 'user:2']]);
  db.set('user:1', 2);
  assert.deepEqual(take(), []);
});

test('optin remembers what is read behind CLIENT CACHING YES', () => {
  const { db, take } = tracking({ optin: true });
  db.get('a');
  db.call('CLIENT', 'CACHING', 'YES');
  db.get('b');
  db.mset({ a: 1, b: 1 });
  assert.deepEqual(take(), [['b']]);
});

test('keys as bytes, also such as are no text', () => {
  const db = new Keylatch();
  const heard = [];
  db.track((keys) => heard.push(keys), { buffer: true });
  const key = Uint8Array.of(0xff, 0);
  db.get(key);
  db.set(key, 1);
  db.flushall();
  assert.deepEqual(heard, [[key], null]);
});

test('it ends when asked to, with `using`, and with its client; then another may begin', () => {
  const { db, end, take } = tracking();
  assert.throws(() => db.track(() => {}), /already tracks/);
  db.get('k');
  end();
  end();
  db.set('k', 1);
  assert.deepEqual(take(), []);
  assert.equal(db.call('CLIENT', 'LIST').trim().split('\n').length, 1, 'no client is left');
  assert.match(db.call('INFO', 'clients'), /tracking_clients:0/);

  const again = db.track(() => {});
  assert.match(db.call('INFO', 'clients'), /tracking_clients:1/);
  again[Symbol.dispose]();

  const client = db.client();
  client.track(() => assert.fail('its client is gone'));
  client.get('k');
  client.close();
  db.set('k', 2);
  assert.equal(db.call('CLIENT', 'LIST').trim().split('\n').length, 1);
});

test('each client has its own copies', () => {
  const db = new Keylatch();
  const heard = [];
  const [one, two] = [db.client(), db.client()];
  one.track((keys) => heard.push(['one', ...keys]));
  two.track((keys) => heard.push(['two', ...keys]));
  one.get('a');
  two.mget('a', 'b');
  db.mset({ a: 1, b: 1 });
  assert.deepEqual(heard.toSorted(), [
    ['one', 'a'],
    ['two', 'a'],
    ['two', 'b'],
  ]);
});

test('a listener that was killed is replaced, and everything counts as out of date', () => {
  const { db, take } = tracking();
  const listener = Number(db.call('CLIENT', 'GETREDIR'));
  db.get('k');
  db.call('CLIENT', 'KILL', 'ID', listener);
  assert.deepEqual(take(), [null]);
  assert.notEqual(db.call('CLIENT', 'GETREDIR'), listener);
  db.get('k');
  db.set('k', 1);
  assert.deepEqual(take(), [['k']]);
});

test('a callback may use the engine, and its errors change no result', () => {
  const db = new Keylatch();
  const errors = [];
  db.on('error', (error) => errors.push(error.message));
  const seen = [];
  db.track((keys) => {
    seen.push([keys, db.client().get('k')]);
    throw new Error('of the callback');
  });
  db.get('k');
  assert.equal(db.set('k', 'new'), 'OK');
  assert.deepEqual([seen, errors], [[[['k'], 'new']], ['of the callback']]);
});

test('events, messages and copies of one call keep their order', () => {
  const db = new Keylatch();
  const steps = [];
  db.on('set', ({ key }) => steps.push(`set ${key}`));
  db.subscribe('news', (message) => steps.push(message));
  db.track((keys) => steps.push(`stale ${keys}`));
  db.mget('a', 'b');
  db.client().multi().set('a', 1).publish('news', 'middle').set('b', 1).exec();
  assert.deepEqual(
    steps.filter((step) => !step.startsWith('stale')),
    ['set a', 'middle', 'set b'],
  );
  assert.deepEqual(
    steps.filter((step) => step.startsWith('stale')),
    ['stale a', 'stale b'],
  );
});

test('what cannot be', () => {
  const db = new Keylatch();
  assert.throws(() => db.track('x'), TypeError);
  assert.throws(() => db.track(() => {}, { prefixes: ['a'] }), ReplyError);
  assert.throws(() => db.track(() => {}, { bcast: true, prefixes: ['a', 'ab'] }), /overlaps/);
  assert.equal(db.call('CLIENT', 'LIST').trim().split('\n').length, 1, 'nothing is left behind');
  db.call('MULTI');
  assert.throws(() => db.track(() => {}), /MULTI/);
  db.call('DISCARD');
  db.track(() => {})();
  db.close();
  assert.throws(() => db.track(() => {}), { name: 'ClosedError' });
});
