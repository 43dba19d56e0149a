/** Copies of a namespace: snapshots and effects, and the way to a redis-server without a gap. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { copyOf, engineOf, pipeInto, redisWithLog, redisWithSnapshot, repliesOf } from './support/copies.mjs';
import { start } from './support/host.mjs';

const LATER = 4102444800123;
const long = 'x'.repeat(20_000);
const members = Array.from({ length: 300 }, (_, index) => [`m${index}`, index * 1.25]);

/** Values of all types, in both encodings. */
const BEFORE = [
  ['SET', 'text', 'a\r\nb\u{1f511}'],
  ['SET', 'number', '9223372036854775807'],
  ['SET', 'timed', 'v', 'PXAT', LATER],
  ['SET', 'long', long],
  ['SETBIT', 'bits', 70, 1],
  ['RPUSH', 'list', 'a', 1, -70000],
  ['RPUSH', 'longlist', ...members.map(([name]) => name), long],
  ['SADD', 'numbers', 1, -3, 70000],
  ['SADD', 'set', ...members.map(([name]) => name)],
  ['HSET', 'hash', 'f', 1, 'g', 'two'],
  ['HSET', 'longhash', ...members.flat()],
  ['ZADD', 'zset', 1.5, 'a', '-inf', 'b'],
  ['ZADD', 'longzset', ...members.flatMap(([name, score]) => [score, name])],
  ['PFADD', 'visitors', 'a', 'b'],
  ['SET', 'deleted', 1],
  ['SET', 'untimed', 1, 'PXAT', LATER],
];

const AFTER = [
  ['APPEND', 'text', '+'],
  ['RPUSH', 'list', 'last'],
  ['HDEL', 'hash', 'f'],
  ['ZINCRBY', 'zset', 2, 'a'],
  ['DEL', 'deleted'],
  ['PERSIST', 'untimed'],
  ['PEXPIREAT', 'list', LATER],
  ['RENAME', 'numbers', 'renamed'],
  ['SET', 'new\u0000key', 'n', 'PXAT', LATER],
  ['INCRBYFLOAT', 'float', '0.1'],
];

const KEYS = [...BEFORE, ...AFTER].map(([, key]) => key).concat('renamed');
const READS = [
  ['DBSIZE'],
  ...['text', 'number', 'timed', 'long', 'bits', 'untimed', 'float', 'new\u0000key'].map((key) => ['GET', key]),
  ...['list', 'longlist'].map((key) => ['LRANGE', key, 0, -1]),
  ...['renamed', 'set'].map((key) => ['SORT', key, 'ALPHA']),
  ...['hash', 'longhash'].map((key) => ['HLEN', key]),
  ['HMGET', 'hash', 'f', 'g'],
  ['HMGET', 'longhash', ...members.map(([name]) => name)],
  ...['zset', 'longzset'].map((key) => ['ZRANGE', key, 0, -1, 'WITHSCORES']),
  ['PFCOUNT', 'visitors'],
  ...KEYS.flatMap((key) => [
    ['TYPE', key],
    ['PEXPIRETIME', key],
  ]),
];

/** Replies of the namespace, as a server sends them. */
async function ownReplies({ send }) {
  const headers = { 'upstash-response-format': 'resp2' };
  const response = await send(READS, { path: '/pipeline', headers });
  return Buffer.from(await response.arrayBuffer()).toString('latin1');
}

async function run({ post }, commands) {
  const { json } = await post(commands, { path: '/pipeline' });
  for (const [index, answer] of json.entries()) assert.equal(answer.error, undefined, commands[index].join(' '));
}

test('a namespace moves into a redis-server: its snapshot, then the effects since', async (t) => {
  const worker = await start(t);
  await run(worker, BEFORE);
  const snapshot = await copyOf(worker, '/snapshot');
  assert.equal(snapshot.headers.get('content-disposition'), 'attachment; filename="dump.rdb"');
  await run(worker, AFTER);
  const effects = await copyOf(worker, `/effects?from=${snapshot.position}`);
  assert.equal(effects.headers.get('content-disposition'), 'attachment; filename="appendonly.aof"');
  const expected = await ownReplies(worker);

  const piped = await redisWithSnapshot(t, snapshot.bytes);
  assert.notEqual(await repliesOf(piped, READS), expected);
  const requests = await copyOf(worker, `/effects?format=resp&from=${snapshot.position}`);
  assert.match(await pipeInto(piped, requests.bytes), /^errors: 0, replies: /);
  assert.equal(await repliesOf(piped, READS), expected);

  const logged = await redisWithLog(t, snapshot.bytes, effects.bytes);
  assert.equal(await repliesOf(logged, READS), expected);
});

test('effects go on from the position of those before, until there are none', async (t) => {
  const worker = await start(t);
  const copies = [];
  for (let from = 0, round = 0; round < 3; round += 1) {
    await run(worker, [['RPUSH', 'l', round]]);
    const copy = await copyOf(worker, `/effects?from=${from}`);
    copies.push(copy.bytes);
    from = copy.position;
    assert.equal((await copyOf(worker, `/effects?from=${from}`)).bytes.length, 0);
  }
  const db = engineOf((await copyOf(await start(t), '/snapshot')).bytes, Buffer.concat(copies));
  assert.deepEqual(db.lrange('l', 0, -1), ['0', '1', '2']);
});

test('between a snapshot and its effects nothing is missing, and nothing twice, while others write', async (t) => {
  const worker = await start(t);
  for (let round = 0; round < 10; round += 1) {
    const writes = Array.from({ length: 40 }, (_, index) => worker.call('RPUSH', 'l', `${round}.${index}`));
    const snapshot = await copyOf(worker, '/snapshot');
    await Promise.all(writes);
    const effects = await copyOf(worker, `/effects?from=${snapshot.position}`);
    const copied = engineOf(snapshot.bytes, effects.bytes).lrange('l', 0, -1);
    assert.deepEqual(copied, await worker.call('LRANGE', 'l', 0, -1));
  }
});

test('large copies are whole, and effects of many rows', async (t) => {
  const worker = await start(t);
  const value = 'y'.repeat(1_500_000);
  await run(worker, [['SET', 'large', value]]);
  const snapshot = await copyOf(worker, '/snapshot');
  await run(worker, [['SET', 'second', value]]);
  for (let index = 0; index < 30; index += 1) await worker.call('SET', `k${index}`, index);
  for (const format of ['aof', 'resp']) {
    const effects = await copyOf(worker, `/effects?from=${snapshot.position}&format=${format}`);
    const db = engineOf(snapshot.bytes, effects.bytes);
    assert.deepEqual([db.get('large'), db.get('second'), db.get('k29'), db.dbsize()], [value, value, '29', 32]);
  }
});

test('effects that a snapshot has replaced are gone, and so are those of the future', async (t) => {
  const worker = await start(t);
  await worker.call('SET', 'k', 'v');
  const ask = async (from) => (await worker.post(undefined, { path: `/effects?from=${from}`, method: 'GET' })).json;
  for (let round = 0; round < 12; round += 1) await worker.call('SET', 'blob', String(round).padEnd(50_000, '.'));
  for (const from of [0, 1, 14, 10 ** 9]) {
    const { status, json } = await worker.post(undefined, { path: `/effects?from=${from}`, method: 'GET' });
    assert.deepEqual([from, status], [from, 410]);
    assert.match(json.error, /^ERR the log does not have the effects since position \d+: begin with \/snapshot$/);
  }
  const snapshot = await copyOf(worker, '/snapshot');
  assert.equal((await copyOf(worker, `/effects?from=${snapshot.position}`)).bytes.length, 0);
  for (const from of ['', 'x', '-1', '1.5', '1e3', '99999999999999999999'])
    assert.match((await ask(from)).error, /^ERR effects are asked for from a position/, from);
  assert.match((await ask('0&format=json')).error, /^ERR unknown format 'json'/);
});

test('only a full token copies a namespace, with GET', async (t) => {
  const bindings = { KEYLATCH_TOKEN: 'full', KEYLATCH_READ_ONLY_TOKEN: 'reader' };
  const { post } = await start(t, { bindings });
  for (const path of ['/snapshot', '/effects?from=0', '/namespace/other/snapshot', '/SNAPSHOT/']) {
    const statusOf = async (token, method) => (await post(undefined, { path, method, token })).status;
    assert.equal(await statusOf('reader', 'GET'), 403, path);
    assert.equal(await statusOf('wrong', 'GET'), 401);
    assert.equal(await statusOf(null, 'GET'), 401);
    assert.equal(await statusOf('full', 'POST'), 405);
  }
});

test('a page of a listed origin may read the position', async (t) => {
  const worker = await start(t, { bundle: 'configured' });
  const headers = { origin: 'https://a.example', 'x-options': JSON.stringify({ origins: ['https://a.example'] }) };
  const snapshot = await copyOf(worker, '/snapshot', { headers });
  assert.equal(snapshot.headers.get('access-control-expose-headers'), 'upstash-sync-token, keylatch-position');
});
