/** Locks that two clients contend for, over HTTP, on a real workerd: the template's purpose. */

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
  assert.equal(await call('SET', 'lock', 'crashed', 'NX', 'PX', 200), 'OK');
  assert.equal(await call('SET', 'lock', 'next', 'NX', 'PX', 30_000), null);
  await new Promise((resolve) => setTimeout(resolve, 250));
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

test('a namespace is a keyspace of its own', async (t) => {
  const { call, post } = await start(t);
  await call('SET', 'lock', 'here', 'NX');
  const there = await post(['SET', 'lock', 'there', 'NX'], { path: '/?namespace=tenant-2' });
  assert.deepEqual([there.status, there.json], [200, { result: 'OK' }]);
  assert.equal(await call('GET', 'lock'), 'here');
});
