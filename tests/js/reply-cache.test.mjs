// The client-side cache of a database elsewhere: kept replies, and reads under way while keys change.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Dice } from './support/dice.mjs';
import { entry, folder } from './support/package.mjs';
import { source } from './support/source.mjs';

const { Keylatch, ManualClock } = await entry('index');
const { ReplyCache } = await source('remote/reply-cache.ts');
const { CACHED, CachedReads } = await source('remote/cached-reads.ts');

const reply = (text) => Buffer.from(`$${text.length}\r\n${text}\r\n`);

/** A cache, with functions that send a read, and a write, and answer them later. */
function start(maxEntries = 10) {
  const cache = new CachedReads(maxEntries);
  cache.isFresh = () => true;
  return {
    cache,
    sent: 0,
    /** Sends a read if it has to be sent. */
    read(argv, { db = 0 } = {}) {
      const own = resolvers();
      const result = cache.read(argv, db, () => {
        this.sent += 1;
        return own.promise;
      });
      return { result, answer: (text) => own.resolve([reply(text)]), fail: own.reject };
    },
    write(...commands) {
      const own = resolvers();
      const result = cache.change(commands, () => own.promise);
      return { result, answer: () => own.resolve([reply('OK')]), fail: own.reject };
    },
    /** Reads, and answers at once with a text if that was sent. */
    async get(argv, text, options) {
      const { result, answer } = this.read(argv, options);
      answer(text);
      const [bytes] = await result;
      return bytes.toString().split('\r\n')[1];
    },
  };
}

function resolvers() {
  let [resolve, reject] = [];
  const promise = new Promise((done, failed) => {
    [resolve, reject] = [done, failed];
  });
  return { promise, resolve, reject };
}

test('commands that are cached only read, and depend on nothing but the values of their keys', () => {
  const rows = new Map(JSON.parse(readFileSync(`${folder}/commands.json`, 'utf8')).map((row) => [row.name, row]));
  assert.ok(CACHED.size > 60);
  for (const name of CACHED) {
    const { flags, dependsOn, keys } = rows.get(name);
    assert.ok(flags.includes('readonly') && dependsOn.length === 0 && keys.length > 0, name);
  }
  for (const name of ['TTL', 'HPTTL', 'TOUCH', 'RANDOMKEY', 'SRANDMEMBER', 'SCAN', 'SORT_RO', 'EVAL_RO', 'LATCH.CHECK'])
    assert.ok(!CACHED.has(name), name);
});

test('no cached reply changes while time alone passes', () => {
  const clock = new ManualClock();
  const db = new Keylatch({ clock });
  db.set('s', 'text', { px: 1e9 });
  db.hset('h', 'f', 'v');
  db.call('HPEXPIRE', 'h', '1000000000', 'FIELDS', '1', 'f');
  const shapes = (name) =>
    ['s', 'h', 'none'].flatMap((key) => [
      [name, key],
      [name, key, 'f'],
      [name, key, '0', '9'],
      [name, '1', key],
      [name, key, 'FIELDS', '1', 'f'],
    ]);
  const asked = [...CACHED].flatMap(shapes);
  const answers = () =>
    asked.map((argv) => {
      try {
        return db.call(...argv);
      } catch ({ message }) {
        return message;
      }
    });
  const before = answers();
  clock.advance(1000);
  assert.deepEqual(answers(), before);
  assert.ok(before.filter((answer) => typeof answer !== 'string').length > 100);
});

test('a reply is kept for its command, its words and its database', async () => {
  const own = start();
  assert.equal(await own.get(['GET', 'k'], 'one'), 'one');
  assert.equal(await own.get(['get', Buffer.from('k')], 'two'), 'one');
  assert.equal(await own.get(['GET', 'k'], 'two', { db: 1 }), 'two');
  assert.equal(await own.get(['STRLEN', 'k'], 'three'), 'three');
  assert.equal(await own.get(['MGET', 'a', 'b'], 'four'), 'four');
  assert.equal(await own.get(['MGET', 'a,b'], 'five'), 'five');
  assert.equal(await own.get(['GET', 'é'], 'six'), 'six');
  assert.equal(await own.get(['GET', Buffer.from('é')], 'x'), 'six');
  assert.equal(await own.get(['TTL', 'k'], 'first'), 'first');
  assert.equal(await own.get(['TTL', 'k'], 'second'), 'second');
  own.cache.forget([Buffer.from('é'), Buffer.from('b')]);
  assert.equal(await own.get(['GET', 'é'], 'new'), 'new');
  assert.equal(await own.get(['MGET', 'a', 'b'], 'new'), 'new');
  assert.equal(await own.get(['GET', 'k'], 'new'), 'one');
  own.cache.forget();
  assert.equal(await own.get(['GET', 'k'], 'new'), 'new');
  own.cache.isFresh = () => false;
  assert.equal(await own.get(['GET', 'k'], 'newer'), 'newer');
});

test('error replies and lost ones are not kept', async () => {
  const own = start();
  const failing = own.read(['GET', 'k']);
  failing.fail(new Error('lost'));
  await assert.rejects(failing.result, /lost/);
  await own.cache.read(['GET', 'k'], 0, async () => [Buffer.from('-WRONGTYPE\r\n')]);
  assert.equal(await own.get(['GET', 'k'], 'v'), 'v');
});

test('a read that was under way while its key changed is not kept', async () => {
  for (const change of [
    (own) => own.cache.forget([Buffer.from('k')]),
    (own) => own.cache.forget(),
    (own) => own.write(['SET', 'k', 1]).answer(),
    (own) => own.write(['RENAME', 'x', 'k']).answer(),
    (own) => own.write(['INCR', 'n'], ['DEL', 'j', 'k']).answer(),
    (own) => own.write(['FLUSHALL']).answer(),
    (own) => own.write(['EVAL', 'return 1', 1, 'other']).answer(),
    (own) => own.write(['SELECT', 1]).answer(),
  ]) {
    const own = start();
    const read = own.read(['GET', 'k']);
    change(own);
    read.answer('old');
    await read.result;
    assert.equal(await own.get(['GET', 'k'], 'new'), 'new', String(change));
  }
  const own = start();
  const read = own.read(['GET', 'k']);
  await own.cache.change([['SET', 'other', 1]], async () => [reply('OK')]);
  await own.cache.change([['PUBLISH', 'k', 1]], async () => [reply('OK')]);
  read.answer('v');
  await read.result;
  assert.equal(await own.get(['GET', 'k'], 'new'), 'v');
});

test('a write hides kept replies when it is sent, and again when it is answered or lost', async () => {
  for (const end of ['answer', 'fail']) {
    const own = start();
    await own.get(['GET', 'k'], 'old');
    const write = own.write(['SET', 'k', 'new']);
    // The reply to a read of another connection, which did not see the write.
    assert.equal(await own.get(['GET', 'k'], 'still old'), 'still old');
    assert.equal(await own.get(['GET', 'k'], 'x'), 'still old');
    write[end](new Error('lost'));
    await write.result.catch(() => {});
    assert.equal(await own.get(['GET', 'k'], 'new'), 'new');
  }
});

test('the number of kept replies is bounded: those not used for the longest time go', async () => {
  const own = start(3);
  for (const key of ['a', 'b', 'c']) await own.get(['GET', key], key);
  await own.get(['GET', 'a'], 'x');
  await own.get(['GET', 'd'], 'd');
  const { sent } = own;
  assert.deepEqual([await own.get(['GET', 'a'], 'x'), await own.get(['GET', 'c'], 'x')], ['a', 'c']);
  assert.equal(own.sent, sent);
  assert.equal(await own.get(['GET', 'b'], 'again'), 'again');
});

test('against a model: a kept reply is never older than the last change', () => {
  const dice = new Dice(7);
  for (let round = 0; round < 300; round += 1) {
    const cache = new ReplyCache(1 + dice.below(4));
    const versions = new Map();
    const version = (key) => versions.get(key) ?? 0;
    const flights = [];
    for (let step = 0; step < 60; step += 1) {
      const keys = ['a', 'b', 'c', 'd'].filter(() => dice.below(2) === 0);
      const id = keys.join();
      const action = dice.below(4);
      if (keys.length === 0) continue;
      if (action === 0) {
        for (const key of keys) versions.set(key, version(key) + 1);
        cache.forget(keys);
      } else if (action === 1) {
        const seen = keys.map(version).join();
        const kept = cache.find(id);
        if (kept !== undefined) assert.equal(kept, seen);
        else flights.push({ read: cache.begin(id, keys), seen });
      } else if (flights.length > 0) {
        const [{ read, seen }] = flights.splice(dice.below(flights.length), 1);
        if (action === 2) cache.keep(read, seen);
        else cache.drop(read);
      }
    }
  }
});
