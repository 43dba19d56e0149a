// Packing arguments: what goes in, byte by byte, and what is refused before it reaches the engine.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { source } from './support/source.mjs';

const { measure, writePacked } = await source('argument.ts');

function pack(...argv) {
  const packing = measure(argv);
  const bytes = new Uint8Array(packing.room + 8).fill(0xee);
  const length = writePacked(argv, packing, bytes, 4);
  assert.deepEqual([...bytes.subarray(0, 4)], [0xee, 0xee, 0xee, 0xee], 'nothing is written in front');
  return bytes.slice(4, 4 + length);
}

function words(bytes) {
  const view = new DataView(bytes.buffer);
  const count = view.getUint32(0, true);
  let at = 4 + 4 * count;
  return Array.from({ length: count }, (_, index) => {
    const length = view.getUint32(4 + 4 * index, true);
    at += length;
    return Buffer.from(bytes.slice(at - length, at)).toString('latin1');
  });
}

test('strings travel as UTF-8, short and long, plain and not', () => {
  const texts = ['GET', '', 'a'.repeat(39), 'b'.repeat(41), 'ü', '€uro', '🔑', `${'x'.repeat(50)}é`, 'nul\0byte', '\ufeffbom'];
  const expected = texts.map((text) => Buffer.from(text).toString('latin1'));
  assert.deepEqual(words(pack(...texts)), expected);
});

test('numbers and bigints travel as they print', () => {
  assert.deepEqual(words(pack('X', 0, -0, 5000, -1, 1.5, 2 ** 53, 9007199254740993n, Infinity)),
    ['X', '0', '0', '5000', '-1', '1.5', '9007199254740992', '9007199254740993', 'Infinity']);
});

test('bytes travel as they are', () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
  assert.deepEqual(words(pack('SET', bytes, Buffer.from([255, 0]))), ['SET', Buffer.from(bytes).toString('latin1'), 'ÿ\0']);
});

test('a megabyte takes no more room than it needs', () => {
  const { room } = measure(['SET', 'k', 'y'.repeat(1 << 20)]);
  assert.ok(room < (1 << 20) + 64, String(room));
  assert.equal(words(pack('SET', 'k', 'é'.repeat(1 << 17)))[2].length, 1 << 18);
});

test('an argument that is longer than any may be is refused before it is copied', () => {
  const long = new Uint8Array(512 * 1024 * 1024 + 1);
  assert.throws(() => measure(['SET', 'k', long]), { name: 'TypeError', message: 'argument 2 of SET is longer than 512 MB' });
  assert.equal(measure(['SET', 'k', long.subarray(1)]).values.length, 3);
});

test('what has no bytes is refused with its place', () => {
  const refused = [
    [[], /a command name is needed/],
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
  ];
  for (const [argv, message] of refused) assert.throws(() => pack(...argv), { name: 'TypeError', message });
});

test('half a surrogate pair is refused wherever it stands', () => {
  for (const text of ['\ud800', 'a\udc00b', `${'x'.repeat(60)}\ud83d`, `${'x'.repeat(70_000)}\udd11`]) {
    assert.throws(() => pack('SET', text, 'v'), { name: 'TypeError', message: /argument 1 of SET holds half a surrogate pair/ });
  }
});
