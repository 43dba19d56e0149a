/** Requests and the replies that do not come from the engine, as bytes of the protocol. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { source } from './support/source.mjs';

const { concat } = await source('resp/concat.ts');
const { asVerbatim, encodeError, encodeRequests, encodeStatus } = await source('resp/encode.ts');
const { readRequest, TORN } = await source('resp/request.ts');
const { decodeReplies } = await source('resp/reply.ts');
const { splitReplies } = await source('resp/split-replies.ts');

const bytesOf = (text) => new TextEncoder().encode(text);
const textOf = (bytes) => Buffer.from(bytes).toString('latin1');
const REQUESTS = [
  ['SET', 'key', new Uint8Array([0, 13, 10, 255])],
  ['ECHO', 'é'],
  ['GET', ''],
  ['INCRBY', 'n', 12n],
];

test('encoded requests are read back, one after another', () => {
  const bytes = encodeRequests(REQUESTS);
  assert.equal(bytes.buffer.byteLength, bytes.length);
  let at = 0;
  for (const argv of REQUESTS) {
    const { words, end } = readRequest(bytes, at);
    const expected = argv.map((word) => (word instanceof Uint8Array ? word : bytesOf(String(word))));
    assert.deepEqual(words.map(textOf), expected.map(textOf));
    assert.equal(readRequest(bytes, at, 1).words.length, 1);
    assert.equal(readRequest(bytes, at, 1).end, end);
    at = end;
  }
  assert.equal(at, bytes.length);
});

test('a request that is cut anywhere is torn', () => {
  const bytes = encodeRequests([['SET', 'key', '\r\n$1\r\n']]);
  for (let length = 0; length < bytes.length; length += 1)
    assert.equal(readRequest(bytes.subarray(0, length)), TORN, `${length} bytes`);
  assert.equal(typeof readRequest(bytes), 'object');
});

test('anything else is no request', () => {
  const others = [
    'PING\r\n',
    '*\r\n',
    '*-1\r\n',
    '*1\n$4\r\nPING\r\n',
    '*1\r\n:4\r\n',
    '*1\r\n$4\r\nPINGED',
    '*1\r\n$04x\r\n',
    '*12345678901\r\n',
    '*1\r\n$-1\r\n',
  ];
  for (const text of others) assert.equal(readRequest(bytesOf(text)), undefined, JSON.stringify(text));
  assert.deepEqual(readRequest(bytesOf('*0\r\n')), { words: [], end: 4 });
});

test('a request without a name, or with something else than an argument, is refused', () => {
  assert.throws(() => encodeRequests([[]]), { name: 'TypeError', message: 'expected a command name' });
  assert.throws(() => encodeRequests([['SET', 'k', null]]), {
    name: 'TypeError',
    message: /^argument 2 of SET must be/,
  });
});

test('encoded replies are read and divided as those of the engine', () => {
  const bytes = concat([encodeStatus('OK'), encodeError('ERR no'), asVerbatim(bytesOf('$5\r\na\r\nbc\r\n'))]);
  const [status, error, text] = decodeReplies(bytes);
  assert.deepEqual([status, error.message, text], ['OK', 'ERR no', 'a\r\nbc']);
  assert.deepEqual(splitReplies(bytes).map(textOf), ['+OK\r\n', '-ERR no\r\n', '=9\r\ntxt:a\r\nbc\r\n']);
});

test('only one string becomes a verbatim text', () => {
  for (const text of ['$-1\r\n', '+OK\r\n', '*1\r\n$1\r\na\r\n', ''])
    assert.equal(textOf(asVerbatim(bytesOf(text))), text);
});
