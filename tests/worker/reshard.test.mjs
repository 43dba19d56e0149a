/** `keylatch reshard`: another number of shards, with the same keys, deadlines, functions and tokens. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';

import { run } from '../clients/support/server.mjs';
import { temporaryFolder } from '../js/support/folders.mjs';
import { template } from './support/build.mjs';
import { copyOf, engineOf } from './support/copies.mjs';
import { storageFolder, TOKEN } from './support/host.mjs';
import { keyOn, startSharded } from './support/sharded.mjs';
import { connect } from './support/sockets.mjs';

const PROGRAM = join(template, 'node_modules/keylatch/cli/keylatch.js');
const LATER = 4102444800123;

function reshard(url, from, to, folder, { token = TOKEN, more = [] } = {}) {
  const words = [PROGRAM, 'reshard', url, '--from', from, '--to', to, '--folder', folder, ...more];
  return run(process.execPath, words.map(String), { env: { ...process.env, KEYLATCH_TOKEN: token } });
}

const keys = Array.from({ length: 200 }, (_, index) => `key${index}`);

const WRITES = [
  ...keys.map((key, index) => ['SET', key, index]),
  ['SET', 'timed', 'v', 'PXAT', LATER],
  ['RPUSH', '{tag}list', 'a', 'b'],
  ['SADD', '{tag}set', 'a'],
  ['ZADD', 'zset', 1.5, 'a'],
  ['HSET', 'hash', 'f', 1, 'g', 2],
  ['HPEXPIREAT', 'hash', LATER, 'FIELDS', 1, 'f'],
];

async function write({ pipeline }) {
  for (const [index, answer] of (await pipeline(WRITES)).entries())
    assert.ok('result' in answer, `${WRITES[index]}: ${JSON.stringify(answer)}`);
}

async function check({ ask, pipeline }) {
  assert.deepEqual(await ask(['MGET', ...keys]), [200, keys.map((_, index) => String(index))]);
  const answers = await pipeline([
    ['PEXPIRETIME', 'timed'],
    ['LRANGE', '{tag}list', 0, -1],
    ['SMEMBERS', '{tag}set'],
    ['ZSCORE', 'zset', 'a'],
    ['HPEXPIRETIME', 'hash', 'FIELDS', 2, 'f', 'g'],
    ['DBSIZE'],
  ]);
  assert.deepEqual(
    answers.map(({ result }) => result),
    [LATER, ['a', 'b'], ['a'], '1.5', [LATER, -1], keys.length + 5],
  );
}

test('the number grows and shrinks, to one and back', async (t) => {
  const folder = await storageFolder(t);
  const bundle = 'configured-scripting';
  let worker = await startSharded(t, { shards: 1 }, { folder, bundle });
  await write(worker);
  const library =
    "#!lua name=l\nredis.register_function('twice', function(keys) return 2 * redis.call('GET', keys[1]) end)";
  assert.deepEqual(await worker.ask(['FUNCTION', 'LOAD', library]), [200, 'l']);
  for (const [from, to] of [
    [1, 3],
    [3, 8],
    [8, 2],
    [2, 5],
    [5, 1],
  ]) {
    const copies = temporaryFolder();
    const { code, output, errors } = await reshard(worker.url, from, to, copies);
    assert.deepEqual([code, errors], [0, '']);
    assert.match(output, new RegExp(`The namespace has ${to} shards?: set the option shards to ${to}, and deploy.`));
    assert.equal(readdirSync(copies).length, from);
    const [status, error] = await worker.ask(['GET', 'key1'], { options: { shards: from } });
    assert.equal(status, 409);
    assert.match(error, new RegExp(`^SHARDS (this namespace was made with ${to} |the number .* changed to ${to}:)`));
    await worker.stop();
    worker = await startSharded(t, { shards: to }, { folder, bundle });
    await check(worker);
    for (const [index, key] of keys.entries())
      assert.deepEqual(await worker.ask(['FCALL', 'twice', 1, key]), [200, 2 * index]);
  }
});

test('tokens of latches go on behind the greatest of all shards', async (t) => {
  const worker = await startSharded(t, { shards: 4 });
  await write(worker);
  const greatest = 8_000_000_000_000_000;
  const path = '/reshard?shard=2&from=4&to=4';
  const copy = await copyOf(worker, path, { method: 'POST' });
  const db = engineOf(copy.bytes, Buffer.from(`#KL:1 v2 ${greatest}\r\n`));
  assert.deepEqual(await worker.ask(db.snapshot(), { path, method: 'PUT' }), [200, 'OK']);
  assert.equal((await reshard(worker.url, 4, 7, temporaryFolder())).code, 0);
  const options = { shards: 7 };
  for (let index = 0; index < 7; index += 1) {
    const [status, reply] = await worker.ask(['LATCH.ACQUIRE', keyOn(index, 'l', 7), 'o', 'TTL', 60_000], { options });
    assert.equal(status, 200);
    const [token] = [reply].flat();
    assert.ok(Number(token) > greatest, `${JSON.stringify(reply)} of shard ${index}`);
  }
});

test('while it runs nothing is answered, and sockets are closed', async (t) => {
  const worker = await startSharded(t, { shards: 2 });
  await write(worker);
  const peer = await connect(t, worker, { headers: worker.headersOf() });
  assert.equal(await peer.ask('PING'), '+PONG\r\n');
  const paths = [];
  const proxy = await failing(t, worker, (method, shard) => {
    paths.push(`${method} ${shard}`);
    return method === 'PUT' && shard === '0';
  });
  const copies = temporaryFolder();
  const failed = await reshard(proxy, 2, 4, copies);
  assert.equal(failed.code, 2);
  assert.match(failed.errors, /^keylatch reshard: shard 0: status 500/);
  assert.deepEqual(paths, ['POST 0', 'POST 1', 'PUT 3', 'PUT 2', 'PUT 1', 'PUT 0']);
  assert.equal((await peer.closed()).code, 1012);
  for (const shards of [2, 4]) {
    const options = { shards };
    for (const key of [keyOn(0, 'k', shards), keyOn(0, 'n', shards)])
      assert.match((await worker.ask(['SET', key, 'x'], { options }))[1], /^SHARDS .* being changed to 4/);
  }
  const again = await reshard(worker.url, 2, 4, copies);
  assert.deepEqual([again.code, again.errors], [0, '']);
  const { ask, pipeline } = worker;
  const options = { shards: 4 };
  await check({
    ask: (body) => ask(body, { options }),
    pipeline: (body) => pipeline(body, { options }),
  });
});

/** A proxy that answers 500 in place of requests that `fails` chooses. */
async function failing(t, { url }, fails) {
  const proxy = createServer(async (request, response) => {
    const { searchParams } = new URL(request.url, url);
    const chunks = await request.toArray();
    if (fails(request.method, searchParams.get('shard'))) return response.writeHead(500).end();
    const body = chunks.length > 0 ? Buffer.concat(chunks) : undefined;
    const { authorization } = request.headers;
    const answered = await fetch(new URL(request.url, url), {
      method: request.method,
      headers: { authorization },
      body,
    });
    const headers = { 'keylatch-position': answered.headers.get('keylatch-position') ?? '' };
    response.writeHead(answered.status, headers).end(Buffer.from(await answered.arrayBuffer()));
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  t.after(() => proxy.close());
  return `http://127.0.0.1:${proxy.address().port}/`;
}

for (const fault of ['POST 1', 'PUT 3', 'PUT 1']) {
  test(`after a failure at ${fault} the same command goes on`, async (t) => {
    const worker = await startSharded(t, { shards: 2 });
    await write(worker);
    const proxy = await failing(t, worker, (method, shard) => `${method} ${shard}` === fault);
    const copies = temporaryFolder();
    assert.equal((await reshard(proxy, 2, 4, copies)).code, 2);
    assert.equal((await reshard(proxy, 2, 4, copies)).code, 2);
    assert.deepEqual((await reshard(worker.url, 2, 4, copies)).errors, '');
    const options = { shards: 4 };
    await check({
      ask: (body) => worker.ask(body, { options }),
      pipeline: (body) => worker.pipeline(body, { options }),
    });
  });
}

test('the same number opens what a command has closed', async (t) => {
  const worker = await startSharded(t, { shards: 2 });
  await write(worker);
  const proxy = await failing(t, worker, (method) => method === 'PUT');
  assert.equal((await reshard(proxy, 2, 4, temporaryFolder())).code, 2);
  assert.equal((await worker.ask(['GET', 'key1']))[0], 409);
  assert.deepEqual((await reshard(worker.url, 2, 2, temporaryFolder())).errors, '');
  await check(worker);
});

test('what is no change is refused before anything is closed', async (t) => {
  const worker = await startSharded(t, { shards: 4, readOnlyToken: 'reader' });
  await write(worker);
  const folder = temporaryFolder();
  for (const [given, problem] of [
    [[worker.url, 0, 4, folder], /--from must be a number from 1 to 64, found 0/],
    [[worker.url, 4, 65, folder], /--to must be a number from 1 to 64, found 65/],
    [[worker.url, 4, 'x', folder], /--to must be a number/],
    [['localhost', 4, 8, folder], /expected one URL of a Worker/],
    [[worker.url, 4, 8, folder, { token: '' }], /KEYLATCH_TOKEN is needed/],
    [[worker.url, 4, 8, folder, { token: 'wrong' }], /shard 0: status 401/],
    [[worker.url, 4, 8, folder, { token: 'reader' }], /shard 0: status 401/],
    [[worker.url, 3, 8, folder], /shard 0: status 409: .*made with 4 shards, and the option shards is 3/],
  ]) {
    const { code, errors } = await reshard(...given);
    assert.deepEqual([code, problem.test(errors)], [2, true], errors);
  }
  await check(worker);
  const reader = await worker.ask(undefined, {
    path: '/reshard?shard=0&from=4&to=8',
    token: 'reader',
    options: { readOnlyToken: 'reader' },
  });
  assert.deepEqual(reader, [403, 'NOPERM this token may not copy the namespace']);
  for (const path of ['/reshard', '/reshard?shard=64&from=1&to=2', '/reshard?shard=0&from=1', '/reshard?shard=x'])
    assert.equal((await worker.ask(undefined, { path }))[0], 400, path);
  await check(worker);
});

test('a shard that was written since its copy is not replaced', async (t) => {
  const worker = await startSharded(t, { shards: 1 });
  await write(worker);
  await worker.send(undefined, { path: '/reshard?shard=0&from=1&to=2' });
  const path = '/reshard?shard=0&to=2&position=0';
  const [status, error] = await worker.ask(new Uint8Array(8), { path, method: 'PUT' });
  assert.equal(status, 409);
  assert.match(error, /^ERR the shard was copied at position 0 of its log, which ends at \d+: copy it again$/);
});

test('a copy that is none leaves the shard as it was', async (t) => {
  const worker = await startSharded(t, { shards: 1 });
  await write(worker);
  await worker.send(undefined, { path: '/reshard?shard=0&from=1&to=2' });
  const [status] = await worker.ask(new Uint8Array(8), { path: '/reshard?shard=0&to=2', method: 'PUT' });
  assert.equal(status, 503);
  assert.deepEqual((await reshard(worker.url, 1, 1, temporaryFolder())).errors, '');
  await check(worker);
});
