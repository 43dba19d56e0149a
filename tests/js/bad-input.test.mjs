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
  assert.throws(() => db.set('k', 'v', { nx: true, xx: true }), failsWith('ERR syntax error'));
  assert.throws(() => db.set('k', 'v', { px: 0 }), failsWith("ERR invalid expire time in 'set' command"));
  assert.throws(() => db.set('k', 'v', { px: 1.5 }), failsWith('ERR value is not an integer or out of range'));
  assert.throws(() => db.set('k', 'v', { px: Infinity }), failsWith('ERR value is not an integer or out of range'));
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
