/** The options of `keylatchFetch`. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { start, TOKEN } from './support/host.mjs';

test('options that are none are errors that name them', async (t) => {
  const { post } = await start(t, { bundle: 'faulty' });
  for (const [options, message] of [
    [{ token: 5 }, /^TypeError: keylatchFetch: token must be a text, or a list of texts$/],
    [{ token: ['a', 5] }, /^TypeError: keylatchFetch: token must be/],
    [{ token: 'a', readOnlyToken: {} }, /^TypeError: keylatchFetch: readOnlyToken must be/],
    [{ tokens: 'a' }, /^TypeError: keylatchFetch has no option 'tokens': it has token, /],
    [{ token: 'a', origins: ['a.example'] }, /^TypeError: keylatchFetch: origins must be/],
    [{ token: 'a', maxBodyBytes: -1 }, /^RangeError: keylatchFetch: maxBodyBytes must be/],
    [{ token: 'a', commandsPerSecond: 0 }, /^RangeError: keylatchFetch: commandsPerSecond must be/],
    [{ token: 'a', namespace: '' }, /^TypeError: keylatchFetch: namespace must be/],
    [{ token: 'a', namespace: 'n'.repeat(257) }, /^TypeError: keylatchFetch: namespace must be/],
  ]) {
    const { status, json } = await post(options, { path: '/options' });
    assert.equal(status, 500);
    assert.match(json.error, message);
  }
});

test('lists of tokens, in which what is missing admits nothing', async (t) => {
  const { post } = await start(t, { bundle: 'faulty' });
  const ask = async (options, path = '/ping') =>
    (await post(options, { path: `/options?path=${encodeURIComponent(path)}` })).status;
  assert.equal(await ask({ token: TOKEN }), 200);
  assert.equal(await ask({ token: ['', 'other', TOKEN] }), 200);
  assert.equal(await ask({ token: ['other'], readOnlyToken: [TOKEN] }, '/get/k'), 200);
  assert.equal(await ask({ token: ['other'], readOnlyToken: [TOKEN] }, '/set/k/v'), 400);
  for (const token of [[], '', [''], ['other'], null]) {
    const options = token === null ? {} : { token };
    assert.equal(await ask(options), 401, JSON.stringify(token));
  }
});

test('a base path, and one namespace for all requests', async (t) => {
  const { post } = await start(t, { bundle: 'faulty' });
  const ask = async (options, path) => {
    const asked = await post({ token: TOKEN, ...options }, { path: `/options?path=${encodeURIComponent(path)}` });
    return [asked.status, asked.json.result ?? null];
  };
  assert.deepEqual(await ask({ basePath: '/redis/' }, '/redis/set/k/based'), [200, 'OK']);
  assert.deepEqual(await ask({ basePath: '/redis' }, '/redis/namespace/default/get/k'), [200, 'based']);
  assert.deepEqual((await ask({ basePath: '/redis' }, '/get/k'))[0], 404);
  assert.deepEqual(await ask({ namespace: 'fixed' }, '/set/k/fixed'), [200, 'OK']);
  assert.deepEqual(await ask({}, '/namespace/fixed/get/k'), [200, 'fixed']);
  assert.deepEqual((await ask({ namespace: 'fixed' }, '/namespace/default/get/k'))[0], 400);
});
