/** Tokens: without a valid one nothing reaches an object, none is woken and none is made. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { objectFiles, start, storageFolder } from './support/host.mjs';

const FULL = 'full-3f6c0a51';
const NEXT = 'next-b2d94e77';
const READER = 'read-90c1d2ee';
const BINDINGS = { KEYLATCH_TOKEN: FULL, KEYLATCH_NEXT_TOKEN: NEXT, KEYLATCH_READ_ONLY_TOKEN: READER };

/** Tokens that are none. */
const WRONG = [
  null,
  '',
  ' ',
  'wrong',
  FULL.slice(1),
  FULL.slice(0, -1),
  `${FULL}x`,
  FULL.toUpperCase(),
  FULL.replace('a', 'b'),
  FULL + NEXT,
  'kl1.a.e30.AAAA',
];

test('with a missing, wrong, cut or altered token no object is made', async (t) => {
  const folder = await storageFolder(t);
  const { post, call } = await start(t, { folder, bundle: 'faulty', bindings: BINDINGS });
  const constructed = async () => (await post(undefined, { path: '/constructed', method: 'GET' })).json.result;
  for (const token of WRONG) {
    for (const [path, body] of [
      ['/', ['SET', 'k', 'v']],
      ['/pipeline', [['SET', 'k', 'v']]],
      ['/multi-exec', [['SET', 'k', 'v']]],
      ['/set/k/v', undefined],
      ['/subscribe/news', []],
      ['/monitor', []],
      ['/?namespace=other', ['PING']],
      ['/namespace/other/pipeline', [['PING']]],
    ]) {
      const { status, headers, json } = await post(body, { path, token });
      assert.deepEqual([path, token, status, headers.get('www-authenticate')], [path, token, 401, 'Bearer']);
      assert.match(json.error, /^WRONGPASS /);
    }
  }
  const basic = await post(['PING'], { token: null, headers: { authorization: `Basic ${FULL}` } });
  assert.equal(basic.status, 401);
  assert.deepEqual([await constructed(), await objectFiles(folder)], [0, []]);
  await assert.rejects(call('SET', 'k', 'v'), /WRONGPASS/);
  assert.equal((await post(['SET', 'k', 'v'], { token: FULL })).status, 200);
  assert.equal(await constructed(), 1);
  assert.ok((await objectFiles(folder)).length > 0);
});

test('each of several full tokens is one, in a header or as a parameter', async (t) => {
  const { post } = await start(t, { bindings: BINDINGS });
  for (const token of [FULL, NEXT]) {
    assert.deepEqual((await post(['SET', 'k', token], { token })).json, { result: 'OK' });
    const path = `/get/k?_token=${token}`;
    assert.deepEqual((await post(undefined, { path, method: 'GET', token: null })).json, { result: token });
  }
  const lower = await post(['PING'], { token: null, headers: { authorization: `bearer ${FULL}` } });
  assert.equal(lower.status, 200);
});

test('a token that may only read changes nothing', async (t) => {
  const { post } = await start(t, { bundle: 'scripting', bindings: BINDINGS });
  await post(['SET', 'k', 'v'], { token: FULL });
  const ask = (body, path) => post(body, { path, token: READER });
  assert.deepEqual((await ask(['GET', 'k'])).json, { result: 'v' });
  for (const command of [
    ['SET', 'k', 'w'],
    ['DEL', 'k'],
    ['KEYS', '*'],
    ['SCAN', 0],
    ['EVAL', "return redis.call('SET', KEYS[1], 'w')", 1, 'k'],
    ['FLUSHALL'],
    ['LATCH.ACQUIRE', 'l', 'o', 'TTL', 1000],
  ]) {
    const { status, json } = await ask(command);
    assert.deepEqual([command[0], status, /^NOPERM/.test(json.error)], [command[0], 400, true]);
    assert.equal((await ask([['GET', 'k'], command], '/multi-exec')).status, 400);
    assert.match((await ask([['GET', 'k'], command], '/pipeline')).json[1].error, /^NOPERM/);
  }
  assert.equal((await ask([], '/monitor')).status, 403);
  assert.deepEqual((await post(['GET', 'k'], { token: FULL })).json, { result: 'v' });
});

for (const [name, bindings] of [
  ['no token', {}],
  ['an empty token', { KEYLATCH_TOKEN: '' }],
]) {
  test(`${name} is no service, and says which setting is missing`, async (t) => {
    const folder = await storageFolder(t);
    const { post } = await start(t, { folder, bindings });
    for (const token of [null, '', 'undefined', 'any']) {
      const { status, json } = await post(['PING'], { token });
      assert.equal(status, 401);
      assert.match(json.error, /^WRONGPASS no token is configured.*KEYLATCH_TOKEN/);
    }
    assert.deepEqual(await objectFiles(folder), []);
  });
}
