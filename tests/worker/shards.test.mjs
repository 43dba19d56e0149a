/** Namespaces of several shards over REST: where commands run, what is refused, and what runs on all of them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { matches, recordings } from '../js/support/recordings.mjs';
import { serveRedis } from '../clients/support/redis.mjs';
import { copyOf, engineOf, repliesOf } from './support/copies.mjs';
import { firstSlot, keyOn, keysOnAll, SHARDS, shardOf, slotOf, startSharded } from './support/sharded.mjs';
import { replyEnd } from './support/sockets.mjs';

const CROSSSLOT = "CROSSSLOT Keys in request don't hash to the same slot";
const NO_FAN_OUT = { options: { fanOut: false } };

test('CLUSTER KEYSLOT is that of Redis, with the part in braces', async (t) => {
  const { pipeline, ask } = await startSharded(t);
  const redis = await serveRedis(t, '--cluster-enabled', 'yes');
  const keys = ['', 'a', 'foo', '123456789', '{a}b', 'x{a}y{b}', '{}a', '{', 'a{b', 'a}{b}', '{{a}}', 'ключ', 'k\0'];
  for (let index = 0; index < 300; index += 1) keys.push(`key:${index}:{${index * 7919}}`.slice(index % 9));
  const commands = keys.map((key) => ['CLUSTER', 'KEYSLOT', key]);
  const expected = (await repliesOf(redis, commands)).split('\r\n').map((line) => Number(line.slice(1)));
  const slots = (await pipeline(commands)).map(({ result }) => result);
  assert.deepEqual(slots, expected.slice(0, -1));
  assert.deepEqual(await ask(['cluster', 'keyslot', 'foo']), [200, 12182]);
});

test('each key is on the object of its slot, and on no other', async (t) => {
  const { ask, post } = await startSharded(t);
  for (const [index, key] of keysOnAll('k').entries()) {
    assert.deepEqual(await ask(['SET', key, index], { path: '/namespace/n' }), [200, 'OK']);
    assert.deepEqual(await ask(undefined, { path: `/namespace/n/get/${key}`, method: 'GET' }), [200, String(index)]);
  }
  for (let index = 0; index < SHARDS; index += 1) {
    const object = encodeURIComponent(index === 0 ? 'n' : `n\0${index}`);
    const rows = await post('SELECT * FROM keylatch_shards', { path: `/sql?object=${object}` });
    const expected = {
      shard: index,
      shards: SHARDS,
      first_slot: firstSlot(index),
      last_slot: firstSlot(index + 1) - 1,
      closed_for: null,
    };
    assert.deepEqual(rows.json.result, [expected]);
    assert.equal((await ask(['DBSIZE'], { path: '/namespace/n' }))[1], SHARDS);
  }
});

test('a pipeline is divided by shards, and answered in its order', async (t) => {
  const { pipeline, ask, send, headersOf } = await startSharded(t);
  const keys = Array.from({ length: 60 }, (_, index) => `key${index}`);
  const set = await pipeline(keys.map((key, index) => ['SET', key, index]));
  assert.deepEqual(
    set,
    keys.map(() => ({ result: 'OK' })),
  );
  const commands = keys.flatMap((key) => [['INCR', key], ['GET', key], ['LPUSH', key, 1], ['PING'], ['ECHO', key]]);
  const answers = await pipeline(commands);
  for (const [index, key] of keys.entries()) {
    const own = answers.slice(index * 5, index * 5 + 5);
    const wrongType = { error: 'WRONGTYPE Operation against a key holding the wrong kind of value' };
    const expected = [{ result: index + 1 }, { result: String(index + 1) }, wrongType];
    assert.deepEqual(own, [...expected, { result: 'PONG' }, { result: key }]);
  }
  const inBase64 = await pipeline(
    [
      ['GET', 'key0'],
      ['GET', 'key1'],
      ['GET', 'none'],
    ],
    {
      headers: { ...headersOf(), 'upstash-encoding': 'base64' },
    },
  );
  assert.deepEqual(inBase64, [{ result: 'MQ==' }, { result: 'Mg==' }, { result: null }]);
  for (const [format, nothing] of [
    ['resp2', '$-1'],
    ['resp3', '_'],
  ]) {
    const headers = { ...headersOf(), 'upstash-response-format': format };
    const response = await send(
      [
        ['GET', 'key0'],
        ['MGET', 'key1', 'no'],
        ['GET', 'no'],
      ],
      { path: '/pipeline', headers },
    );
    assert.equal(await response.text(), `$1\r\n1\r\n*2\r\n$1\r\n2\r\n${nothing}\r\n${nothing}\r\n`);
  }
  assert.deepEqual(await ask({}, { path: '/pipeline' }), [
    400,
    'ERR a pipeline is a JSON array of commands, which are arrays',
  ]);
});

test('keys of several slots are CROSSSLOT, though they be on one shard', async (t) => {
  const { ask, pipeline } = await startSharded(t, {}, { bundle: 'configured' });
  const [one, other] = [keyOn(3, 'a'), keyOn(3, 'b')];
  assert.notEqual(slotOf(one), slotOf(other));
  for (const command of [
    ['MSET', one, 1, other, 2],
    ['RENAME', one, other],
    ['SINTERSTORE', one, other],
    ['LMOVE', one, other, 'LEFT', 'LEFT'],
    ['EVAL', 'return 1', 2, one, other],
    ['BLPOP', one, other, 1],
    ['SORT', one, 'STORE', other],
  ]) {
    assert.deepEqual(await ask(command), [400, CROSSSLOT], command[0]);
    const answers = await pipeline([['SET', one, 1], command, ['GET', one]]);
    assert.deepEqual(answers, [{ result: 'OK' }, { error: CROSSSLOT }, { result: '1' }]);
    assert.deepEqual(await ask([['SET', one, 2], command], { path: '/multi-exec' }), [400, CROSSSLOT]);
  }
  const transaction = [
    ['SET', one, 2],
    ['SET', other, 2],
  ];
  assert.deepEqual(await ask(transaction, { path: '/multi-exec' }), [400, CROSSSLOT]);
  assert.deepEqual(await ask(['GET', one]), [200, '1']);
  assert.deepEqual(await ask(['MSET', `{${one}}x`, 1, `{${one}}y`, 2]), [200, 'OK']);
  const inOneSlot = [['INCR', `{${one}}x`], ['PING'], ['INCRBY', `{${one}}y`, 3]];
  assert.deepEqual(await ask(inOneSlot, { path: '/multi-exec' }), [
    200,
    [{ result: 2 }, { result: 'PONG' }, { result: 5 }],
  ]);
});

test('commands over slots run on all shards, if the option says so', async (t) => {
  const { ask, pipeline } = await startSharded(t);
  const keys = Array.from({ length: 100 }, (_, index) => `key${index}`);
  await pipeline(keys.map((key, index) => ['SET', key, index]));
  assert.deepEqual(await ask(['DBSIZE']), [200, 100]);
  assert.deepEqual((await ask(['KEYS', 'key*']))[1].sort(), [...keys].sort());
  assert.deepEqual(await ask(['MGET', ...keys, 'none']), [200, [...keys.map((_, index) => String(index)), null]]);
  assert.deepEqual(await ask(['EXISTS', ...keys, 'none', keys[0]]), [200, 101]);
  assert.deepEqual(await ask(['TOUCH', ...keys]), [200, 100]);
  const drawn = new Set();
  while (drawn.size < 3) drawn.add(shardOf((await ask(['RANDOMKEY']))[1]));
  assert.deepEqual(await ask(['UNLINK', ...keys.slice(0, 40), 'none']), [200, 40]);
  assert.deepEqual(await ask(['DEL', ...keys.slice(30, 50)]), [200, 10]);
  assert.deepEqual(await pipeline([['DBSIZE'], ['FLUSHALL'], ['DBSIZE'], ['RANDOMKEY']]), [
    { result: 50 },
    { result: 'OK' },
    { result: 0 },
    { result: null },
  ]);
  assert.match((await ask(['KEYS']))[1], /^ERR wrong number of arguments for 'keys'/);
});

test('SCAN walks over all shards: its cursor carries the shard', async (t) => {
  const { ask, pipeline } = await startSharded(t);
  const keys = Array.from({ length: 500 }, (_, index) => `key${index}`);
  await pipeline(keys.map((key) => ['SET', key, 1]));
  for (const count of [1, 10, 1000]) {
    const found = [];
    let [cursor, pages] = ['0', 0];
    do {
      const [, [next, page]] = await ask(['SCAN', cursor, 'COUNT', count * 20]);
      found.push(...page);
      cursor = next;
      pages += 1;
    } while (cursor !== '0');
    assert.deepEqual([...new Set(found)].sort(), [...keys].sort());
    assert.ok(pages >= SHARDS);
  }
  for (const cursor of ['x', '-1', '']) assert.deepEqual(await ask(['SCAN', cursor]), [400, 'ERR invalid cursor']);
});

test('without fanOut they are refused, and the error names it', async (t) => {
  const { ask, pipeline } = await startSharded(t);
  for (const command of [
    ['DBSIZE'],
    ['SCAN', 0],
    ['KEYS', '*'],
    ['FLUSHALL'],
    ['FLUSHDB'],
    ['RANDOMKEY'],
    ['SCRIPT', 'LOAD', 'return 1'],
  ]) {
    const message = new RegExp(
      `^ERR ${command[0]} is about all shards of the namespace; the option fanOut of keylatchFetch`,
    );
    const [status, error] = await ask(command, NO_FAN_OUT);
    assert.equal(status, 400);
    assert.match(error, message);
    assert.match((await pipeline([command], NO_FAN_OUT))[0].error, message);
  }
  for (const name of ['MGET', 'DEL', 'UNLINK', 'EXISTS', 'TOUCH']) {
    const [status, error] = await ask([name, 'a', 'b'], NO_FAN_OUT);
    assert.equal(status, 400);
    assert.ok(error.startsWith(CROSSSLOT) && error.includes(`the option fanOut of keylatchFetch runs ${name}`), error);
    assert.equal((await ask([name, '{a}1', '{a}2'], NO_FAN_OUT))[0], 200);
  }
  for (const body of [[['DBSIZE']], [['MGET', 'a', 'b']], [['SCAN', 0]], [['CLUSTER', 'KEYSLOT', 'a']]])
    assert.equal((await ask(body, { path: '/multi-exec' }))[0], 400);
});

test('messages go by the slot of their channel, and events of keys by a shard that is named', async (t) => {
  const { ask, send, headersOf } = await startSharded(t);
  for (const channel of keysOnAll('channel')) {
    const response = await send(undefined, { path: `/subscribe/${channel}`, method: 'GET', headers: headersOf() });
    const reader = response.body.getReader();
    await reader.read();
    assert.deepEqual(await ask(['PUBLISH', channel, 'hello']), [200, 1]);
    let text = '';
    while (!text.includes('hello')) text += Buffer.from((await reader.read()).value);
    assert.match(text, new RegExp(`message,${channel},hello`));
    await reader.cancel();
  }
  for (const path of [
    '/psubscribe/a*',
    '/monitor',
    '/metrics',
    '/snapshot',
    '/effects?from=0',
    '/subscribe/__keyevent@0__:set',
  ]) {
    const of = (parameter) => send(undefined, { path: path + parameter, method: 'GET', headers: headersOf() });
    const mark = path.includes('?') ? '&' : '?';
    for (const wrong of ['', `${mark}shard=8`, `${mark}shard=x`, `${mark}shard=-1`, `${mark}shard=`]) {
      const refused = await of(wrong);
      assert.equal(refused.status, 400);
      assert.match((await refused.json()).error, /is about one shard of 8: name it by \?shard=0 to \?shard=7$/);
    }
    const { status, body } = await of(`${mark}shard=7`);
    assert.equal(status, 200, path);
    await body.cancel();
  }
});

test('one snapshot is of one shard', async (t) => {
  const worker = await startSharded(t);
  const keys = keysOnAll('k');
  await worker.pipeline(keys.map((key) => ['SET', key, 'v']));
  for (const [index, key] of keys.entries()) {
    const { bytes } = await copyOf(worker, `/snapshot?shard=${index}`, { headers: worker.headersOf() });
    assert.deepEqual(engineOf(bytes).keys('*'), [key]);
    const effects = await copyOf(worker, `/effects?from=0&shard=${index}`, { headers: worker.headersOf() });
    assert.ok(effects.bytes.includes(key));
  }
});

test('a request with an id has one effect on each shard, however often it is sent', async (t) => {
  const { pipeline, headersOf } = await startSharded(t);
  const commands = keysOnAll('n').map((key) => ['INCR', key]);
  const headers = { ...headersOf(), 'keylatch-request-id': 'once' };
  for (let round = 0; round < 3; round += 1) {
    const answers = await pipeline(commands, { headers });
    assert.deepEqual(
      answers,
      commands.map(() => ({ result: 1 })),
    );
  }
});

test('commands that wait do so on their shard', async (t) => {
  const { ask, pipeline } = await startSharded(t);
  const [list, other] = [keyOn(2, 'l'), keyOn(5, 'o')];
  const waiting = pipeline([
    ['BLPOP', list, 20],
    ['SET', other, 'v'],
  ]);
  while ((await ask(['GET', other]))[1] !== 'v');
  await ask(['RPUSH', list, 'x']);
  assert.deepEqual(await waiting, [{ result: [list, 'x'] }, { result: 'OK' }]);
});

test('recorded sessions give the recorded replies with 1 and with 8 shards', async (t) => {
  const worker = await startSharded(t);
  const files = ['string', 'counter', 'list', 'hash', 'set', 'zset', 'generic', 'expire'];
  const leftOut =
    /^(config|debug|client|object|b[lrz].*|acl|latency|slowlog|wait.*|select|multi|exec|watch|hello|swapdb|move|copy)$/i;
  const isAscii = (word) => word.every((byte) => byte < 0x80);
  const isRun = ({ steps }) =>
    steps.every(
      ({ argv, connection }) =>
        connection === steps[0].connection && !leftOut.test(String(argv[0])) && argv.every(isAscii),
    );
  const repliesWith = async (shards, { steps }) => {
    const headers = { ...worker.headersOf({ shards, namespace: `of ${shards}` }), 'upstash-response-format': 'resp2' };
    const commands = [
      ['FLUSHALL'],
      ...steps.map(({ argv }) => argv.map((word) => Buffer.from(word).toString('latin1'))),
    ];
    const response = await worker.send(commands, { path: '/pipeline', headers });
    const bytes = Buffer.from(await response.arrayBuffer());
    const replies = [];
    for (let at = 0; at < bytes.length; at = replyEnd(bytes, at)) replies.push(bytes.subarray(at, replyEnd(bytes, at)));
    return replies.slice(1);
  };
  let [count, commands] = [0, 0];
  for (const { sessions } of recordings().filter(({ name }) => files.includes(name))) {
    for (const session of sessions.filter(isRun)) {
      const sharded = await repliesWith(SHARDS, session);
      if (sharded.some((reply) => String(reply).startsWith('-CROSSSLOT'))) continue;
      const whole = await repliesWith(1, session);
      for (const [index, step] of session.steps.entries()) {
        assert.ok(matches(step, whole[index]), `${session.id}: 1 shard: ${whole[index]}`);
        assert.ok(matches(step, sharded[index]), `${session.id}: ${SHARDS} shards: ${sharded[index]}`);
      }
      count += 1;
      commands += session.steps.length;
    }
  }
  t.diagnostic(`${count} sessions, ${commands} commands`);
  assert.ok(count >= 100, `${count} sessions have run`);
});
