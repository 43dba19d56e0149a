/**
 * Faults: when memory and disk differ, the disk counts. The object stops, and the next request rebuilds it from its
 * log.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { start, TOKEN } from './support/host.mjs';

for (const kind of ['write', 'trap', 'trap-after']) {
  test(`fault "${kind}": the command fails, the next request sees the state from disk`, async (t) => {
    const { call, post } = await start(t, { bundle: 'faulty' });
    await call('SET', 'key', 'on disk');
    await post('', { path: `/fault?kind=${kind}` });

    const failed = await post(['SET', 'key', 'never stored']);
    assert.equal(failed.status, 503);
    assert.match(failed.json.error, /^UNAVAILABLE /);

    assert.equal(await call('GET', 'key'), 'on disk');
    assert.equal(await call('SET', 'key', 'stored'), 'OK');
    assert.equal(await call('GET', 'key'), 'stored');
  });
}

test('a fault in one namespace leaves the others alone', async (t) => {
  const { call, post } = await start(t, { bundle: 'faulty' });
  const elsewhere = (...command) => post(command, { path: '/?namespace=other' });
  await elsewhere('SET', 'key', 'there');
  await call('SET', 'key', 'here');
  await post('', { path: '/fault?kind=trap' });
  assert.equal((await post(['SET', 'key', 'x'])).status, 503);
  assert.deepEqual((await elsewhere('GET', 'key')).json, { result: 'there' });
  assert.equal(await call('GET', 'key'), 'here');
});

test('the first write of all can fail and leaves nothing behind', async (t) => {
  const { call, post } = await start(t, { bundle: 'faulty' });
  await post('', { path: '/fault?kind=write' });
  assert.equal((await post(['SET', 'key', 'lost'])).status, 503);
  assert.equal(await call('DBSIZE'), 0);
  const { json } = await post("SELECT name FROM sqlite_master WHERE name LIKE 'keylatch%'", { path: '/sql' });
  assert.deepEqual(json.result, []);
});

test('an object that is overloaded is status 429, one that gives no answer 503', async (t) => {
  const { post } = await start(t, { bundle: 'faulty' });
  const ask = async (properties) => {
    const path = `/failing?properties=${encodeURIComponent(JSON.stringify(properties))}`;
    const { status, json } = await post({ token: TOKEN }, { path });
    return [status, json.error];
  };
  const [busy, advice] = await ask({ overloaded: true, retryable: true });
  assert.deepEqual([busy, /^OVERLOADED .*do not repeat at once$/.test(advice)], [429, true]);
  for (const properties of [{}, { retryable: true }, { overloaded: false }]) {
    assert.deepEqual(await ask(properties), [503, 'UNAVAILABLE no answer from the object; the command may have run']);
  }
});

test('no more than 10,000 requests wait for a turn; those beyond have not run', async (t) => {
  const { call, post } = await start(t, { bundle: 'faulty' });
  const { json } = await post('', { path: '/flood?count=10010' });
  // The first one ran at once.
  assert.equal(json.result.ran, 10_001);
  assert.equal(json.result.errors.length, 9);
  for (const error of json.result.errors) assert.match(error, /OVERLOADED .* has not run/);
  assert.equal(await call('GET', 'n'), '10001');
});
