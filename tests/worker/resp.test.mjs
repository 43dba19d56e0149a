/** RESP by RPC: requests of another Worker, or of another class. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { start, storageFolder } from './support/host.mjs';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const encode = (...commands) =>
  commands
    .map((words) => `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`)
    .join('');
const asking = (worker) => async (bytes) => (await worker.send(bytes, { path: '/resp' })).text();

test('requests run in their order on one client; their effects are stored', async (t) => {
  const folder = await storageFolder(t);
  const before = await start(t, { folder, bundle: 'faulty' });
  const ask = asking(before);
  const requests = encode(
    ['SELECT', '1'],
    ['SET', 'k', 'v'],
    ['MULTI'],
    ['INCR', 'n'],
    ['GET', 'k'],
    ['EXEC'],
    ['NOSUCH'],
  );
  const replies = await ask(requests);
  assert.match(
    replies,
    /^\+OK\r\n\+OK\r\n\+OK\r\n\+QUEUED\r\n\+QUEUED\r\n\*2\r\n:1\r\n\$1\r\nv\r\n-ERR unknown command 'NOSUCH'/,
  );
  assert.equal(await ask('PING\r\n'), '+PONG\r\n');
  assert.match(await ask(encode(['HELLO', '3'], ['HGETALL', 'none'])), /%0\r\n$/);
  await before.stop();
  const after = asking(await start(t, { folder, bundle: 'faulty' }));
  assert.equal(await after(encode(['SELECT', '1'], ['GET', 'n'])), '+OK\r\n$1\r\n1\r\n');
});

test('a command that waits is answered when it is served, and those behind it then', async (t) => {
  const worker = await start(t, { bundle: 'faulty' });
  const ask = asking(worker);
  const waiting = ask(encode(['BLPOP', 'q', '20'], ['INCR', 'behind']));
  await sleep(100);
  assert.equal(await worker.call('EXISTS', 'behind'), 0);
  await worker.call('RPUSH', 'q', 'x');
  assert.equal(await waiting, '*2\r\n$1\r\nq\r\n$1\r\nx\r\n:1\r\n');
  assert.equal(await worker.call('GET', 'behind'), '1');
  assert.equal(await ask(encode(['BLPOP', 'none', '0.2'], ['PING'])), '*-1\r\n+PONG\r\n');
});

test('bytes that are no requests, and such that are cut off', async (t) => {
  const worker = await start(t, { bundle: 'faulty' });
  const ask = asking(worker);
  assert.equal(await ask(''), '');
  assert.match(await ask('*1\r\n!bad\r\n'), /^-ERR Protocol error/);
  assert.equal(await ask(`${encode(['SET', 'k', 'v'])}*2\r\n$3\r\nGET\r\n$1\r\n`), '+OK\r\n');
  assert.equal(await worker.call('GET', 'k'), 'v');
});
