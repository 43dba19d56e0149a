// Messages: their recipients, time and order, and the calls a callback may make.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withFakeTime } from './support/fake-time.mjs';
import { entry } from './support/package.mjs';

const { ClosedError, Keylatch, ManualClock } = await entry('index');

function listening() {
  const db = new Keylatch({ clock: new ManualClock(1000) });
  const heard = [];
  const hear = (...words) => heard.push(words.join(' < '));
  return { db, heard, hear };
}

test('channels, patterns and shard channels', () => {
  const { db, heard, hear } = listening();
  db.subscribe('news', hear);
  db.psubscribe('n?ws', hear);
  db.ssubscribe('news', (message, channel) => hear('shard', message, channel));
  assert.equal(db.publish('news', 'hello'), 2);
  assert.equal(db.publish('nows', 'pattern'), 1);
  assert.equal(db.spublish('news', 'part'), 1);
  assert.equal(db.publish('other', 'nobody'), 0);
  assert.deepEqual(heard, ['hello < news', 'hello < news < n?ws', 'pattern < nows < n?ws', 'shard < part < news']);
});

test('all callbacks of a database are one client; the last one to leave ends it', () => {
  const { db, heard, hear } = listening();
  const ends = [
    db.subscribe('a', hear),
    db.subscribe('a', (message) => hear('second', message)),
    db.psubscribe('*', () => {}),
  ];
  assert.equal(db.publish('a', 1), 2);
  assert.deepEqual(heard, ['1 < a', 'second < 1']);
  const [first, second, pattern] = ends;
  first();
  first();
  assert.deepEqual(db.pubsubChannels(), ['a']);
  second[Symbol.dispose]();
  assert.deepEqual(db.pubsubChannels(), []);
  pattern();
  assert.equal(db.publish('a', 2), 0);
  assert.equal(db.call('CLIENT', 'LIST').trim().split('\n').length, 1);
  assert.equal(heard.length, 2);
  db.subscribe('a', hear);
  assert.equal(db.publish('a', 3), 1);
});

test('the same callback twice is two subscriptions', () => {
  const { db, heard, hear } = listening();
  const end = db.subscribe('a', hear);
  db.subscribe('a', hear);
  db.publish('a', 1);
  end();
  db.publish('a', 2);
  assert.deepEqual(heard, ['1 < a', '1 < a', '2 < a']);
});

test('bytes on request, and names that are no UTF-8 are kept apart', () => {
  const { db } = listening();
  const [first, second] = [Uint8Array.of(0xff), Uint8Array.of(0xfe)];
  const heard = [];
  db.subscribe(first, (...words) => heard.push(words), { buffer: true });
  db.subscribe(second, (message) => heard.push(message));
  db.psubscribe('\uFFFD', () => assert.fail('nobody means this'));
  db.publish(first, Uint8Array.of(0, 128));
  db.publish(second, 'x');
  assert.deepEqual(heard, [[Uint8Array.of(0, 128), first], 'x']);
  const name = Uint8Array.of(97);
  db.subscribe(name, (message) => heard.push(message));
  name[0] = 98;
  db.publish('a', 'the name was copied');
  assert.equal(heard.pop(), 'the name was copied');
});

test('messages come after the reply is made and before the call returns', () => {
  const { db } = listening();
  const steps = [];
  db.subscribe('c', (message) => steps.push(`${message}, get says ${db.get('k')}`));
  steps.push(db.client().publish('c', 'heard'));
  steps.push('returned');
  assert.deepEqual(steps, ['heard, get says null', 1, 'returned']);
});

test('messages and events come in the order in which they came about', () => {
  const { db, heard, hear } = listening();
  db.call('CONFIG', 'SET', 'notify-keyspace-events', 'K$');
  db.on('*', ({ event, key }) => heard.push(`${event} ${key}`));
  db.subscribe('c', hear);
  db.psubscribe('__key*', (message, channel) => hear(message, channel));
  db.multi().set('a', 1).publish('c', 'between').del('a').set('b', 2).publish('c', 'last').exec();
  assert.deepEqual(heard, [
    'set a',
    'set < __keyspace@0__:a',
    'between < c',
    'del a',
    'set b',
    'set < __keyspace@0__:b',
    'last < c',
  ]);
});

test('a callback may call: its call runs at once, what it causes joins the end', () => {
  const { db, heard, hear } = listening();
  db.on('set', ({ key }) => heard.push(`set ${key}`));
  db.subscribe('c', (message) => {
    hear(message);
    if (message !== 'one') return;
    db.set('k', 'v');
    assert.equal(db.publish('c', 'three'), 1);
    heard.push(`callback done, k is ${db.get('k')}`);
  });
  db.multi().publish('c', 'one').publish('c', 'two').exec();
  assert.deepEqual(heard, ['one', 'callback done, k is v', 'two', 'set k', 'three']);
});

test('a callback may subscribe, end itself and others, wait, and close the database', async () => {
  const { db, heard, hear } = listening();
  const ends = [];
  let wait;
  ends.push(
    db.subscribe('c', (message) => {
      hear('first', message);
      ends.forEach((end) => end());
      db.subscribe('d', () => {
        hear('closing');
        db.close();
      });
      db.subscribe('d', () => assert.fail('the database is closed'));
      wait = db.blpop('list');
    }),
  );
  ends.push(db.subscribe('c', () => assert.fail('it was ended before its turn')));
  db.publish('c', 1);
  db.publish('c', 2);
  db.rpush('list', 'x');
  assert.deepEqual(await wait, ['list', 'x']);
  assert.equal(db.publish('d', 3), 1);
  assert.deepEqual([heard, db.closed], [['first < 1', 'closing'], true]);
  ends[0]();
});

test('errors of callbacks go to error listeners, else into a microtask', async () => {
  const { db, heard, hear } = listening();
  db.subscribe('c', () => {
    throw new Error('thrown');
  });
  db.subscribe('c', hear);
  const caught = [];
  const end = db.on('error', (error) => caught.push(error.message));
  assert.equal(db.publish('c', 1), 1);
  end();
  const listeners = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', (error) => caught.push(`uncaught ${error.message}`));
  db.publish('c', 2);
  await new Promise((resolve) => setImmediate(resolve));
  process.removeAllListeners('uncaughtException');
  for (const listener of listeners) process.on('uncaughtException', listener);
  assert.deepEqual(
    [caught, heard],
    [
      ['thrown', 'uncaught thrown'],
      ['1 < c', '2 < c'],
    ],
  );
});

test('callbacks that publish for ever are stopped and reported', () => {
  const { db } = listening();
  const errors = [];
  db.on('error', (error) => errors.push(error.message));
  db.subscribe('c', (message) => db.publish('c', message));
  assert.equal(db.publish('c', 'again'), 1);
  assert.match(errors.join(), /caused events for more than/);
  assert.equal(db.set('k', 1), 'OK');
});

test('notifications of expiry come in time while there is a subscriber', () =>
  withFakeTime((time) => {
    const db = new Keylatch();
    db.call('CONFIG', 'SET', 'notify-keyspace-events', 'Ex');
    const heard = [];
    db.set('k', 1, { px: 100 });
    assert.equal(time.timers.size, 0);
    const end = db.subscribe('__keyevent@0__:expired', (key) => heard.push(key));
    assert.equal(time.timers.size, 1);
    time.advance(101);
    assert.deepEqual(heard, ['k']);
    db.set('k', 1, { px: 100 });
    assert.equal(time.timers.size, 1);
    end();
    assert.equal(time.timers.size, 0);
  }));

test('killing the client behind it does not end a subscription', () => {
  const { db, heard, hear } = listening();
  db.subscribe('a', hear);
  db.psubscribe('b*', hear);
  assert.equal(db.call('CLIENT', 'KILL', 'TYPE', 'pubsub'), 1);
  db.publish('a', 1);
  db.publish('bb', 2);
  assert.deepEqual(heard, ['1 < a', '2 < bb < b*']);
});

test('bad names and callbacks, and databases that are closed', () => {
  const { db } = listening();
  assert.throws(() => db.subscribe('c'), {
    name: 'TypeError',
    message: 'the callback of SUBSCRIBE must be a function',
  });
  assert.throws(() => db.psubscribe('\uD800', () => {}), { name: 'TypeError', message: /argument 1 of PSUBSCRIBE/ });
  assert.equal(db.call('CLIENT', 'LIST').trim().split('\n').length, 1);
  const end = db.subscribe('c', () => {});
  db.close();
  end();
  assert.throws(() => db.subscribe('c', () => {}), ClosedError);
});

test('messages of a channel by for await', async () => {
  const { db } = listening();
  const read = [];
  const messages = db.messages('c');
  db.publish('c', 1);
  const reader = (async () => {
    for await (const message of messages) {
      read.push(message);
      if (message === '3') break;
    }
  })();
  db.publish('c', 2);
  await null;
  db.publish('c', 3);
  await reader;
  assert.deepEqual(read, ['1', '2', '3']);
  assert.deepEqual(db.pubsubChannels(), [], 'break ends the subscription');
  assert.deepEqual(await messages.next(), { done: true, value: undefined });
  const bytes = db.messages('c', { buffer: true });
  db.publish('c', 'x');
  assert.deepEqual(await bytes.next(), { done: false, value: Uint8Array.of(120) });
});

test('the queue of an iterator is bounded, and what came before the end is read', async () => {
  const { db } = listening();
  const messages = db.messages('c', { limit: 2 });
  for (const message of ['a', 'b', 'c', 'd']) db.publish('c', message);
  assert.equal((await messages.next()).value, 'a');
  assert.equal((await messages.next()).value, 'b');
  await assert.rejects(messages.next(), {
    name: 'RangeError',
    message: 'more than 2 are unread: read faster, or set a larger limit',
  });
  assert.equal((await messages.next()).done, true);
  assert.deepEqual(db.pubsubChannels(), []);
  assert.throws(() => db.messages('c', { limit: 0 }), RangeError);
});

test('a signal or the end of the database ends an iteration', async () => {
  const { db } = listening();
  const controller = new AbortController();
  const aborted = db.messages('c', { signal: controller.signal });
  const waiting = [aborted.next(), aborted.next()];
  controller.abort();
  await assert.rejects(waiting[0], { name: 'AbortError' });
  assert.equal((await waiting[1]).done, true);
  assert.throws(() => db.messages('c', { signal: controller.signal }), { name: 'AbortError' });
  const messages = db.messages('c');
  db.publish('c', 'last');
  db.close();
  assert.equal((await messages.next()).value, 'last');
  assert.equal((await messages.next()).done, true);
});
