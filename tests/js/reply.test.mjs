// The RESP reader: every type of RESP2 and RESP3, and its JavaScript value.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { source } from './support/source.mjs';

const { decodeReplies } = await source('resp/reply.ts');
const { ReplyFormatError, ReplySplitter } = await source('resp/reply-splitter.ts');
const { ReplyError } = await source('base/errors.ts');

const bytes = (text) => Buffer.from(text, 'latin1');

function one(text, options) {
  const replies = decodeReplies(bytes(text), options);
  assert.equal(replies.length, 1);
  return replies[0];
}

test('scalars', () => {
  const cases = [
    ['+OK\r\n', 'OK'],
    ['$5\r\nhello\r\n', 'hello'],
    ['$0\r\n\r\n', ''],
    ['$-1\r\n', null],
    ['*-1\r\n', null],
    ['_\r\n', null],
    ['#t\r\n', true],
    ['#f\r\n', false],
    [',1.5\r\n', 1.5],
    [',1e+20\r\n', 1e20],
    [',inf\r\n', Infinity],
    [',-inf\r\n', -Infinity],
    [',nan\r\n', NaN],
    ['=7\r\ntxt:abc\r\n', 'abc'],
    ['$4\r\na\r\nb\r\n', 'a\r\nb'],
  ];
  for (const [text, value] of cases) assert.deepEqual(one(text), value, text);
});

test('integers are numbers while safe, else bigints', () => {
  const cases = [
    ['0', 0],
    ['-0', 0],
    ['-2', -2],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['-9007199254740991', -Number.MAX_SAFE_INTEGER],
    ['9007199254740992', 9007199254740992n],
    ['-9007199254740993', -9007199254740993n],
    ['9223372036854775807', 2n ** 63n - 1n],
    ['-9223372036854775808', -(2n ** 63n)],
  ];
  for (const [digits, value] of cases) assert.strictEqual(one(`:${digits}\r\n`), value, digits);
  assert.strictEqual(one('(12345678901234567890123\r\n'), 12345678901234567890123n);
});

test('aggregates nest', () => {
  assert.deepEqual(one('*3\r\n:1\r\n*1\r\n$1\r\na\r\n*0\r\n'), [1, ['a'], []]);
  assert.deepEqual(
    one('%2\r\n+a\r\n:1\r\n$9\r\n__proto__\r\n_\r\n'),
    new Map([
      ['a', 1],
      ['__proto__', null],
    ]),
  );
  assert.deepEqual(one('~2\r\n+a\r\n:1\r\n'), new Set(['a', 1]));
  assert.deepEqual(one('>2\r\n+message\r\n+hi\r\n'), ['message', 'hi']);
});

test('errors are values that carry code and command', () => {
  const error = one('-WRONGTYPE Operation against a key\r\n', { command: 'get' });
  assert.ok(error instanceof ReplyError && error instanceof Error);
  assert.deepEqual(
    [error.code, error.command, error.message, error.name],
    ['WRONGTYPE', 'GET', 'WRONGTYPE Operation against a key', 'ReplyError'],
  );
  assert.equal(one('!8\r\nOOM full\r\n').code, 'OOM');
  assert.equal(one('-just words\r\n').code, 'ERR');
  assert.ok(one('*2\r\n+OK\r\n-ERR no\r\n')[1] instanceof ReplyError);
});

test('text is UTF-8, and what is not becomes U+FFFD; bytes stay bytes', () => {
  const utf8 = Buffer.from('$12\r\nü€🔑\ufeff\r\n');
  assert.deepEqual(decodeReplies(utf8), ['ü€🔑\ufeff']);
  assert.equal(one('$2\r\n\xff\x00\r\n'), '\ufffd\0');
  const input = bytes('*2\r\n+OK\r\n$2\r\n\xff\x00\r\n');
  const [[status, raw]] = decodeReplies(input, { buffer: true });
  assert.equal(status, 'OK');
  input.fill(0);
  assert.deepEqual([...raw], [255, 0], 'a copy');
});

test('several replies in one go, and bytes that are no reply', () => {
  assert.deepEqual(decodeReplies(bytes('+a\r\n:2\r\n')), ['a', 2]);
  assert.throws(() => decodeReplies(bytes('?what\r\n'), { command: 'GET' }), /the reply of GET is invalid/);
});

test('replies that arrive in pieces, cut at every byte, are divided as they were written', () => {
  const replies = [
    '+OK\r\n',
    ':-12\r\n',
    '$-1\r\n',
    '$5\r\na\r\nbc\r\n',
    '*0\r\n',
    '*-1\r\n',
    '*3\r\n:1\r\n*2\r\n$0\r\n\r\n_\r\n#t\r\n',
    '%2\r\n+a\r\n:1\r\n+b\r\n~1\r\n,1.5\r\n',
    '|1\r\n+ttl\r\n:3\r\n$1\r\nx\r\n',
    '>3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$2\r\n\r\n\r\n',
    '=7\r\ntxt:abc\r\n',
    '-ERR no\r\n',
    '!6\r\nERR no\r\n',
    '(123456789012345678901\r\n',
  ];
  const all = bytes(replies.join(''));
  const texts = (found) => found.map((reply) => Buffer.from(reply).toString('latin1'));
  for (let cut = 0; cut <= all.length; cut += 1) {
    const splitter = new ReplySplitter();
    const first = texts(splitter.push(all.subarray(0, cut)));
    assert.equal(splitter.isTorn, first.join('').length < cut, `cut at ${cut}`);
    assert.deepEqual([...first, ...texts(splitter.push(all.subarray(cut)))], replies, `cut at ${cut}`);
  }
  const splitter = new ReplySplitter();
  assert.deepEqual(texts([...all].flatMap((byte) => splitter.push(Uint8Array.of(byte)))), replies);
  assert.equal(splitter.isTorn, false);
});

test('bytes that are no replies are refused, wherever they stand', () => {
  for (const text of ['x', '\r\n', '+OK\r\nHTTP', '$x\r\n', '*1.5\r\n', '*1\r\n?', '$\r\n'])
    assert.throws(() => new ReplySplitter().push(bytes(text)), ReplyFormatError, JSON.stringify(text));
});
