// Frames of WebSockets as `keylatch connect` writes and reads them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { source } from './support/source.mjs';

const { BINARY, CLOSE, encodeFrame, FrameError, FrameReader, PING, TEXT } = await source('cli/connect/frames.ts');

const NO_MASK = Uint8Array.of(0, 0, 0, 0);

/** A frame of a server, which is not masked. */
function frame(opcode, payload, { isLast = true } = {}) {
  const masked = encodeFrame(opcode, payload, NO_MASK);
  const headerSize = masked.length - payload.length - NO_MASK.length;
  const header = masked.slice(0, headerSize);
  header[0] = (isLast ? 0x80 : 0) | opcode;
  header[1] &= 0x7f;
  return Buffer.concat([header, payload]);
}

/** Messages that a reader finds in chunks; neighbouring bytes are joined. */
function read(chunks) {
  const got = [];
  const reader = new FrameReader({
    bytes: (part) => {
      const last = got.at(-1);
      if (last?.bytes === undefined) got.push({ bytes: Buffer.from(part) });
      else last.bytes = Buffer.concat([last.bytes, part]);
    },
    text: (message) => got.push({ text: message }),
    control: (opcode, payload) => got.push({ opcode, payload: Buffer.from(payload).toString() }),
  });
  for (const chunk of chunks) reader.push(chunk);
  return got;
}

const bytes = (length) => Buffer.from(Array.from({ length }, (_, index) => index % 251));

test('a frame is masked, and has the shortest form of its length', () => {
  const mask = Uint8Array.of(1, 2, 3, 4);
  assert.deepEqual([...encodeFrame(TEXT, Buffer.from('ping'), mask)], [0x81, 0x84, 1, 2, 3, 4, 113, 107, 109, 99]);
  for (const [length, headerSize, second] of [
    [0, 2, 0x80],
    [125, 2, 0xfd],
    [126, 4, 0xfe],
    [65_535, 4, 0xfe],
    [65_536, 10, 0xff],
  ]) {
    const written = encodeFrame(BINARY, bytes(length), mask);
    assert.equal(written.length, headerSize + 4 + length);
    assert.deepEqual([written[0], written[1]], [0x82, second]);
  }
});

test('frames of every length are read, cut anywhere', () => {
  for (const length of [1, 125, 126, 127, 65_535, 65_536, 70_000])
    assert.deepEqual(read([frame(BINARY, bytes(length))]), [{ bytes: bytes(length) }], `${length}`);
  const all = Buffer.concat([
    frame(BINARY, bytes(130)),
    frame(TEXT, Buffer.from('pong')),
    frame(BINARY, bytes(0)),
    frame(TEXT, Buffer.from('po'), { isLast: false }),
    frame(PING, Buffer.from('between')),
    frame(0, Buffer.from('ng')),
    frame(BINARY, bytes(3), { isLast: false }),
    frame(0, bytes(4)),
    frame(CLOSE, Buffer.from('\x03\xe8bye', 'latin1')),
  ]);
  const expected = read([all]);
  assert.deepEqual(
    expected.map(({ bytes: part, text, payload }) => text ?? payload ?? part.length),
    [130, 'pong', 'between', 'pong', 7, Buffer.from('\x03\xe8bye', 'latin1').toString()],
  );
  for (let cut = 1; cut < all.length; cut += 1)
    assert.deepEqual(read([all.subarray(0, cut), all.subarray(cut)]), expected, `cut at ${cut}`);
  assert.deepEqual(read([...all].map((byte) => Buffer.of(byte))), expected);
});

test('bytes that a server must not send are refused', () => {
  const longText = frame(TEXT, bytes(70_000));
  for (const [name, wrong] of [
    ['masked', encodeFrame(BINARY, bytes(3), Uint8Array.of(1, 2, 3, 4))],
    ['compressed', Buffer.of(0xc2, 1, 0)],
    ['unknown opcode', Buffer.of(0x83, 0)],
    ['unknown control opcode', Buffer.of(0x8b, 0)],
    ['control frame in parts', Buffer.of(0x09, 0)],
    ['long control frame', Buffer.of(0x89, 126, 0, 126)],
    ['continuation of nothing', Buffer.of(0x80, 1, 0)],
    ['a message within another', Buffer.concat([frame(BINARY, bytes(1), { isLast: false }), frame(BINARY, bytes(1))])],
    ['long text', longText],
    ['long text in parts', Buffer.concat([frame(TEXT, bytes(60_000), { isLast: false }), frame(0, bytes(60_000))])],
  ])
    assert.throws(() => read([wrong]), FrameError, name);
});
