// Events: which are delivered, when, in which order, and the calls a listener may make.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entry } from './support/package.mjs';

const { Keylatch, ManualClock, ReplyError } = await entry('index');

function manual() {
  const clock = new ManualClock(1000);
  const db = new Keylatch({ clock });
  const heard = [];
  const hear = ({ event, key }) => heard.push(`${event} ${key}`);
  return { clock, db, heard, hear };
}

const fresh = () => new Keylatch({ clock: new ManualClock(0), seed: 1 });

test('events carry event, key and database', () => {
  const { db } = manual();
  const events = [];
  db.on('*', (event) => events.push(event));
  db.client({ db: 3 }).set('kü', 1);
  assert.deepEqual(events, [{ event: 'set', key: 'kü', db: 3 }]);
});

test('keys as bytes on request', () => {
  const { db } = manual();
  const keys = [];
  db.on('set', ({ key }) => keys.push(key), { buffer: true });
  db.set(new Uint8Array([0, 255]), 1);
  assert.deepEqual(keys, [new Uint8Array([0, 255])]);
});

test('the vocabulary is that of keyspace notifications, in commit order', () => {
  const { db, heard, hear } = manual();
  db.on('*', hear);
  db.set('a', 1, { px: 100 });
  db.incr('a');
  db.append('a', 'x');
  db.rename('a', 'b');
  db.copy('b', 'c');
  db.persist('b');
  db.del('b', 'c', 'none');
  db.rpush('l', 1);
  db.hset('h', { f: 1 });
  assert.deepEqual(heard, [
    'set a',
    'expire a',
    'incrby a',
    'append a',
    'rename_from a',
    'rename_to b',
    'copy_to c',
    'persist b',
    'del b',
    'del c',
    'rpush l',
    'hset h',
  ]);
});

test('on answers its own end, once ends itself, off removes one registration', () => {
  const { db, heard, hear } = manual();
  const end = db.on('set', hear);
  db.once('set', hear);
  db.set('a', 1);
  db.set('b', 1);
  end();
  end();
  db.on('set', hear);
  db.on('set', hear);
  db.off('set', hear);
  db.set('c', 1);
  db.off('set', hear);
  db.set('d', 1);
  assert.deepEqual(heard, ['set a', 'set a', 'set b', 'set c']);
});

test('events reach a listener after the reply is made and before the call returns', () => {
  const { db } = manual();
  const steps = [];
  db.on('set', () => steps.push(`heard, get says ${db.get('k')}`));
  steps.push(db.set('k', 'v'));
  steps.push('returned');
  assert.deepEqual(steps, ['heard, get says v', 'OK', 'returned']);
});

test('they come also when the call throws, and a transaction is one call', () => {
  const { db, clock, heard, hear } = manual();
  db.set('old', 1, { px: 10 });
  db.set('text', 'x');
  db.on('*', hear);
  clock.set(1000);
  assert.throws(() => db.call('NOSUCH'), ReplyError);
  db.on('set', ({ key }) => heard.push(`in transaction: ${db.inTransaction}, ${key} is ${db.get(key)}`));
  db.multi().set('a', 1).incr('text').set('a', 2).exec({ errors: 'return' });
  assert.deepEqual(heard, ['set a', 'in transaction: false, a is 2', 'set a', 'in transaction: false, a is 2']);
});

test('a listener may call: its call runs at once, its events join the end', () => {
  const { db, heard, hear } = manual();
  db.on('del', ({ key }) => {
    if (key !== 'a') return;
    assert.equal(db.set('made', 1), 'OK');
    assert.equal(db.get('made'), '1');
    heard.push('listener done');
  });
  db.on('*', hear);
  db.mset({ a: 1, b: 1 });
  heard.length = 0;
  db.del('a', 'b');
  assert.deepEqual(heard, ['listener done', 'del a', 'del b', 'set made']);
});

test('an expiry event is sent by a command, by tick, or by the clock', () => {
  const { db, clock, heard, hear } = manual();
  db.on('expired', hear);
  db.mset({ a: 1, b: 1, c: 1 });
  db.pexpire('b', 20);
  db.pexpire('a', 10);
  clock.advance(10);
  assert.deepEqual(heard, [], 'the last instant of life');
  clock.advance(11);
  assert.deepEqual(heard, ['expired a', 'expired b']);
  assert.equal(db.dbsize(), 1);
});

test('a clock set back is an event', () => {
  let now = 1000;
  const db = new Keylatch({ now: () => now });
  const events = [];
  db.on('clock', (event) => events.push(event));
  db.set('k', 1, { px: 100 });
  now = 500;
  assert.equal(db.pttl('k'), 600);
  assert.deepEqual(events, [{ event: 'clock', key: '', db: 0 }]);
});

test("listeners' errors go to 'error' and never change a result", () => {
  const { db, heard, hear } = manual();
  const errors = [];
  db.on('error', (error) => errors.push(error.message));
  db.on('set', () => {
    throw new Error('first');
  });
  db.on('set', hear);
  assert.equal(db.set('a', 1), 'OK');
  assert.deepEqual([errors, heard], [['first'], ['set a']]);
});

test("without a listener of 'error' they are rethrown in a microtask", async () => {
  const { db } = manual();
  db.on('set', () => {
    throw new Error('uncaught');
  });
  db.on('del', () => {
    throw new Error('from del');
  });
  const caught = [];
  const listeners = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', (error) => caught.push(error.message));
  assert.equal(db.set('a', 1), 'OK');
  assert.deepEqual(caught, []);
  await new Promise((resolve) => setImmediate(resolve));
  db.on('error', () => {
    throw new Error('the error listener itself');
  });
  assert.equal(db.del('a'), 1);
  await new Promise((resolve) => setImmediate(resolve));
  process.removeAllListeners('uncaughtException');
  for (const listener of listeners) process.on('uncaughtException', listener);
  assert.deepEqual(caught, ['uncaught', 'the error listener itself']);
});

test('listeners that cause their own event for ever are stopped and reported', () => {
  const { db } = manual();
  const errors = [];
  db.on('error', (error) => errors.push(error.message));
  db.on('incrby', () => db.incr('n'));
  assert.equal(db.incr('n'), 1);
  assert.match(errors.join(), /caused events for more than/);
  assert.equal(db.set('k', 1), 'OK');
});

test('a listener may end listening, close a client, or close the engine', () => {
  const { db, heard, hear } = manual();
  const client = db.client();
  client.ping();
  const end = db.on('set', (event) => {
    hear(event);
    end();
    client.close();
  });
  db.on('set', hear);
  db.set('a', 1);
  assert.ok(client.closed);
  db.on('set', () => db.close());
  assert.equal(db.set('b', 1), 'OK');
  assert.ok(db.closed);
  assert.deepEqual(heard, ['set a', 'set a', 'set b']);
});

test('a listener has to be a function', () => {
  const { db } = manual();
  assert.throws(() => db.on('set', undefined), TypeError);
});

test('a listener hears keys that match a pattern, and `using` ends it', () => {
  const db = fresh();
  const seen = [];
  const end = db.on('set', ({ key }) => seen.push(key), { match: 'user:[0-9]*' });
  for (const key of ['user:1', 'user:x', 'other', 'user:22']) db.set(key, 1);
  end[Symbol.dispose]();
  db.set('user:3', 1);
  assert.deepEqual(seen, ['user:1', 'user:22']);
});

test('patterns match as KEYS does', () => {
  const db = fresh();
  const names = ['', 'a', 'ab', 'abc', 'a*c', 'a?c', 'b]', '-', '^', 'é', '[', 'x\\y', 'a\nb'];
  const patterns = [
    '*',
    '?',
    'a?',
    'a*c',
    'a\\*c',
    '[ab]',
    '[^a]',
    '[a-c]*',
    '[c-a]?',
    '[a-',
    '[]',
    '[^]',
    '??',
    'x\\\\y',
    '\\',
    '[\\]]',
    'b[\\]]',
    'a\nb',
  ];
  for (const pattern of patterns) {
    const seen = [];
    const end = db.on('set', ({ key }) => seen.push(key), { match: pattern });
    for (const name of names) db.set(name, 1);
    end();
    assert.deepEqual(seen.sort(), db.keys(pattern).sort(), pattern);
  }
});

test('events are read with for await', async () => {
  const db = fresh();
  const events = db.events('set', { match: 'k*' });
  db.set('k1', 1);
  db.set('other', 1);
  db.set('k2', 1);
  const seen = [];
  for await (const { key } of events) {
    seen.push(key);
    if (seen.length === 2) break;
  }
  assert.deepEqual(seen, ['k1', 'k2']);
  const open = db.events();
  const pending = open.next();
  db.close();
  assert.deepEqual(await pending, { done: true, value: undefined });
});
