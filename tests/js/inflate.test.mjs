/** The DEFLATE decoder that unpacks the engine in browsers, tested with output of Node's encoder. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { constants, deflateRawSync } from 'node:zlib';

import { source } from './support/source.mjs';

const { inflate } = await source('base/inflate.ts');

/** Bytes that repeat at many distances, with runs, and with parts that do not repeat. */
function mixed(length) {
  const bytes = Buffer.alloc(length);
  let state = 1;
  for (let at = 0; at < length; at += 1) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    const back = (state >>> 8) % 40_000;
    if (state >>> 30 === 0) bytes[at] = state >>> 16;
    else bytes[at] = at > back ? bytes[at - back] : 7;
  }
  return bytes;
}

const samples = {
  'no bytes': Buffer.alloc(0),
  'one byte': Buffer.from('x'),
  'one long run': Buffer.alloc(100_000, 'a'),
  'this file': readFileSync(new URL(import.meta.url)),
  'mixed bytes': mixed(300_000),
};

for (const [name, bytes] of Object.entries(samples)) {
  test(`${name}, packed in every way`, () => {
    for (const level of [0, 1, 6, 9]) {
      for (const strategy of [
        constants.Z_DEFAULT_STRATEGY,
        constants.Z_FIXED,
        constants.Z_HUFFMAN_ONLY,
        constants.Z_RLE,
      ]) {
        const unpacked = inflate(deflateRawSync(bytes, { level, strategy }), bytes.length);
        assert.equal(Buffer.compare(unpacked, bytes), 0, `level ${level}, strategy ${strategy}`);
      }
    }
  });
}
