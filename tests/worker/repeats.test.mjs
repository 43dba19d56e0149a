/** Requests with an id: a repeated one has the first one's reply, and no second effect. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { start, storageFolder } from './support/host.mjs';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const withId = (id) => ({ headers: { 'keylatch-request-id': id } });

test('a repeat has the same reply, before and after a crash', async (t) => {
  const folder = await storageFolder(t);
  const before = await start(t, { folder });
  const first = await before.post(['INCR', 'n'], withId('a'));
  assert.deepEqual((await before.post(['INCR', 'n'], withId('a'))).text, first.text);
  assert.deepEqual(
    (
      await before.post(
        [
          ['INCR', 'n'],
          ['GET', 'n'],
        ],
        { path: '/pipeline', ...withId('b') },
      )
    ).json,
    [{ result: 2 }, { result: '2' }],
  );
  await before.stop();
  const after = await start(t, { folder });
  assert.deepEqual((await after.post(['INCR', 'n'], withId('a'))).text, first.text);
  const piped = { path: '/pipeline', ...withId('b') };
  assert.deepEqual(
    (
      await after.post(
        [
          ['INCR', 'n'],
          ['GET', 'n'],
        ],
        piped,
      )
    ).json[0],
    { result: 2 },
  );
  assert.equal(await after.call('GET', 'n'), '2');
});

test('repeats at once have one effect', async (t) => {
  const { post, call } = await start(t);
  const ids = Array.from({ length: 25 }, (_, index) => `id-${index}`);
  const order = [...ids, ...ids.toReversed(), ...ids, ...ids.toSorted()];
  const replies = await Promise.all(order.map(async (id) => [id, (await post(['INCR', 'n'], withId(id))).text]));
  assert.equal(await call('GET', 'n'), '25');
  for (const id of ids) {
    const texts = new Set(replies.filter(([of]) => of === id).map(([, text]) => text));
    assert.equal(texts.size, 1, id);
  }
});

test('an id with another body, or another kind of request, is refused', async (t) => {
  const { post, call } = await start(t);
  await post(['INCR', 'n'], withId('a'));
  const other = await post(['INCRBY', 'n', 5], withId('a'));
  assert.deepEqual([other.status, /another token or body/.test(other.json.error)], [409, true]);
  for (const id of ['', 'a b', '\u00fc', 'x'.repeat(129)]) {
    const { status, json } = await post(['INCR', 'n'], withId(id));
    assert.deepEqual([id, status, /request id has 1 to 128/.test(json.error)], [id, 400, true]);
  }
  assert.equal(await call('GET', 'n'), '1');
});

test('a repeat joins a request that still waits; what it took is taken once', async (t) => {
  const { post, call } = await start(t);
  const waits = () => post(['BLPOP', 'q', 20], withId('w'));
  const [one, other] = [waits(), waits()];
  await sleep(100);
  assert.equal(await call('RPUSH', 'q', 'x', 'y'), 2);
  assert.deepEqual([(await one).json, (await other).json], [{ result: ['q', 'x'] }, { result: ['q', 'x'] }]);
  assert.deepEqual((await waits()).json, { result: ['q', 'x'] });
  assert.deepEqual(await call('LRANGE', 'q', 0, -1), ['y']);
});

test('the reply of a request that waited is stored with what ended the wait', async (t) => {
  const folder = await storageFolder(t);
  const before = await start(t, { folder, bundle: 'faulty' });
  const waiting = before.post(['BLPOP', 'q', 20], withId('w'));
  await sleep(100);
  await before.call('RPUSH', 'q', 'x');
  assert.deepEqual((await waiting).json, { result: ['q', 'x'] });
  const { json } = await before.post('SELECT COUNT(*) AS rows FROM keylatch_log', { path: '/sql' });
  assert.deepEqual(json.result, [{ rows: 1 }]);
  await before.stop();
  const { post, call } = await start(t, { folder });
  assert.deepEqual((await post(['BLPOP', 'q', 20], withId('w'))).json, { result: ['q', 'x'] });
  assert.equal(await call('EXISTS', 'q'), 0);
});
