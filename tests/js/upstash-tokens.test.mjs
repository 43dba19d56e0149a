// Tokens of the REST protocol: several of them, and such that only read.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entry } from './support/package.mjs';

const { Keylatch } = await entry('index');
const { handleUpstashRequest } = await entry('upstash');

const OPTIONS = { token: ['full', 'other'], readOnlyToken: ['reader', 'visitor'] };

function asking(db, token) {
  return async (path, body) => {
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const response = await handleUpstashRequest(db, new Request(`http://local${path}`, { ...init, headers }), OPTIONS);
    return [response.status, await response.json()];
  };
}

function filled() {
  const db = new Keylatch();
  db.set('k', 'v');
  db.rpush('l', 'a', 'b');
  return db;
}

test('each token of a list is one', async () => {
  for (const token of ['full', 'other'])
    assert.deepEqual(await asking(filled(), token)('/set/k/w'), [200, { result: 'OK' }]);
  for (const token of ['reader', 'visitor'])
    assert.deepEqual(await asking(filled(), token)('/get/k'), [200, { result: 'v' }]);
  for (const token of [undefined, '', 'ful', 'fullx', 'readers'])
    assert.deepEqual(await asking(filled(), token)('/get/k'), [
      401,
      { error: 'WRONGPASS invalid or missing auth token' },
    ]);
});

test('a reader reads, by every way that there is', async () => {
  const ask = asking(filled(), 'reader');
  assert.deepEqual(await ask('/', ['lrange', 'l', 0, -1]), [200, { result: ['a', 'b'] }]);
  assert.deepEqual(await ask('/', ['OBJECT', 'encoding', 'k']), [200, { result: 'embstr' }]);
  assert.deepEqual(await ask('/', ['PING']), [200, { result: 'PONG' }]);
  assert.deepEqual(
    await ask('/pipeline', [
      ['GET', 'k'],
      ['TTL', 'k'],
    ]),
    [200, [{ result: 'v' }, { result: -1 }]],
  );
  assert.deepEqual(
    await ask('/multi-exec', [
      ['GET', 'k'],
      ['EXISTS', 'l'],
    ]),
    [200, [{ result: 'v' }, { result: 1 }]],
  );
});

test('a reader changes nothing, and sees no list of all keys', async () => {
  const commands = [
    ['SET', 'k', 'w'],
    ['set', 'k', 'w'],
    ['DEL', 'k'],
    ['GETDEL', 'k'],
    ['GETEX', 'k', 'PERSIST'],
    ['EXPIRE', 'k', 1],
    ['LPOP', 'l'],
    ['BLPOP', 'l', 0],
    ['SORT', 'l', 'STORE', 'x'],
    ['BITFIELD', 'k', 'SET', 'u8', 0, 1],
    ['COPY', 'k', 'x'],
    ['RESTORE', 'x', 0, ''],
    ['FLUSHALL'],
    ['SWAPDB', 0, 1],
    ['PUBLISH', 'c', 'm'],
    ['CONFIG', 'SET', 'maxmemory', 1],
    ['SCRIPT', 'FLUSH'],
    ['DEBUG', 'RELOAD'],
    ['LATCH.ACQUIRE', 'x', 'o', 1000],
    ['KEYS', '*'],
    ['SCAN', 0],
    ['EVAL', 'return 1', 0],
    ['EVAL_RO', "return redis.call('KEYS', '*')", 0],
    ['EVALSHA', 'x', 0],
    ['EVALSHA_RO', 'x', 0],
    ['FCALL', 'f', 0],
    ['FCALL_RO', 'f', 0],
    ['OBJECT', 'x'],
    ['NOSUCH'],
    ['MONITOR'],
    ['\u0000SET'],
  ];
  const db = filled();
  const before = db.snapshot();
  const ask = asking(db, 'reader');
  const refused = /^NOPERM this token may only read|is not available over REST/;
  for (const command of commands) {
    const [status, body] = await ask('/', command);
    assert.equal(status, 400, command.join(' '));
    assert.match(body.error, refused);
    const [, [good, bad]] = await ask('/pipeline', [['GET', 'k'], command]);
    assert.deepEqual(good, { result: 'v' });
    assert.match(bad.error, refused);
    const [whole, { error }] = await ask('/multi-exec', [['GET', 'k'], command]);
    assert.equal(whole, 400, command.join(' '));
    assert.match(error, refused);
  }
  assert.equal((await ask('/del/k'))[0], 400);
  assert.equal((await ask('/monitor'))[0], 403);
  assert.deepEqual(db.snapshot(), before);
});

test('options that are no tokens are refused', async () => {
  const request = new Request('http://local/get/k');
  for (const options of [
    { token: [] },
    { token: ['a', ''] },
    { token: ['a', 5] },
    { token: 't', readOnlyToken: '' },
    { token: 't', readOnlyToken: [1] },
  ])
    await assert.rejects(handleUpstashRequest(new Keylatch(), request, options), { name: 'TypeError' });
  for (const origins of ['https://a.example', ['a.example'], ['https://a.example/path'], [5]])
    await assert.rejects(handleUpstashRequest(new Keylatch(), request, { token: 't', origins }), /origins must be/);
  await assert.rejects(
    handleUpstashRequest(new Keylatch(), request, { token: 't', durable: true }),
    /durable must be a function/,
  );
});
