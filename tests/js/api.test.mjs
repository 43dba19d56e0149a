// The public methods of a database: commands, options, replies, clients, transactions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entry } from './support/package.mjs';

const { Keylatch, ManualClock, ReplyError, ClosedError } = await entry('index');
const { printReply, splitLine } = await entry('hints');

test('the first example of the README', () => {
  const db = new Keylatch();
  assert.equal(db.set('door', 'me', { nx: true, px: 5000 }), 'OK');
  assert.equal(db.set('door', 'you', { nx: true, px: 5000 }), null);
  assert.ok(db.call('PTTL', 'door') > 4000);
});

test('SET answers by its options', () => {
  const db = new Keylatch();
  assert.equal(db.set('k', 'a'), 'OK');
  assert.equal(db.set('k', 'b', { xx: true, get: true }), 'a');
  assert.equal(db.set('new', 'b', { get: true }), null);
  assert.equal(db.set('gone', 'b', { xx: true }), null);
  assert.equal(db.set('k', 'c', { ifeq: 'no' }), null);
  assert.equal(db.set('k', 'c', { ifeq: 'b', ex: 100 }), 'OK');
  assert.equal(db.ttl('k'), 100);
  assert.equal(db.set('k', 'd', { keepttl: true }), 'OK');
  assert.equal(db.ttl('k'), 100);
  assert.equal(db.set('k', 'e', { ifdeq: db.digest('k') }), 'OK');
  assert.equal(db.ttl('k'), -1);
  assert.equal(db.set('k', 'f', { nx: false, get: false, keepttl: false }), 'OK');
  assert.equal(db.set('k', 'g', { pxat: Date.now() + 5000 }), 'OK');
  assert.equal(db.delex('k', { ifeq: 'other' }), 0);
  assert.equal(db.delex('k', { ifeq: 'g' }), 1);
});

test('the sugar of strings and counters', () => {
  const db = new Keylatch();
  assert.equal(db.setnx('n', 1), 1);
  assert.equal(db.setnx('n', 2), 0);
  assert.equal(db.incr('n'), 2);
  assert.equal(db.incrby('n', 10), 12);
  assert.equal(db.decr('n'), 11);
  assert.equal(db.decrby('n', 1n), 10);
  assert.equal(db.incrbyfloat('n', 0.5), '10.5');
  assert.equal(db.append('s', 'abc'), 3);
  assert.equal(db.setrange('s', 1, 'X'), 3);
  assert.equal(db.getrange('s', 0, -1), 'aXc');
  assert.equal(db.strlen('s'), 3);
  assert.equal(db.getset('s', 'y'), 'aXc');
  assert.equal(db.getex('s', { ex: 10 }), 'y');
  assert.equal(db.getex('s', { persist: true }), 'y');
  assert.equal(db.ttl('s'), -1);
  assert.equal(db.getdel('s'), 'y');
  assert.equal(db.mset({ a: 1, b: 'two' }), 'OK');
  assert.equal(db.mset(new Map([['c', new Uint8Array([51])]])), 'OK');
  assert.deepEqual(db.mget('a', 'b', 'c', 'd'), ['1', 'two', '3', null]);
  assert.equal(db.msetnx({ d: 1, a: 1 }), 0);
  assert.equal(
    db.msetnx([
      ['d', 1],
      ['e', 1],
    ]),
    1,
  );
  assert.equal(db.msetex({ f: 1 }, { nx: true, px: 1000 }), 1);
  assert.equal(db.setex('g', 10, 'v'), 'OK');
  assert.equal(db.psetex('g', 10_000, 'v'), 'OK');
});

test('the sugar of keys', () => {
  const db = new Keylatch();
  db.mset({ a: 1, b: 2 });
  assert.equal(db.exists('a', 'b', 'x'), 2);
  assert.equal(db.type('a'), 'string');
  assert.equal(db.type('x'), 'none');
  assert.equal(db.expire('a', 10), 1);
  assert.equal(db.expire('a', 5, 'GT'), 0);
  assert.equal(db.pexpire('a', 10_500), 1);
  assert.ok(db.pttl('a') > 10_000);
  assert.equal(db.persist('a'), 1);
  assert.equal(db.expireat('a', 4102444800), 1);
  assert.equal(db.expiretime('a'), 4102444800);
  assert.equal(db.pexpireat('a', 4102444800001), 1);
  assert.equal(db.pexpiretime('a'), 4102444800001);
  assert.equal(db.copy('a', 'c'), 1);
  assert.equal(db.copy('a', 'c'), 0);
  assert.equal(db.copy('a', 'c', { db: 3, replace: true }), 1);
  assert.equal(db.rename('c', 'd'), 'OK');
  assert.equal(db.renamenx('d', 'a'), 0);
  assert.equal(db.touch('a', 'b'), 2);
  assert.deepEqual(db.keys().sort(), ['a', 'b', 'd']);
  assert.deepEqual(db.keys('[ab]').sort(), ['a', 'b']);
  assert.ok(['a', 'b', 'd'].includes(db.randomkey()));
  const [cursor, keys] = db.scan(0, { match: 'a', count: 1000, type: 'string' });
  assert.deepEqual([cursor, keys], ['0', ['a']]);
  assert.equal(db.del('a', 'x'), 1);
  assert.equal(db.unlink('b'), 1);
  assert.equal(db.dbsize(), 1);
  assert.equal(db.flushdb(), 'OK');
  assert.equal(db.flushall(), 'OK');
});

test('connection and collections', () => {
  const db = new Keylatch({ now: () => 1_700_000_000_123 });
  assert.equal(db.ping(), 'PONG');
  assert.equal(db.ping('hi'), 'hi');
  assert.equal(db.echo('ü'), 'ü');
  assert.deepEqual(db.time(), ['1700000000', '123000']);
  assert.equal(db.rpush('l', 'a', 'b'), 2);
  assert.equal(db.hset('h', { a: 1, b: 2 }), 2);
  assert.equal(db.type('l'), 'list');
  assert.equal(db.select(2), 'OK');
  assert.equal(db.db, 2);
});

test('call runs anything, in any case, and maps replies', () => {
  const db = new Keylatch();
  assert.equal(db.call('set', 'k', 'v', 'NX', 'PX', 5000), 'OK');
  assert.equal(db.call('OBJECT', 'ENCODING', 'k'), 'embstr');
  assert.ok(db.call('COMMAND', 'DOCS', 'get') instanceof Map);
  assert.equal(typeof db.call('COMMAND', 'COUNT'), 'number');
  assert.equal(db.call(new TextEncoder().encode('GET'), 'k'), 'v');
});

test('bytes in and out', () => {
  const db = new Keylatch();
  const key = new Uint8Array([0, 255, 10]);
  const value = Uint8Array.from({ length: 256 }, (_, index) => index);
  assert.equal(db.set(key, value), 'OK');
  assert.deepEqual(db.bytes.get(key), value);
  assert.deepEqual(db.bytes.keys(), [key]);
  assert.equal(db.bytes.set(key, 'x'), 'OK');
  assert.deepEqual(db.bytes.multi().get(key).exec(), [new Uint8Array([120])]);
  assert.deepEqual(db.bytes.call('MGET', key, 'no'), [new Uint8Array([120]), null]);
});

test('a transaction with a refused command runs nothing and leaves the client free', () => {
  const db = new Keylatch();
  const multi = db.multi().set('a', 1).call('NOSUCH').call('GET');
  assert.throws(
    () => multi.exec(),
    (error) =>
      error instanceof ReplyError &&
      error.code === 'EXECABORT' &&
      error.cause.length === 2 &&
      error.cause[0].message.includes('NOSUCH') &&
      error.cause[1].command === 'GET',
  );
  assert.equal(db.inTransaction, false);
  assert.throws(() => db.multi().set('a', 1).set('a', '\ud800').exec(), TypeError);
  assert.equal(db.inTransaction, false);
  assert.equal(db.get('a'), null);
});

test('WATCH: a change by another client makes EXEC answer null', () => {
  const db = new Keylatch();
  const client = db.client();
  db.set('k', 1);
  client.watch('k');
  db.incr('k');
  assert.equal(client.multi().set('k', 10).exec(), null);
  assert.equal(db.get('k'), '2');
  client.watch('k');
  client.unwatch();
  db.incr('k');
  assert.deepEqual(client.multi().get('k').exec(), ['3']);
});

test('clients share keys and nothing else', () => {
  const db = new Keylatch();
  const one = db.client({ name: 'one', db: 5 });
  const two = db.client();
  assert.deepEqual([one.name, one.db, two.name, two.db], ['one', 5, '', 0]);
  assert.equal(new Set([db.id, one.id, two.id]).size, 3);
  one.set('k', 1);
  assert.equal(two.get('k'), null);
  two.select(5);
  assert.equal(two.get('k'), '1');
  assert.equal(db.db, 0);
  one.call('MULTI');
  assert.deepEqual([one.inTransaction, two.inTransaction], [true, false]);
  assert.equal(one.call('SET', 'k', 2), 'QUEUED');
  one.call('DISCARD');
  one.call('CLIENT', 'SETNAME', 'uno');
  assert.equal(one.name, 'uno');
  assert.throws(() => db.client({ name: 'two words' }).ping(), {
    name: 'ReplyError',
    message: /cannot contain spaces/,
  });
  assert.throws(() => db.client({ db: 99 }).get('k'), { name: 'ReplyError', message: /DB index is out of range/ });
  one.close();
  one.close();
  assert.throws(() => one.get('k'), ClosedError);
  assert.equal(two.get('k'), '1');
});

test('closing ends an engine, `using` does it too', () => {
  const db = new Keylatch();
  const client = db.client();
  db.set('k', 1);
  db[Symbol.dispose]();
  assert.ok(db.closed && client.closed);
  for (const call of [() => db.get('k'), () => client.get('k'), () => db.nextExpiry(), () => db.tick()]) {
    assert.throws(call, ClosedError);
  }
  db.close();
  client.close();
  new Keylatch().close();
});

test('inspect pages through the keys', () => {
  const clock = new ManualClock(1000);
  const db = new Keylatch({ clock });
  for (let index = 0; index < 500; index += 1) db.set(`key:${index}`, 'x'.repeat(index));
  db.pexpire('key:7', 500);
  db.rpush('list', 1, 2, 3);
  db.hset('hash', { late: 1, early: 2 });
  db.hpexpire('hash', 900, 'late');
  db.hpexpire('hash', 700, 'early');
  const seen = new Map();
  let cursor = '0';
  do {
    const page = db.inspectPage({ cursor, limit: 50 });
    for (const info of page.keys) seen.set(info.key, info);
    cursor = page.cursor;
  } while (cursor !== '0');
  assert.equal(seen.size, 502);
  assert.equal(db.inspectPage({ limit: 1 }).total, 502);
  const without = { deadlineMs: null, fieldDeadlineMs: null };
  assert.deepEqual(seen.get('key:7'), { ...without, key: 'key:7', type: 'string', size: 7, deadlineMs: 1500 });
  assert.deepEqual(seen.get('list'), { ...without, key: 'list', type: 'list', size: 3 });
  assert.deepEqual(seen.get('hash'), { ...without, key: 'hash', type: 'hash', size: 2, fieldDeadlineMs: 1700 });
  assert.deepEqual(db.inspectPage({ db: 1 }), { cursor: '0', keys: [], total: 0 });
  db.flushall();
  db.set(new Uint8Array([255]), '');
  assert.deepEqual(db.inspectPage({ buffer: true }).keys[0].key, new Uint8Array([255]));
  for (const wrong of [
    { cursor: 'x' },
    { cursor: '-1' },
    { db: 16 },
    { db: 256 },
    { db: 0.5 },
    { limit: -1 },
    { limit: NaN },
  ]) {
    assert.throws(() => db.inspectPage(wrong), TypeError, JSON.stringify(wrong));
  }
  assert.throws(() => db.inspectPage({ cursor: '99999999999999999999' }), /not a number/);
});

test('nextExpiry names the first instant at which something is due', () => {
  const clock = new ManualClock(1000);
  const db = new Keylatch({ clock });
  assert.equal(db.nextExpiry(), null);
  db.set('b', 1, { px: 700 });
  db.set('a', 1, { px: 500 });
  assert.equal(db.nextExpiry(), 1501);
  clock.set(1500);
  assert.equal(db.get('a'), '1');
  clock.set(1501);
  assert.equal(db.get('a'), null);
  assert.equal(db.nextExpiry(), 1701);
});

test('RESP in, RESP out, and as redis-cli shows it', () => {
  const db = new Keylatch();
  const client = db.client({ protocol: 2 });
  assert.equal(client.protocol, 2);
  assert.equal(Buffer.from(client.callRaw('GET', 'no')).toString(), '$-1\r\n');
  assert.equal(Buffer.from(client.callRaw('NO')).toString(), "-ERR unknown command 'NO'\r\n");
  assert.equal(printReply(db, client.callRaw('MGET', 'a')), '1) (nil)');
  assert.equal(printReply(db, Buffer.from('+a\r\n:1\r\n$1')), 'a\n(integer) 1');
  assert.deepEqual(
    splitLine(db, String.raw`SET "a b" '\x41' "\x41"`).map((word) => Buffer.from(word).toString()),
    ['SET', 'a b', '\\x41', 'A'],
  );
  assert.throws(() => splitLine(db, 'SET "a'), { name: 'LineError', column: 5 });
});

test('a stream of RESP, cut anywhere', () => {
  const db = new Keylatch();
  const client = db.client({ protocol: 2 });
  const text = (fed) => Buffer.from(fed.output).toString();
  assert.equal(text(client.feed(Buffer.from('*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$'))), '');
  assert.equal(text(client.feed(Buffer.from('1\r\nv\r\nGET k\r\nPING\r\n'))), '+OK\r\n$1\r\nv\r\n+PONG\r\n');
  db.set('big', 'x'.repeat(400_000));
  const first = client.feed(Buffer.from('GET big\r\n'.repeat(10)));
  assert.deepEqual([first.more, first.closed], [true, false]);
  assert.ok(first.output.length < 2_000_000);
  let length = first.output.length;
  for (let fed = first; fed.more; length += fed.output.length) fed = client.feed(new Uint8Array());
  assert.equal(length, 10 * 400_011);
  const broken = client.feed(Buffer.from('*abc\r\nPING\r\n'));
  assert.deepEqual([text(broken), broken.closed], ['-ERR Protocol error: invalid multibulk length\r\n', true]);
  assert.equal(db.get('k'), 'v');
});

test('a command that waits says so, and its reply comes among the pushes', () => {
  const clock = new ManualClock(0);
  const db = new Keylatch({ clock });
  const other = db.client();
  other.ping();
  db.call('CLIENT', 'PAUSE', 1000);
  assert.throws(() => other.set('k', 'v'), { name: 'WaitingError', command: 'SET' });
  assert.equal(Buffer.from(other.takeOutbox()).toString(), '');
  clock.advance(1001);
  assert.deepEqual(other.takePushes(), ['OK']);
  assert.equal(other.get('k'), 'v');
});

test('the same seed gives the same chance', () => {
  const walk = (seed) => {
    const db = new Keylatch({ seed, now: () => 0 });
    for (let index = 0; index < 50; index += 1) db.set(`k${index}`, index);
    return db.keys().join();
  };
  assert.equal(walk(7), walk(7n));
  assert.notEqual(walk(7), walk(8));
  assert.equal(walk(2n ** 64n - 1n), walk(2n ** 64n - 1n));
});

test('options are checked at once', () => {
  for (const options of [
    { seed: -1 },
    { seed: 1.5 },
    { seed: 2n ** 64n },
    { now: 5 },
    { clock: 'slow' },
    { clock: new ManualClock(), now: () => 0 },
    { floorMs: NaN },
    { maxmemory: -1 },
    { maxmemory: '1 mb' },
    { maxmemory: NaN },
    { maxmemoryPolicy: 'fifo' },
  ]) {
    assert.throws(
      () => new Keylatch(options),
      TypeError,
      JSON.stringify(options, (_, v) => String(v)),
    );
  }
});

test('an engine is made at the first command, from a module the caller compiled too', async () => {
  const { Keylatch: Core } = await entry('core');
  assert.throws(() => new Core(), /contains no engine/);
  let asked = 0;
  const { readFileSync } = await import('node:fs');
  const { folder } = await import('./support/package.mjs');
  const db = Core.from(() => {
    asked += 1;
    return readFileSync(`${folder}/keylatch.wasm`);
  });
  db.on('set', () => {});
  assert.equal(asked, 0);
  assert.equal(db.set('k', 1), 'OK');
  assert.equal(asked, 1);
  assert.ok(db instanceof Core && new Keylatch() instanceof Core);
});
