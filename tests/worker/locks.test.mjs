/** Locks that two clients contend for, over HTTP, on a real workerd: the purpose of an object. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { start } from './support/host.mjs';

test('of two clients that contend for a lock one gets it and the other null', async (t) => {
  const { call } = await start(t);
  const replies = await Promise.all(['one', 'two'].map((token) => call('SET', 'lock', token, 'NX', 'PX', 30_000)));
  assert.deepEqual([...replies].sort(), ['OK', null]);
  assert.equal(await call('GET', 'lock'), replies[0] === 'OK' ? 'one' : 'two');
});

test('only its holder can release a lock', async (t) => {
  const { call } = await start(t);
  assert.equal(await call('SET', 'lock', 'mine', 'NX', 'PX', 30_000), 'OK');
  assert.equal(await call('DELEX', 'lock', 'IFEQ', 'not mine'), 0);
  assert.equal(await call('SET', 'lock', 'other', 'NX', 'PX', 30_000), null);
  assert.equal(await call('DELEX', 'lock', 'IFEQ', 'mine'), 1);
  assert.equal(await call('SET', 'lock', 'other', 'NX', 'PX', 30_000), 'OK');
});

test('a lock whose holder vanished is free again when its lease ends', async (t) => {
  const { call } = await start(t);
  assert.equal(await call('SET', 'lock', 'crashed', 'NX', 'PX', 1_000), 'OK');
  assert.equal(await call('SET', 'lock', 'next', 'NX', 'PX', 30_000), null);
  await new Promise((resolve) => setTimeout(resolve, 1_050));
  assert.equal(await call('SET', 'lock', 'next', 'NX', 'PX', 30_000), 'OK');
});

test('only its holder can renew a lock', async (t) => {
  const { call } = await start(t);
  await call('SET', 'lock', 'mine', 'NX', 'PX', 1_000);
  assert.equal(await call('SET', 'lock', 'other', 'IFEQ', 'other', 'PX', 60_000), null);
  assert.equal(await call('SET', 'lock', 'mine', 'IFEQ', 'mine', 'PX', 60_000), 'OK');
  assert.ok((await call('PTTL', 'lock')) > 50_000);
});

test('200 increments at once give exactly 200', async (t) => {
  const { call } = await start(t);
  const replies = await Promise.all(Array.from({ length: 200 }, () => call('INCR', 'visits')));
  assert.deepEqual(
    replies.sort((left, right) => left - right),
    Array.from({ length: 200 }, (_, index) => index + 1),
  );
  assert.equal(await call('GET', 'visits'), '200');
});

test('a namespace is a keyspace of its own, named in the path or by a parameter', async (t) => {
  const { call, post } = await start(t);
  await call('SET', 'lock', 'here', 'NX');
  const there = await post(['SET', 'lock', 'there', 'NX'], { path: '/?namespace=tenant-2' });
  assert.deepEqual([there.status, there.json], [200, { result: 'OK' }]);
  assert.equal(await call('GET', 'lock'), 'here');
  assert.deepEqual((await post(['GET', 'lock'], { path: '/namespace/tenant-2' })).json, { result: 'there' });
  assert.deepEqual((await post([['GET', 'lock']], { path: '/namespace/tenant-2/pipeline' })).json, [
    { result: 'there' },
  ]);
  const get = { method: 'GET' };
  assert.deepEqual((await post(undefined, { path: '/get/lock?namespace=tenant-2', ...get })).json, { result: 'there' });
  assert.deepEqual((await post(undefined, { path: '/namespace/tenant%2D2/get/lock', ...get })).json, {
    result: 'there',
  });
  assert.deepEqual((await post(undefined, { path: '/namespace/default/get/lock', ...get })).json, { result: 'here' });
});

test('latches are offered, and a wait for one ends with its release', async (t) => {
  const { call } = await start(t);
  const token = await call('LATCH.ACQUIRE', 'latch', 'one', 'TTL', 30_000, 'ALSO', 1, 'wait');
  assert.ok(Number.isSafeInteger(token) && token > 0);
  assert.equal(await call('LATCH.ACQUIRE', 'latch', 'one', 'TTL', 30_000, 'ALSO', 1, 'wait'), token);
  assert.equal(await call('LATCH.ACQUIRE', 'wait', 'two', 'TTL', 30_000), null);
  assert.ok((await call('LATCH.CHECK', 'wait', 'one', token)) > 20_000);
  assert.equal(await call('LATCH.ACQUIRE', 'latch', 'two', 'TTL', 30_000, 'WAIT', 100), null);
  const waiting = call('LATCH.ACQUIRE', 'latch', 'two', 'TTL', 30_000, 'WAIT', 20_000);
  assert.equal(await call('LATCH.RELEASE', 'latch', 'one', 'ALSO', 1, 'wait'), 2);
  assert.ok((await waiting) > token);
  assert.deepEqual(await call('LATCH.LIMIT', 'api', 10, 'PERIOD', 1_000), [1, 9, 0, 100]);
  assert.deepEqual((await call('LATCH.ONCE', 'job', 'one', 'TTL', 30_000)).slice(0, 1), ['run']);
  assert.deepEqual(await call('LATCH.ARRIVE', 'gate', 'one', 'PARTIES', 1, 'TTL', 30_000), [1, 1, 1]);
});
