// Arguments: the bytes that reach the engine, and the arguments that are refused before.
import assert from 'node:assert/strict';
import test from 'node:test';
import { entry } from './support/package.mjs';

const { Keylatch } = await entry('index');

const utf8 = (text) => new TextEncoder().encode(text);
const textOf = (bytes) => new TextDecoder().decode(bytes);
const isSame = (one, other) => one.length === other.length && one.every((byte, index) => byte === other[index]);

/** Argument as the engine received it: stored by MSET or SET, on each path for arguments of that number and length. */
function arrived(db, value) {
  const ways = [
    () => db.set('k', value),
    () => db.call('set', 'k', value),
    () =>
      db.mset([
        ['a', 'b'],
        ['c', 'd'],
        ['k', value],
      ]),
    () => db.call('MSET', 'a', new Uint8Array([0xff]), 'c', 'd', 'k', value),
  ];
  return ways.map((run) => {
    run();
    return db.bytes.get('k');
  });
}

const LENGTHS = [0, 1, 7, 8, 15, 16, 17, 24, 25, 99, 100, 101, 400, 2047, 2048, 2049, 16_384, 70_000, 1 << 20];

test('strings travel as UTF-8, of every length, plain and not, in one piece and joined', () => {
  const db = new Keylatch();
  for (const length of LENGTHS) {
    const plain = 'abcdefghij'.repeat(length / 10 + 1).slice(0, length);
    const texts = [
      plain,
      `${plain}é`,
      `é${plain}`,
      '€'.repeat(length),
      `${plain}🔑`,
      `${plain}\0`,
      `\ufeff${plain}`,
      plain + plain,
    ];
    for (const text of texts) {
      for (const bytes of arrived(db, text)) assert.ok(isSame(bytes, utf8(text)), `${length} of ${text.slice(0, 20)}`);
      assert.equal(db.get('k'), text);
    }
  }
});

test('numbers and bigints travel as they print', () => {
  const db = new Keylatch();
  const numbers = [0, -0, 5000, -1, 1.5, 2 ** 53, 9007199254740993n];
  const texts = numbers.map((number) => arrived(db, number).map(textOf));
  const expected = ['0', '0', '5000', '-1', '1.5', '9007199254740992', '9007199254740993'];
  assert.deepEqual(
    texts,
    expected.map((text) => [text, text, text, text]),
  );
});

test('infinite numbers are scores, and no other arguments', () => {
  const db = new Keylatch();
  const many = Array.from({ length: 100 }, () => 'x');
  for (const infinite of [Infinity, -Infinity]) {
    const refused = { name: 'TypeError', message: new RegExp(`is ${infinite}$`) };
    for (const write of [
      () => db.set('k', infinite),
      () => db.set(infinite, 'v'),
      () => db.mset({ a: 1, k: infinite }),
      () => db.hset('h', { f: infinite }),
      () => db.rpush('l', 1, infinite),
      () => db.sadd('s', ...many, infinite),
      () => db.call('SET', 'k', infinite),
      () => db.call('ECHO', infinite),
      () => db.multi().set('k', infinite).exec(),
    ])
      assert.throws(write, refused, String(write));
  }
  assert.equal(db.dbsize(), 0);
  assert.equal(db.zadd('z', { low: -Infinity, high: Infinity }), 2);
  assert.equal(db.call('ZADD', 'z', Infinity, 'other'), 1);
  assert.deepEqual(db.zrange('z', -Infinity, Infinity, { by: 'SCORE' }), ['low', 'high', 'other']);
});

test('bytes travel as they are', () => {
  const db = new Keylatch();
  for (const length of [0, 1, 256, 2048, 2049, 100_000]) {
    const value = Uint8Array.from({ length }, (_, index) => index * 7);
    for (const bytes of arrived(db, value)) assert.ok(isSame(bytes, value));
    // A view of a part.
    assert.ok(isSame(arrived(db, value.subarray(length >> 1))[0], value.subarray(length >> 1)));
  }
});

test('many arguments of all lengths keep their order', () => {
  const db = new Keylatch();
  for (const count of [4, 5, 6, 63, 64, 65, 1000]) {
    const values = Array.from({ length: count }, (_, index) =>
      String(index % 7 === 0 ? 'x'.repeat(index * 5) : `v${index}`),
    );
    db.del('list');
    db.rpush('list', ...values);
    assert.deepEqual(db.lrange('list', 0, -1), values);
    db.del('list');
    db.rpush('list', ...values.map((value, index) => (index % 3 === 0 ? utf8(value) : value)));
    assert.deepEqual(db.lrange('list', 0, -1), values);
  }
});

test('an argument that is longer than any may be is refused before it is copied', () => {
  const db = new Keylatch();
  const long = new Uint8Array(512 * 1024 * 1024 + 1);
  assert.throws(() => db.set('k', long), { name: 'TypeError', message: 'argument 2 of SET is longer than 512 MB' });
});

test('what has no bytes is refused with its place', () => {
  const db = new Keylatch();
  const refused = [
    [[null], /the command name must be a string, a number, a bigint or a Uint8Array, got null/],
    [['GET', undefined], /argument 1 of GET must be .* got undefined/],
    [['SET', 'k', NaN], /argument 2 of SET is NaN/],
    [['SET', 'k', true], /got boolean/],
    [['SET', 'k', {}], /got Object/],
    [['SET', 'k', ['a']], /got Array/],
    [['SET', 'k', new Date(0)], /got Date/],
    [['SET', 'k', new Uint16Array(1)], /got Uint16Array/],
    [['SET', 'k', Object.create(null)], /got object/],
    [['SET', 'k', Symbol('s')], /got symbol/],
    [['RPUSH', 'k', 'a', 'b', 'c', 'd', undefined], /argument 6 of RPUSH must be .* got undefined/],
  ];
  for (const [argv, message] of refused) assert.throws(() => db.call(...argv), { name: 'TypeError', message });
  assert.throws(() => db.get(undefined), { name: 'TypeError', message: /argument 1 of GET must be .* got undefined/ });
  assert.throws(() => db.call(), { name: 'TypeError', message: /the command name must be .* got undefined/ });
  assert.equal(db.get('k'), null);
});

test('half a surrogate pair is refused wherever it stands', () => {
  const db = new Keylatch();
  for (const text of ['\ud800', 'a\udc00b', `${'x'.repeat(60)}\ud83d`, `${'x'.repeat(70_000)}\udd11`]) {
    const expected = { name: 'TypeError', message: /argument 1 of SET holds half a surrogate pair/ };
    assert.throws(() => db.set(text, 'v'), expected);
    assert.throws(() => db.call('SET', text, 'v', 'EX', 10, 'NX'), expected);
  }
  assert.equal(db.dbsize(), 0);
});
