/** The UTF-8 encoder and decoder for environments without them, compared with Node's. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { source } from './support/source.mjs';

const { Utf8Decoder, Utf8Encoder } = await source('base/utf8.ts');

let state = 1;
const random = (below) => {
  state = (Math.imul(state, 1103515245) + 12345) >>> 0;
  return (state >>> 8) % below;
};
const pick = (choices) => choices[random(choices.length)];

/** Limits of the ranges that UTF-8 treats differently, halves of pairs among them. */
const UNITS = [0, 0x41, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000, 0xfeff, 0xffff];
const BYTES = [
  0, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xed, 0xef, 0xf0, 0xf1, 0xf4,
  0xf5, 0xff, 0xbb,
];

test('any text is encoded as by TextEncoder, into any space', () => {
  const [ours, nodes] = [new Utf8Encoder(), new TextEncoder()];
  for (let round = 0; round < 3000; round += 1) {
    const text = String.fromCharCode(...Array.from({ length: random(12) }, () => pick(UNITS)));
    assert.deepEqual(ours.encode(text), nodes.encode(text));
    const [space, other] = [new Uint8Array(random(20)), new Uint8Array(20)];
    const expected = nodes.encodeInto(text, other.subarray(0, space.length));
    assert.deepEqual(ours.encodeInto(text, space), expected);
    assert.deepEqual(space, other.subarray(0, space.length));
  }
  assert.deepEqual(ours.encode(), nodes.encode());
});

test('any bytes are decoded as by TextDecoder, with and without a byte order mark', () => {
  for (const options of [{ ignoreBOM: true }, { ignoreBOM: false }]) {
    const [ours, nodes] = [new Utf8Decoder('utf-8', options), new TextDecoder('utf-8', options)];
    for (let round = 0; round < 10_000; round += 1) {
      const bytes = Uint8Array.from({ length: random(10) }, () => pick(BYTES));
      assert.equal(ours.decode(bytes), nodes.decode(bytes), String(bytes));
    }
    const long = nodes.decode(new TextEncoder().encode('grün €𝄞'.repeat(5000)));
    assert.equal(ours.decode(new TextEncoder().encode(long)), long);
    assert.equal(ours.decode(), '');
  }
});
