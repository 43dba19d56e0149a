// Bad input of every kind: each gets an error, no data is lost, and the engine continues to serve.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entry } from './support/package.mjs';

const { Keylatch, ReplyError, SessionError, LoadError } = await entry('index');
const { printReply, splitLine } = await entry('hints');
const { runSession } = await entry('testing');

function survives(name, run) {
  test(name, () => {
    const db = new Keylatch();
    db.set('kept', 'value');
    run(db);
    assert.equal(db.get('kept'), 'value', 'the engine goes on answering');
  });
}

const failsWith = (message) => (error) =>
  error instanceof ReplyError && (error.message === message || message.test?.(error.message));

survives('unknown commands and wrong arity', (db) => {
  assert.throws(() => db.call('NOSUCH'), failsWith("ERR unknown command 'NOSUCH'"));
  assert.throws(
    () => db.call('FOO', 'bar', 'baz'),
    failsWith("ERR unknown command 'FOO', with args beginning with: 'bar' 'baz' "),
  );
  assert.throws(() => db.call(''), failsWith(/^ERR unknown command ''/));
  assert.throws(() => db.call('GET'), failsWith("ERR wrong number of arguments for 'get' command"));
  assert.throws(() => db.call('get', 'a', 'b'), failsWith("ERR wrong number of arguments for 'get' command"));
  assert.throws(
    () => db.call('OBJECT', 'ENCODING'),
    failsWith("ERR wrong number of arguments for 'object|encoding' command"),
  );
  assert.throws(() => db.mget(), failsWith("ERR wrong number of arguments for 'mget' command"));
  assert.throws(() => db.del(), failsWith(/wrong number/));
  assert.throws(
    () => db.call('x'.repeat(300), 'y\r\nz'),
    failsWith(/^ERR unknown command 'x{128}', with args beginning with: /),
  );
  assert.throws(() => db.call('BAD\r\nNAME'), failsWith("ERR unknown command 'BAD  NAME'"));
});

survives('option errors and values out of range', (db) => {
  assert.throws(() => db.call('SET', 'k', 'v', 'NX', 'XX'), failsWith('ERR syntax error'));
  assert.throws(() => db.set('k', 'v', { px: 0 }), failsWith("ERR invalid expire time in 'set' command"));
  assert.throws(() => db.incrby('kept', 1), failsWith('ERR value is not an integer or out of range'));
  assert.throws(() => db.select(99), failsWith('ERR DB index is out of range'));
  db.rpush('list', 1);
  assert.throws(() => db.get('list'), failsWith('WRONGTYPE Operation against a key holding the wrong kind of value'));
});

survives('NUL bytes and invalid UTF-8 in keys and values', (db) => {
  const odd = [
    Uint8Array.of(0),
    Uint8Array.of(255, 254),
    Uint8Array.of(0xc3),
    Uint8Array.of(0xed, 0xa0, 0x80),
    Uint8Array.of(13, 10),
  ];
  for (const key of odd) {
    for (const value of odd) {
      assert.equal(db.set(key, value), 'OK');
      assert.deepEqual(db.bytes.get(key), value);
    }
  }
  assert.equal(db.set('nul\0key', '\0'), 'OK');
  assert.equal(db.get('nul\0key'), '\0');
  assert.equal(db.dbsize(), odd.length + 2);
  assert.throws(() => db.call(Uint8Array.of(255, 0, 10), 'x'), ReplyError);
});

survives('lone surrogates', (db) => {
  for (const call of [
    () => db.get('\ud800'),
    () => db.set('k', '\udfff'),
    () => db.call('\ud800'),
    () => db.hset('h', { '\udc00': 1 }),
  ]) {
    assert.throws(call, { name: 'TypeError', message: /half a surrogate pair/ });
  }
});

survives('arguments of a megabyte and more', (db) => {
  const megabyte = 'x'.repeat(1 << 20);
  assert.equal(db.set(megabyte, megabyte), 'OK');
  assert.equal(db.get(megabyte), megabyte);
  const long = 'é'.repeat(5 << 20);
  assert.equal(db.set('long', long), 'OK');
  assert.equal(db.get('long'), long);
  assert.equal(db.bytes.get('long').length, 10 << 20);
  assert.throws(() => db.call(megabyte), failsWith(/^ERR unknown command/));
  assert.equal(db.del(megabyte, 'long'), 2);
});

survives('a million keys, fields and members in arrays', (db) => {
  const million = Object.freeze(Array.from({ length: 1_000_000 }, (_, index) => `n${index}`));
  assert.equal(db.mget(million).length, 1_000_000);
  assert.deepEqual(db.multi().exists(million).del(million).exec(), [0, 0]);
  const names = Array.from({ length: 200_000 }, (_, index) => `n${index}`);
  const pairs = Object.fromEntries(names.map((name, index) => [name, index]));
  assert.equal(db.sadd('s', names), 200_000);
  assert.equal(db.smembers('s', { as: 'array' }).length, 200_000);
  assert.equal(db.lpush('l', names), 200_000);
  assert.equal(db.hset('h', pairs), 200_000);
  assert.equal(db.hmget('h', names).length, 200_000);
  assert.equal(db.hexpire('h', 5000, names).length, 200_000);
  assert.equal(db.zadd('z', pairs), 200_000);
  assert.equal(db.zrem('z', names), 200_000);
  assert.equal(db.msetex(pairs, { ex: 5000 }), 1);
  const weights = names.map(() => 1);
  const missing = names.map((name) => `no:${name}`);
  assert.equal(db.sintercard(missing), 0);
  assert.deepEqual(db.zunion(missing, { weights }), []);
  db.del(names);
});

survives('bytes that are frozen, shared or of another view', (db) => {
  const shared = new Uint8Array(new SharedArrayBuffer(4)).fill(120);
  assert.equal(db.set('shared', shared), 'OK');
  assert.equal(db.get('shared'), 'xxxx');
  assert.equal(db.set(Buffer.from('buffer'), new Uint8Array(new ArrayBuffer(8), 2, 3)), 'OK');
  assert.equal(db.strlen('buffer'), 3);
  for (const bytes of [new ArrayBuffer(2), new Uint16Array(2), new DataView(new ArrayBuffer(2)), {}, null, true]) {
    assert.throws(() => db.set('k', bytes), TypeError);
    assert.throws(() => db.sadd('k', ['a', bytes]), TypeError);
    assert.throws(() => db.hset('k', { field: bytes }), /hset\("k"\): the value of field "field" must be/);
  }
  assert.equal(db.exists('k'), 0);
});

survives('a hundred thousand arguments', (db) => {
  const keys = Array.from({ length: 100_000 }, (_, index) => `key:${index}`);
  assert.equal(db.mset(keys.map((key) => [key, 1])), 'OK');
  assert.equal(db.mget(...keys).length, 100_000);
  assert.equal(db.del(...keys), 100_000);
});

survives('lines with unbalanced quotes have a column', (db) => {
  for (const [line, column] of [
    ['SET "a', 5],
    ["GET 'b", 5],
    ['SET "a"b', 8],
    ['"', 1],
  ]) {
    assert.throws(() => splitLine(db, line), { name: 'LineError', column }, line);
  }
  assert.deepEqual(splitLine(db, '   '), []);
});

survives('logs and snapshots that are none', (db) => {
  const noise = Uint8Array.from({ length: 1000 }, (_, index) => (index * 7919) & 255);
  assert.throws(() => db.load(noise), LoadError);
  assert.throws(() => db.replay(noise), LoadError);
});

survives('a reply that is none has no lines', (db) => {
  assert.equal(printReply(db, Uint8Array.of(1, 2, 3)), '');
  assert.equal(printReply(db, new Uint8Array()), '');
});

test('sessions that cannot be read name line and column', () => {
  const cases = [
    ['OK\n> GET a', 1, 1],
    ['# first\n\nstray reply\n', 3, 1],
    ['> GET a\n@ tomorrow\n', 2, 3],
    ['@ next\n', 1, 1],
  ];
  for (const [text, line] of cases) {
    assert.throws(
      () => runSession(text),
      (error) => error instanceof SessionError && error.line === line && error.column >= 1,
      text,
    );
  }
});

test('a session with broken commands runs on', () => {
  const report = runSession("> SET \"a\n> NOSUCH\n(error) ERR unknown command 'NOSUCH'\n> PING\nPONG\n");
  assert.equal(report.steps[0].printed[0], 'Invalid argument(s)');
  assert.equal(report.mismatches, 0);
});
