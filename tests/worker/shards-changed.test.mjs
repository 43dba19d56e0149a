/** Wrong numbers of shards, changed ones, and shards that fail: nothing is answered by the wrong object. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { storageFolder } from './support/host.mjs';
import { keyOn, keysOnAll, SHARDS, shardOf, startSharded } from './support/sharded.mjs';
import { refused } from './support/sockets.mjs';

const made = (count, given) =>
  `SHARDS this namespace was made with ${count} ${count === 1 ? 'shard' : 'shards'}, and the option shards is ${given}: ` +
  `set it to ${count}, or change the number with "keylatch reshard"`;

test('wrong options are errors that name them', async (t) => {
  const { post } = await startSharded(t);
  for (const shards of [0, 65, -1, 1.5, '8', null, [8], {}]) {
    const { json } = await post({ token: 'a', shards }, { path: '/placed' });
    assert.match(json.error, /^RangeError: keylatchFetch: shards must be an integer from 1 to 64, found /);
  }
  for (const fanOut of [0, 1, 'true', null, {}]) {
    const { json } = await post({ token: 'a', fanOut }, { path: '/placed' });
    assert.match(json.error, /^TypeError: keylatchFetch: fanOut must be true or false$/);
  }
});

test('64 shards are as many as there may be, and each has keys', async (t) => {
  const { ask, pipeline } = await startSharded(t, { shards: 64 });
  const keys = Array.from({ length: 64 }, (_, index) => keyOn(index, 'k', 64));
  await pipeline(keys.map((key, index) => ['SET', key, index]));
  assert.deepEqual(await ask(['MGET', ...keys]), [200, keys.map((_, index) => String(index))]);
  assert.deepEqual(await ask(['DBSIZE']), [200, 64]);
});

test('a changed number is refused on every shard, also by objects that are new', async (t) => {
  const worker = await startSharded(t);
  const { ask, pipeline, post } = worker;
  const keys = keysOnAll('k');
  await pipeline(keys.map((key) => ['SET', key, 'v']));
  for (const shards of [1, 4, 7, 9, 16, 64]) {
    const options = { shards };
    const error = made(SHARDS, shards);
    for (let index = 0; index < shards; index += 1) {
      const key = keyOn(index, 'k', shards);
      assert.deepEqual(await ask(['GET', key], { options }), [409, error]);
      assert.deepEqual(await ask(['SET', key, 'w'], { options }), [409, error]);
      const upgrade = { path: `/?slot=${Math.floor((index * 16384) / shards)}`, headers: worker.headersOf(options) };
      assert.deepEqual(await refused(worker, upgrade), { status: 409, error });
    }
    const answers = await pipeline(
      keys.map((key) => ['SET', key, 'w']),
      { options },
    );
    const { length } = keys.filter((key) => shardOf(key, shards) === shardOf(keys[0], shards));
    assert.deepEqual(answers, length === keys.length ? error : keys.map(() => ({ error })));
  }
  const object = encodeURIComponent('default\x009');
  assert.deepEqual((await post('SELECT name FROM sqlite_master', { path: `/sql?object=${object}` })).json.result, []);
  assert.deepEqual(await ask(['MGET', ...keys]), [200, keys.map(() => 'v')]);
});

test('a namespace without shards is not divided, and one that is empty may be', async (t) => {
  const { ask, post } = await startSharded(t);
  const whole = { options: { shards: 1, namespace: 'whole' } };
  assert.deepEqual(await ask(['SET', 'k', 'v'], whole), [200, 'OK']);
  for (let index = 0; index < SHARDS; index += 1) {
    const answer = await ask(['SET', keyOn(index), 'w'], { options: { namespace: 'whole' } });
    assert.deepEqual(answer, [409, made(1, SHARDS)]);
  }
  assert.deepEqual(await ask(['GET', 'k'], whole), [200, 'v']);
  assert.deepEqual(await ask(['DBSIZE'], whole), [200, 1]);
  const empty = { shards: 1, namespace: 'empty' };
  assert.deepEqual(await ask(['GET', 'k'], { options: empty }), [200, null]);
  assert.deepEqual(await ask(['SET', keyOn(5), 'v'], { options: { namespace: 'empty' } }), [200, 'OK']);
  assert.deepEqual(await ask(['GET', 'k'], { options: empty }), [409, made(SHARDS, 1)]);
  const { json } = await post('PING\r\n', { path: '/resp?object=empty' });
  assert.match(json.error, /SHARDS this namespace was made with 8 shards/);
});

test('the number is kept over restarts', async (t) => {
  const folder = await storageFolder(t);
  const before = await startSharded(t, {}, { folder });
  const keys = keysOnAll('k');
  await before.pipeline(keys.map((key) => ['SET', key, 'v']));
  await before.stop();
  const { ask } = await startSharded(t, {}, { folder });
  assert.deepEqual(await ask(['GET', keys[3]], { options: { shards: 4 } }), [409, made(SHARDS, 4)]);
  assert.deepEqual(await ask(['MGET', ...keys]), [200, keys.map(() => 'v')]);
});

test('a name of a namespace is not that of a shard', async (t) => {
  const { ask } = await startSharded(t);
  await ask(['SET', keyOn(3), 'v']);
  for (const path of ['/namespace/default%003', '/?namespace=default%003'])
    assert.deepEqual(await ask(['PING'], { path }), [400, 'ERR a namespace has 1 to 256 characters, and no NUL']);
});

test('a shard fails alone', async (t) => {
  const folder = await storageFolder(t);
  const before = await startSharded(t, {}, { folder });
  const keys = keysOnAll('k');
  await before.pipeline(keys.map((key) => ['SET', key, 'v']));
  const sql = (worker, text) => worker.post(text, { path: `/sql?object=${encodeURIComponent('default\x005')}` });
  await sql(before, 'UPDATE keylatch_meta SET version = 99');
  await before.stop();
  const worker = await startSharded(t, {}, { folder });
  const { ask, pipeline } = worker;
  const unavailable = 'UNAVAILABLE no answer from the object; the command may have run';
  for (const [index, key] of keys.entries())
    assert.deepEqual(await ask(['GET', key]), index === 5 ? [503, unavailable] : [200, 'v']);
  const answers = await pipeline(keys.map((key) => ['SET', key, 'w']));
  assert.deepEqual(
    answers,
    keys.map((_, index) => (index === 5 ? { error: unavailable } : { result: 'OK' })),
  );
  assert.deepEqual(await ask(['DBSIZE']), [503, unavailable]);
  assert.deepEqual(await ask(['MGET', keys[0], keys[1]]), [200, ['w', 'w']]);
  assert.deepEqual(await ask(['MGET', keys[0], keys[5]]), [503, unavailable]);
});

test('tokens are those of all shards: nothing is read or written without one', async (t) => {
  const folder = await storageFolder(t);
  const { ask, pipeline } = await startSharded(t, { readOnlyToken: 'reader' }, { folder });
  const keys = keysOnAll('k');
  assert.deepEqual((await ask(['DBSIZE'], { token: 'wrong' }))[0], 401);
  await pipeline(keys.map((key) => ['SET', key, 'v']));
  const reader = { token: 'reader' };
  assert.deepEqual(await ask(['MGET', ...keys], reader), [200, keys.map(() => 'v')]);
  assert.deepEqual(await ask(['DBSIZE'], reader), [200, SHARDS]);
  for (const command of [['FLUSHALL'], ['DEL', ...keys], ['KEYS', '*'], ['SCAN', 0]])
    assert.match((await ask(command, reader))[1], /^NOPERM this token may only read/);
  assert.deepEqual(await ask(['DBSIZE']), [200, SHARDS]);
});
