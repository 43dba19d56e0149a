/** Requests with an id over a socket: a repeated one has the first one's reply, and no second effect. */

import assert from 'node:assert/strict';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

import WebSocket from 'ws';

import { start, storageFolder, TOKEN } from './support/host.mjs';
import { connect, encode } from './support/sockets.mjs';

const root = resolve(fileURLToPath(import.meta.url), '../../..');
const folder = resolve(process.env.KEYLATCH_PACKAGE ?? join(root, 'target/npm/keylatch'));
const remote = await import(pathToFileURL(join(folder, 'esm/remote.js')).href);

const READER = 'reader-token-of-the-test';
const ROUNDS = 10;
const CALLS = 200;
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const withId = (id, ...command) => ['KEYLATCH.REQUEST', id, ...command];

async function replies(peer, count) {
  const all = [];
  for (let index = 0; index < count; index += 1) all.push(await peer.reply());
  return all;
}

test('a repeat has the same reply: on the connection, on another, and after a crash', async (t) => {
  const storage = await storageFolder(t);
  const before = await start(t, { folder: storage });
  const peer = await connect(t, before);
  peer.send(withId('a', 'INCR', 'n'), withId('a', 'INCR', 'n'), ['INCR', 'n'], withId('b', 'INCR', 'n'));
  assert.deepEqual(await replies(peer, 4), [':1\r\n', ':1\r\n', ':2\r\n', ':3\r\n']);
  const other = await connect(t, before);
  other.send(withId('b', 'incr', 'n'), withId('c', 'INCR', 'n'));
  // The digest is that of the words as they came.
  assert.match(await other.reply(), /^-ERR this request id belongs to a request with another token or body\r\n$/);
  assert.equal(await other.reply(), ':4\r\n');
  await before.stop();
  const after = await start(t, { folder: storage });
  const last = await connect(t, after);
  last.send(withId('a', 'INCR', 'n'), withId('c', 'INCR', 'n'), ['GET', 'n']);
  assert.deepEqual(await replies(last, 3), [':1\r\n', ':4\r\n', '$1\r\n4\r\n']);
});

test('frames cut at every byte, errors, bytes, and messages beside a reply', async (t) => {
  const worker = await start(t);
  const peer = await connect(t, worker);
  const bytes = encode(withId('cut', 'APPEND', 'text', Uint8Array.of(0, 13, 10, 255)));
  for (const byte of bytes) peer.write(Uint8Array.of(byte));
  assert.equal(await peer.reply(), ':4\r\n');
  peer.send(withId('cut', 'APPEND', 'text', Uint8Array.of(0, 13, 10, 255)), ['STRLEN', 'text']);
  assert.deepEqual(await replies(peer, 2), [':4\r\n', ':4\r\n']);
  peer.send(withId('wrong', 'LPUSH', 'text', 'x'), ['DEL', 'text'], withId('wrong', 'LPUSH', 'text', 'x'));
  const wrong = '-WRONGTYPE Operation against a key holding the wrong kind of value\r\n';
  assert.deepEqual(await replies(peer, 3), [wrong, ':1\r\n', wrong]);
  peer.send(['HELLO', '3']);
  await peer.reply();
  peer.send(['SUBSCRIBE', 'news']);
  await peer.reply();
  peer.send(withId('said', 'PUBLISH', 'news', 'hello'), withId('said', 'PUBLISH', 'news', 'hello'), ['PING']);
  const [message, ...rest] = await replies(peer, 4);
  assert.equal(message, '>3\r\n$7\r\nmessage\r\n$4\r\nnews\r\n$5\r\nhello\r\n');
  assert.deepEqual(rest, [':1\r\n', ':1\r\n', '+PONG\r\n'], 'the message is no part of the reply');
});

test('reads and commands of the connection keep nothing; what cannot have an id is refused', async (t) => {
  const worker = await start(t);
  const peer = await connect(t, worker);
  peer.send(withId('get', 'GET', 'k'), ['SET', 'k', 'v'], withId('get', 'GET', 'k'), withId('db', 'SELECT', 2));
  assert.deepEqual(await replies(peer, 4), ['$-1\r\n', '+OK\r\n', '$1\r\nv\r\n', '+OK\r\n']);
  peer.send(['DBSIZE'], ['SELECT', 0], ['KEYS', 'keylatch:*']);
  assert.deepEqual(await replies(peer, 3), [':0\r\n', '+OK\r\n', '*0\r\n']);
  const refused = [
    [withId('x'), "-ERR wrong number of arguments for 'keylatch.request' command\r\n"],
    [['KEYLATCH.REQUEST'], "-ERR wrong number of arguments for 'keylatch.request' command\r\n"],
    [withId('x', 'BLPOP', 'q', 0), "-ERR a request id cannot be that of 'BLPOP'\r\n"],
    [withId('x', 'KEYLATCH.REQUEST', 'y', 'INCR', 'n'), "-ERR a request id cannot be that of 'KEYLATCH.REQUEST'\r\n"],
    [withId('a b', 'INCR', 'n'), '-ERR a request id has 1 to 128 printable characters, without blanks\r\n'],
    [withId('', 'INCR', 'n'), '-ERR a request id has 1 to 128 printable characters, without blanks\r\n'],
    [withId('x'.repeat(129), 'INCR', 'n'), '-ERR a request id has 1 to 128 printable characters, without blanks\r\n'],
  ];
  for (const [command, reply] of refused) {
    peer.send(command);
    assert.equal(await peer.reply(), reply);
  }
  peer.send(['MULTI'], withId('in', 'INCR', 'n'), ['EXEC'], ['EXISTS', 'n']);
  const [multi, id, exec, exists] = await replies(peer, 4);
  assert.deepEqual([multi, exists], ['+OK\r\n', ':0\r\n']);
  assert.equal(id, '-ERR a request id cannot be within a transaction\r\n');
  assert.match(exec, /^-EXECABORT/);
});

test('a reader cannot write with an id, nor ask for what another one wrote', async (t) => {
  const bindings = { KEYLATCH_TOKEN: TOKEN, KEYLATCH_READ_ONLY_TOKEN: READER };
  const worker = await start(t, { bindings });
  const writer = await connect(t, worker);
  writer.send(withId('secret', 'INCR', 'n'));
  assert.equal(await writer.reply(), ':1\r\n');
  const reader = await connect(t, worker, { token: READER });
  reader.send(withId('secret', 'INCR', 'n'));
  assert.match(await reader.reply(), /^-NOPERM/);
});

test(`workerd is killed ${ROUNDS} times among writes of keylatch/remote with ids: each runs once`, async (t) => {
  const storage = await storageFolder(t);
  let worker = await start(t, { folder: storage });
  const { url, port } = worker;
  const options = { token: TOKEN, WebSocket, requestIds: true, retryMs: 120_000, timeoutMs: 60_000 };
  const db = remote.connect(url, options);
  t.after(() => db.close());
  let isOver = false;
  const counts = [];
  const writing = (async () => {
    while (!isOver || counts.length < CALLS) counts.push(await db.incr('n'));
  })();
  for (let round = 0; round < ROUNDS; round += 1) {
    await sleep(40 + Math.random() * 160);
    await worker.stop();
    worker = await start(t, { folder: storage, port });
  }
  isOver = true;
  await writing;
  assert.deepEqual(
    counts,
    counts.map((_, index) => index + 1),
  );
});
