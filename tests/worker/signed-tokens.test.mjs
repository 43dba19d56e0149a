/** Signed tokens at an object: what each claim admits, and tokens that are none. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { template } from './support/build.mjs';
import { objectFiles, start, storageFolder } from './support/host.mjs';

const { signToken } = await import(pathToFileURL(`${template}/node_modules/keylatch/esm/upstash.js`).href);

const SECRETS = { k1: 'one secret of 32 bytes or of more', k2: 'another secret, 32 bytes or more.' };
const LATER = Math.floor(Date.now() / 1000) + 3600;

async function worker(t, options = {}, start_ = {}) {
  const { post } = await start(t, { bundle: 'faulty', ...start_ });
  const given = { token: undefined, secrets: SECRETS, revoked: ['lost'], ...options };
  /** Status and reply of a request with a token. */
  return async (token, body, path = '/') => {
    const { status, json } = await post(
      { options: given, body },
      { path: `/asked?path=${encodeURIComponent(path)}`, token },
    );
    return [status, json.error ?? json.result ?? json];
  };
}

const signed = (claims, keyId = 'k1') => signToken({ exp: LATER, ...claims }, { keyId, secret: SECRETS[keyId] });

test('each of several secrets signs tokens, which read or write', async (t) => {
  const ask = await worker(t);
  for (const keyId of ['k1', 'k2'])
    assert.deepEqual(await ask(await signed({ write: true }, keyId), ['SET', 'k', keyId]), [200, 'OK']);
  const reader = await signed({});
  assert.deepEqual(await ask(reader, ['GET', 'k']), [200, 'k2']);
  for (const command of [
    ['SET', 'k', 'x'],
    ['KEYS', '*'],
    ['EVAL', 'return 1', 0],
    ['SCAN', 0],
  ])
    assert.match((await ask(reader, command))[1], /^NOPERM/);
});

test('cut, altered, foreign, expired and revoked tokens reach no object', async (t) => {
  const folder = await storageFolder(t);
  const ask = await worker(t, {}, { folder });
  const good = await signed({ write: true });
  const [version, keyId, claims, mac] = good.split('.');
  const other = Buffer.from(JSON.stringify({ exp: LATER, write: true, extra: 1 })).toString('base64url');
  const forged = await signToken({ exp: LATER, write: true }, { keyId: 'k1', secret: 'x'.repeat(32) });
  const last = mac.at(-1);
  const spelled = mac.slice(0, -1) + String.fromCharCode(last.charCodeAt(0) + 1);
  const tokens = [
    good.slice(0, -1),
    good.slice(1),
    `${good}A`,
    `${good}=`,
    `${good}.`,
    [version, keyId, claims].join('.'),
    [version, keyId, claims, ''].join('.'),
    [version, 'k2', claims, mac].join('.'),
    [version, 'none', claims, mac].join('.'),
    ['kl2', keyId, claims, mac].join('.'),
    [version, keyId, other, mac].join('.'),
    [version, keyId, claims, spelled].join('.'),
    [version, keyId, claims, mac.toUpperCase()].join('.'),
    forged,
    'x'.repeat(5000),
  ];
  for (const token of tokens) {
    const [status, error] = await ask(token, ['SET', 'k', 'v']);
    assert.deepEqual([token, status, error], [token, 401, 'WRONGPASS invalid or missing auth token']);
  }
  assert.deepEqual(await ask(await signed({ exp: LATER - 7200 }), ['PING']), [401, 'WRONGPASS the token has expired']);
  assert.deepEqual(await ask(await signed({ id: 'lost' }), ['PING']), [401, 'WRONGPASS the token was revoked']);
  assert.deepEqual(await objectFiles(folder), []);
  assert.deepEqual(await ask(good, ['SET', 'k', 'v']), [200, 'OK']);
});

test('a token for namespaces reaches no other', async (t) => {
  const ask = await worker(t);
  const token = await signed({ write: true, ns: ['one', 'team-*'] });
  for (const name of ['one', 'team-', 'team-a'])
    assert.deepEqual(await ask(token, ['SET', 'k', name], `/namespace/${name}`), [200, 'OK']);
  for (const path of [
    '/',
    '/namespace/two',
    '/namespace/One',
    '/namespace/tea',
    '/?namespace=two',
    '/?namespace=default',
  ])
    assert.deepEqual(await ask(token, ['GET', 'k'], path), [403, 'NOPERM this token is not for this namespace']);
});

test('a token for keys touches no other, by any way', async (t) => {
  const ask = await worker(t);
  const all = await signed({ write: true });
  await ask(all, ['MSET', 'mine:1', 'a', 'other', 'b', 'keylatch:x', 'c']);
  const token = await signed({ write: true, keys: ['mine:*', 'keylatch:*'] });
  assert.deepEqual(await ask(token, ['GET', 'mine:1']), [200, 'a']);
  assert.deepEqual(await ask(token, ['RENAME', 'mine:1', 'mine:2']), [200, 'OK']);
  assert.deepEqual(await ask(token, ['PING']), [200, 'PONG']);
  for (const command of [
    ['GET', 'other'],
    ['get', 'other'],
    ['MGET', 'mine:2', 'other'],
    ['RENAME', 'mine:2', 'other'],
    ['COPY', 'other', 'mine:3'],
    ['SORT', 'mine:2', 'BY', 'other*'],
    ['SORT', 'mine:2', 'get', 'mine:*'],
    ['SORT', 'mine:2', 'STORE', 'other'],
    ['SINTERCARD', 2, 'mine:2', 'other'],
    ['OBJECT', 'ENCODING', 'other'],
    ['LATCH.ACQUIRE', 'mine:l', 'o', 'TTL', 1000, 'ALSO', 1, 'other'],
    ['GET', 'keylatch:x'],
    ['EVAL', "return redis.call('GET', 'other')", 1, 'mine:2'],
    ['FCALL', 'f', 1, 'mine:2'],
    ['SCAN', 0],
    ['KEYS', 'mine:*'],
    ['DBSIZE'],
    ['RANDOMKEY'],
    ['FLUSHALL'],
    ['FLUSHDB'],
    ['SWAPDB', 0, 1],
    ['PUBLISH', 'mine:1', 'x'],
    ['INFO'],
    ['CONFIG', 'GET', '*'],
    ['NOSUCH', 'mine:1'],
  ]) {
    const [status, error] = await ask(token, command);
    assert.deepEqual([command.join(' '), status], [command.join(' '), 400]);
    assert.match(error, /^NOPERM|is about a server/);
    assert.match((await ask(token, [['GET', 'mine:2'], command], '/multi-exec'))[1], /^NOPERM|is about a server/);
    const [, [good, bad]] = await ask(token, [['GET', 'mine:2'], command], '/pipeline');
    assert.deepEqual(good, { result: 'a' });
    assert.match(bad.error, /^NOPERM|is about a server/);
  }
  for (const path of ['/monitor', '/subscribe/mine:1', '/psubscribe/*'])
    assert.equal((await ask(token, [], path))[0], 403);
  assert.deepEqual(await ask(all, ['MGET', 'mine:2', 'other', 'keylatch:x']), [200, ['a', 'b', 'c']]);
});

test('a token for channels publishes there, and nowhere else', async (t) => {
  const ask = await worker(t);
  const token = await signed({ write: true, channels: ['news:*'] });
  assert.deepEqual(await ask(token, ['PUBLISH', 'news:1', 'x']), [200, 0]);
  for (const command of [
    ['PUBLISH', 'other', 'x'],
    ['SPUBLISH', 'other', 'x'],
    ['GET', 'news:1'],
    ['SET', 'k', 'v'],
  ])
    assert.match((await ask(token, command))[1], /^NOPERM/);
  for (const path of ['/subscribe/other', '/psubscribe/*', '/psubscribe/news:1*', '/monitor'])
    assert.equal((await ask(token, [], path))[0], 403, path);
});

test('the request id of another token is not this one’s', async (t) => {
  const { post } = await start(t, { bundle: 'faulty' });
  const options = { secrets: SECRETS };
  const ask = async (token) =>
    (
      await post(
        { options, body: ['INCR', 'n'] },
        { path: '/asked', token, headers: { 'keylatch-request-id': 'same' } },
      )
    ).status;
  assert.equal(await ask(await signed({ write: true })), 200);
  assert.equal(await ask(await signed({ write: true, id: 'other' })), 409);
});
