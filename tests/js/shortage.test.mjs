// Exhausted memory: the engine's own memory is given a maximum, and filled until it cannot grow. Commands that need
// more are refused and change nothing, all others work, and nothing traps.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { withFakeTime } from './support/fake-time.mjs';
import { limited } from './support/limited-memory.mjs';
import { entry, folder } from './support/package.mjs';

const { Keylatch, LoadError, ReplyError } = await entry('index');
const { printReply } = await entry('hints');

const MORE_PAGES = 64;
const OOM = "OOM command not allowed when used memory > 'maxmemory'.";
const { bytes, limitBytes } = limited(readFileSync(`${folder}/keylatch.wasm`), MORE_PAGES);
const module = new WebAssembly.Module(bytes);

const value = 'v'.repeat(200);
/** Memory that the allocator reserves first, of memory that is freed (src/wasm/reserve.rs). */
const RESERVE_BYTES = 16 * 8192;
const refused = (error) => error instanceof ReplyError && error.code === 'OOM';

/** Runs until a refusal, at most `times` times; returns the number of runs that were not refused. */
function until(run, attempts = Infinity) {
  for (let count = 0; count < attempts; count += 1) {
    assert.ok(count < 1_000_000, 'there is no end to this memory');
    try {
      run(count);
    } catch (error) {
      assert.ok(refused(error), error);
      return count;
    }
  }
  return attempts;
}

/**
 * An engine with memory for hardly one more value of this kind; the first keys exist, and the last two were refused.
 */
function full() {
  const db = Keylatch.from(module, { seed: 1, now: () => 1_000_000 });
  const count = until((number) => db.set(`key:${number}`, value));
  // Where one key does not fit, another may.
  const failed = [];
  for (let number = count; failed.length < 1000; number += 1) {
    if (until(() => db.set(`key:${number}`, value), 1) === 0) failed.push(`key:${number}`);
    else failed.length = 0;
  }
  assert.ok(db.dbsize() * value.length > limitBytes / 2, `${count} values`);
  const [another, further] = failed.slice(-2);
  return { db, count, another, further };
}

/** All replies of a stream. */
function answers(client, text) {
  let [answered, fed] = ['', client.feed(new TextEncoder().encode(text))];
  for (; fed.more; fed = client.feed(new Uint8Array())) answered += new TextDecoder().decode(fed.output);
  assert.equal(fed.closed, false);
  return answered + new TextDecoder().decode(fed.output);
}

/** Checks that a refused command changes nothing. */
function refuses(db, run) {
  const before = db.digestAll();
  assert.throws(run, refused);
  assert.equal(db.digestAll(), before);
}

/** Variant of `refuses` for one of several new keys: memory freed meanwhile may be enough for the first. */
function refusesSoon(db, store) {
  for (let number = 99_999; number > 99_000; number -= 1) {
    const before = db.digestAll();
    if (until(() => store(`key:${number}`), 1) === 0) return assert.equal(db.digestAll(), before);
  }
  assert.fail('there is room for all of them');
}

/** Checks the operations that still work: methods, calls by name and a stream. */
function goesOn(db) {
  assert.equal(db.get('key:1'), value);
  assert.equal(db.call('get', 'key:1'), value);
  assert.deepEqual(db.mget('key:1', 'no such key'), [value, null]);
  assert.equal(db.strlen('key:1'), value.length);
  assert.match(db.info(), /used_memory:/);
  assert.equal(db.ttl('key:1'), -1);
  assert.equal(answers(db, 'GET none\r\nPING\r\n'), '_\r\n+PONG\r\n');
  assert.equal(db.del('key:1', 'key:2', 'key:3'), 3);
  for (const key of ['key:1', 'key:2', 'key:3'])
    assert.equal(db.set(key, value), 'OK', 'what was given back can be used');
}

test('a full memory refuses what grows it, and only that', () => {
  const { db } = full();
  refusesSoon(db, (key) => db.set(key, value));
  refusesSoon(db, (key) => db.call('SET', key, value));
  refusesSoon(db, (key) => db.call('set', key, value, 'PX', 5000));
  refuses(db, () => db.rpush('list', ...Array.from({ length: 5000 }, (_, index) => `${value}${index}`)));
  goesOn(db);
});

test('small pieces come out of the reserve when nothing else is left', () => {
  const { db } = full();
  const tries = (times, run) => {
    for (let count = 0; count < times; count += 1) until(run, 1);
  };
  // Names, replies and slow commands use up the small pieces of memory.
  let length = 100;
  tries(2000, () => db.call('CLIENT', 'SETNAME', 'x'.repeat((length += 1))));
  tries(20, () => db.call('CONFIG', 'GET', '*'));
  tries(5, () => db.call('COMMAND', 'DOCS'));
  tries(3, () => db.call('CONFIG', 'SET', 'slowlog-log-slower-than', '0'));
  for (let count = 0; count < 3000; count += 1) assert.equal(db.get('key:1'), value);
  refusesSoon(db, (key) => db.set(key, value));
});

test('slow commands are forgotten where there is no memory to remember them', () => {
  const { db } = full();
  for (let count = 0; count < 300; count += 1) until(() => db.call('CONFIG', 'SET', 'slowlog-log-slower-than', '0'), 1);
  assert.ok(db.call('SLOWLOG', 'LEN') < 128);
  goesOn(db);
});

test('the text of the error is that of Redis', () => {
  const { db, another } = full();
  assert.throws(() => db.set(another, value), { name: 'ReplyError', message: OOM, code: 'OOM', command: 'SET' });
});

test('many values at once come in whole or not at all', () => {
  const { db } = full();
  const pairs = Array.from({ length: 100 }, (_, index) => [`more:${index}`, value]);
  refuses(db, () => db.mset(pairs));
  refuses(db, () => db.mset(pairs.map(([key]) => [key, value.repeat(50)])));
  refuses(db, () => db.call('MSETNX', ...pairs.flat()));
  assert.equal(db.exists(...pairs.map(([key]) => key)), 0);
  goesOn(db);
});

test('input that is larger than what is free is refused before anything is read', () => {
  const { db } = full();
  const huge = 'h'.repeat(limitBytes);
  refuses(db, () => db.set('huge', huge));
  refuses(db, () => db.get(huge));
  refuses(db, () => db.feed(new TextEncoder().encode(huge)));
  goesOn(db);
  refuses(db, () => db.append('key:1', 'x'.repeat(200_000)));
  refuses(db, () => db.setrange('key:1', 400_000, 'x'));
  goesOn(db);
});

test('a stream is answered the error, and goes on', () => {
  const { db, count, another, further } = full();
  const client = db.client();
  const said = (text) => answers(client, text);
  const before = db.digestAll();
  const set = (key) => `*3\r\n$3\r\nSET\r\n$${key.length}\r\n${key}\r\n$${value.length}\r\n${value}\r\n`;
  assert.equal(said(`${set(another)}GET nothing\r\n${set(further)}`), `-${OOM}\r\n_\r\n-${OOM}\r\n`);
  assert.equal(db.digestAll(), before);
  assert.equal(said(`DEL key:1\r\n${set('key:1')}DBSIZE\r\n`), `:1\r\n+OK\r\n:${count}\r\n`);
  goesOn(db);
});

test('a pipeline that fills the memory is answered command by command', () => {
  const db = Keylatch.from(module, { seed: 1 });
  db.ping();
  const client = db.client();
  let [stored, failed] = [0, 0];
  for (let chunk = 0; failed < 100; chunk += 1) {
    const keys = Array.from({ length: 100 }, (_, index) => `${chunk}:${index}`);
    const text = keys.map((key) => `SET ${key} ${value}\r\n`).join('');
    const replies = answers(client, text).split('\r\n');
    stored += replies.filter((reply) => reply === '+OK').length;
    failed += replies.filter((reply) => reply === `-${OOM}`).length;
    assert.equal(replies.length, 101);
  }
  assert.equal(db.dbsize(), stored);
  assert.equal(db.get('1:1'), value);
});

test('a transaction is refused where it grows memory, and nowhere else', () => {
  const { db, another } = full();
  const multi = db.multi();
  multi.get('key:1').set(another, value).del('key:2');
  const [got, error, removed] = multi.exec({ errors: 'return' }) ?? [];
  assert.equal(got, value);
  assert.ok(refused(error));
  assert.equal(removed, 1);
});

test('a value that is restored, a snapshot and a log that do not fit leave everything as it was', () => {
  const other = new Keylatch({ seed: 1 });
  other.rpush('list', ...Array.from({ length: 2000 }, (_, index) => `${value}${index}`));
  const payload = other.bytes.call('DUMP', 'list');
  other.record(true);
  for (let index = 0; index < limitBytes / 200; index += 1) other.set(`other:${index}`, `${value}${index}`);
  const [snapshot, log] = [other.snapshot(), other.takeEffects()];
  const { db } = full();
  const before = db.digestAll();
  refuses(db, () => db.call('RESTORE', 'list', 0, payload));
  for (const load of [() => db.load(snapshot), () => db.load(snapshot.subarray(0, 100_000))]) {
    assert.throws(load, (error) => refused(error) || error instanceof LoadError);
    assert.equal(db.digestAll(), before);
  }
  // A log is replayed unit by unit; the part that fits stays.
  assert.throws(
    () => db.replay(log),
    (error) => refused(error) || error instanceof LoadError,
  );
  assert.throws(() => db.snapshot(), /memory/);
  goesOn(db);
});

test('a snapshot that does not fit is refused by an empty engine, too', () => {
  const other = new Keylatch({ seed: 1 });
  for (let index = 0; index < limitBytes / 400; index += 1) other.set(`other:${index}`, `${value}${value}`);
  const db = Keylatch.from(module, { seed: 1 });
  db.set('key', 'value');
  assert.throws(
    () => db.load(other.snapshot()),
    (error) => refused(error) || error instanceof LoadError,
  );
  assert.equal(db.get('key'), 'value');
});

test('replies that do not fit are the error', () => {
  const { db } = full();
  refuses(db, () => db.keys('*'));
  refuses(db, () => db.call('SCAN', 0, 'COUNT', 1_000_000));
  assert.throws(() => db.inspectPage({ limit: 1_000_000 }), /memory/);
  assert.equal(db.inspectPage({ limit: 10 }).keys.length, 10);
  assert.throws(
    () => printReply(db, new Uint8Array(100_000).fill(36)),
    (error) => refused(error) || /memory/.test(error.message),
  );
  goesOn(db);
});

test('whatever is kept in small pieces is refused once the reserve is begun, and nothing traps', () => {
  const { db } = full();
  const clients = [];
  const watcher = db.client();
  watcher.ping();
  until(() => clients.push(db.client()) && clients.at(-1).ping());
  until((number) => watcher.watch(`watched:${number}`));
  assert.equal(db.get('key:1'), value);
  until((number) => db.call('SUBSCRIBE', `channel:${number}`));
  const asking = clients[0];
  asking.call('MULTI');
  until(() => asking.call('PING'));
  assert.throws(() => asking.call('EXEC'), { code: 'EXECABORT' });
  assert.equal(db.get('key:1'), value);
  for (const client of clients) client.close();
  watcher.unwatch();
  db.call('UNSUBSCRIBE');
  // Whole pages of values, which are contiguous in the order of their creation.
  for (let number = 1000; number < 2000; number += 1) assert.equal(db.del(`key:${number}`), 1);
  assert.equal(db.client().ping(), 'PONG');
  goesOn(db);
});

test('more clients than a small list holds are notified, and of the configuration after them', () => {
  const db = Keylatch.from(module, { seed: 1, now: () => 1_000_000 });
  const clients = Array.from({ length: 1100 }, () => db.client());
  db.subscribe('news', () => {});
  for (const client of clients) client.call('SUBSCRIBE', 'news');
  db.call('MULTI');
  db.call('CONFIG', 'SET', 'hz', 20);
  db.call('PUBLISH', 'news', 'hello');
  const filler = db.client();
  // Down to the memory that a longer list would take.
  for (const length of [100_000, 16_000, 8000, 5000, 4100])
    until((number) => filler.set(`${length}:${number}`, 'v'.repeat(length)));
  assert.deepEqual(db.call('EXEC'), ['OK', 1101]);
  assert.equal(db.call('GET', 'no such key'), null);
});

test('events are delivered while memory is full', () => {
  const { db } = full();
  const heard = [];
  db.on('*', ({ event, key }) => heard.push(`${event} ${key}`));
  goesOn(db);
  assert.deepEqual(heard, ['del key:1', 'del key:2', 'del key:3', 'set key:1', 'set key:2', 'set key:3']);
  const client = db.client();
  const all = Array.from({ length: 300 }, (_, index) => `DEL key:${index}\r\n`).join('');
  const removed = answers(client, all)
    .split('\r\n')
    .filter((reply) => reply === ':1').length;
  assert.equal(heard.length, 6 + removed);
});

test('keys die while memory is full, and are logged', () => {
  let now = 1_000_000;
  const db = Keylatch.from(module, { seed: 1, now: () => now });
  db.record(true);
  const count = until((number) => {
    db.set(`key:${number}`, value, { px: 1000 });
    db.takeEffects();
  });
  now += 2000;
  for (let rounds = 0; db.dbsize() > 0; rounds += 1) {
    db.tick();
    assert.ok(db.takeEffects().length > 0 && rounds < count);
  }
  assert.equal(db.set('key', value), 'OK');
});

test('a sweep that finds no memory tries again, and keeps no timer spinning', () =>
  withFakeTime((time) => {
    const db = Keylatch.from(module, { seed: 1 });
    const heard = [];
    db.on('expired', ({ key }) => heard.push(key));
    db.record(true);
    until((number) => db.set(`key:${number}`, value, { px: 1000 }));
    // The log takes the rest of the memory, because it is not drained.
    until((number) => db.set('key:0', `${value}${number % 2}`, { px: 1000 }));
    const faked = globalThis.setTimeout;
    let fired = 0;
    globalThis.setTimeout = (callback, delay) =>
      faked(() => {
        assert.ok((fired += 1) < 1000, 'it fires over and over');
        callback();
      }, delay);
    time.advance(10_000);
    const held = db.dbsize();
    assert.ok(held > 0 && fired > 50, `${held} keys, ${fired} times`);
    assert.ok(fired <= 10_000 / 100 + heard.length / 256 + 10, `${fired} times`);
    db.takeEffects();
    time.advance(1000);
    assert.equal(db.dbsize(), 0);
    assert.ok(heard.length >= held);
    assert.equal(time.timers.size, 0);
  }));

test('a SET that failed for memory works again once there is some', () => {
  const { db, count } = full();
  let missing = 0;
  for (let round = 0; round < 3; round += 1) {
    let removed = 0;
    for (let number = 0; number < count; number += 2) removed += db.del(`key:${number}`);
    assert.equal(removed, Math.ceil(count / 2) - missing);
    missing = 0;
    for (let number = 0; number < count; number += 2) missing += 1 - until(() => db.set(`key:${number}`, value), 1);
    assert.ok(missing * value.length <= RESERVE_BYTES, `${missing} values do not fit again`);
    refusesSoon(db, (key) => db.set(key, value));
  }
  db.flushall();
  while (db.tick());
  assert.ok(until((number) => db.set(`key:${number}`, value)) >= count * 0.95);
});
