// Values in a codec: db.json, and other forms by db.json.with.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entry } from './support/package.mjs';

const { Keylatch, DecodeError } = await entry('index');

test('values come back as they were stored, with the options of SET', () => {
  const db = new Keylatch();
  const value = { name: 'Ann', tags: ['a', null, 1.5], nested: { yes: true, at: new Date(0) } };
  assert.equal(db.json.set('k', value, { px: 5000 }), 'OK');
  assert.deepEqual(db.json.get('k'), JSON.parse(JSON.stringify(value)));
  assert.ok(db.pttl('k') > 4000);
  assert.equal(db.get('k'), JSON.stringify(value));
  assert.equal(db.json.set('k', 1, { nx: true }), null);
  assert.deepEqual(db.json.set('k', [2], { get: true }), JSON.parse(JSON.stringify(value)));
  assert.equal(db.json.set('k', 3, { ifeq: '[2]' }), null, 'the text "[2]" is not the array');
  assert.equal(db.json.set('text', 'a'), 'OK');
  assert.equal(db.json.set('text', 'b', { ifeq: 'a' }), 'OK');
  assert.equal(db.json.set('text', 'c', { ifne: 'b' }), null);
  assert.equal(db.json.get('missing'), null);
  assert.equal(db.json.set('new', 1, { get: true }), null);
  assert.deepEqual(db.json.mget(['text', 'missing', 'k']), ['b', null, [2]]);
  assert.deepEqual(db.json.mget([]), []);
  assert.equal(db.json.mget(Array(200_000).fill('text')).at(-1), 'b');
  assert.equal(db.json, db.json);
});

test('what JSON would drop or replace is a TypeError with its path, and nothing is stored', () => {
  const db = new Keylatch();
  const refused = [
    [undefined, /key "k" is refused: JSON has no form for undefined, found as the value/],
    [() => 1, /a function, found as the value/],
    [{ a: undefined }, /undefined, found at \.a$/],
    [{ a: [1, { b: () => 1 }] }, /a function, found at \.a\[1\]\.b$/],
    [[[], [Number.NaN]], /NaN, found at \[1\]\[0\]$/],
    [{ x: { y: 1 }, z: Number.POSITIVE_INFINITY }, /Infinity, found at \.z$/],
    [{ big: 5n }, /a bigint, found at \.big$/],
    [{ symbol: Symbol('s') }, /a symbol, found at \.symbol$/],
    [{ map: new Map([[1, 2]]) }, /a Map, found at \.map$/],
    [new Set([1]), /a Set, found as the value/],
  ];
  for (const [value, message] of refused) assert.throws(() => db.json.set('k', value), { name: 'TypeError', message });
  const circle = { a: {} };
  circle.a.circle = circle;
  assert.throws(() => db.json.set('k', circle), { name: 'TypeError', message: /key "k".*circular/s });
  assert.equal(db.exists('k'), 0);
  // An object that stands twice is no circle, and toJSON decides for itself.
  const twice = { n: 1 };
  db.json.set('k', { a: twice, b: [twice, { toJSON: () => ({ c: 2 }) }] });
  assert.deepEqual(db.json.get('k'), { a: { n: 1 }, b: [{ n: 1 }, { c: 2 }] });
});

test('a value that does not parse is a DecodeError with its key and its cause', () => {
  const db = new Keylatch();
  db.set('k', 'not JSON');
  assert.throws(
    () => db.json.get('k'),
    (error) => {
      assert.ok(error instanceof DecodeError);
      assert.match(error.message, /^the value of key "k" is not JSON: /);
      assert.equal(error.key, 'k');
      assert.ok(error.cause instanceof SyntaxError);
      return true;
    },
  );
  assert.throws(() => db.prefix('').json.mget(['k']), DecodeError);
});

test('another codec, in text and in bytes', () => {
  const db = new Keylatch();
  const words = db.json.with({ name: 'words', encode: (list) => list.join(' '), decode: (text) => text.split(' ') });
  words.set('w', ['a', 'b']);
  assert.equal(db.get('w'), 'a b');
  assert.deepEqual(words.get('w'), ['a', 'b']);
  const numbers = db.json.with({
    bytes: true,
    encode: (list) => Uint8Array.from(list),
    decode: (bytes) => [...bytes],
  });
  numbers.set('n', [0, 255, 10]);
  assert.deepEqual(db.bytes.get('n'), Uint8Array.of(0, 255, 10));
  assert.deepEqual(numbers.get('n'), [0, 255, 10]);
  assert.deepEqual(numbers.set('n', [1], { get: true }), [0, 255, 10]);
  assert.deepEqual(numbers.mget(['n', 'm']), [[1], null]);
  assert.throws(() => db.json.with({ encode: () => 5, decode: () => 5 }).set('k', 1), /must return a string/);
  assert.throws(() => db.json.with({ encode: String }), /methods encode and decode/);
});

test('in the view of a prefix', () => {
  const db = new Keylatch();
  const users = db.prefix('user:');
  users.json.set('1', { name: 'Ann' });
  assert.deepEqual(db.json.get('user:1'), { name: 'Ann' });
  assert.deepEqual(users.json.get('1'), { name: 'Ann' });
});
