/** Limits of a namespace: their defaults, those of a class, and the errors that name them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { start, TOKEN } from './support/host.mjs';
import { connect, refused } from './support/sockets.mjs';

const MIB = 1024 * 1024;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function limited(t, limits, bindings = {}) {
  const all = { KEYLATCH_TOKEN: TOKEN, LIMITS: JSON.stringify(limits), ...bindings };
  return start(t, { bundle: 'configured', bindings: all });
}

async function until(isTrue) {
  for (const end = Date.now() + 30_000; Date.now() < end; await sleep(50)) if (await isTrue()) return;
  assert.fail('it did not happen in time');
}

const TOO_LONG = new RegExp(`^ERR argument 2 has more than the ${4 * MIB} bytes that a value may have$`);
const GROWN = /ERR string exceeds maximum allowed size/;

test('a value has 4 MiB, however it is made', async (t) => {
  const worker = await start(t, { bundle: 'scripting' });
  const { call, post } = worker;
  const largest = 'v'.repeat(4 * MIB);
  assert.equal(await call('SET', 'k', largest), 'OK');
  assert.equal(await call('STRLEN', 'k'), 4 * MIB);
  for (const [error, ...command] of [
    [TOO_LONG, 'SET', 'other', `${largest}v`],
    [TOO_LONG, 'SET', 'other', 'ü'.repeat(2 * MIB + 1)],
    [GROWN, 'APPEND', 'k', 'v'],
    [GROWN, 'SETRANGE', 'other', 100_000_000, 'x'],
    [/^ERR bit offset/, 'SETBIT', 'other', 4_000_000_000, 1],
    [/^ERR bit offset/, 'BITFIELD', 'other', 'SET', 'u8', 4_000_000_000, 1],
    [
      /string exceeds maximum allowed size/,
      'EVAL',
      "return redis.call('SETRANGE', KEYS[1], 100000000, 'x')",
      1,
      'other',
    ],
  ]) {
    const { status, json } = await post(command);
    assert.equal(status, 400, command[0]);
    assert.match(json.error, error);
  }
  assert.equal(await call('EXISTS', 'other'), 0);
  const peer = await connect(t, worker);
  peer.send(['SET', 'other', `${largest}v`], ['PING']);
  assert.match((await peer.reply()).slice(1).trimEnd(), TOO_LONG);
  assert.equal(await peer.reply(), '+PONG\r\n', 'the connection stays');
  assert.match(await peer.ask('SETRANGE', 'other', '100000000', 'x'), /^-ERR string exceeds/);
});

test('a class sets the longest value', async (t) => {
  const { call } = await limited(t, { valueBytes: MIB });
  assert.equal(await call('SET', 'k', 'v'.repeat(MIB)), 'OK');
  await assert.rejects(call('SET', 'k', 'v'.repeat(MIB + 1)), /more than the 1048576 bytes/);
  await assert.rejects(call('APPEND', 'k', 'v'), GROWN);
});

test('a request has 10,000 commands, or as many as a class says', async (t) => {
  const { post, call } = await start(t);
  const increments = (count) => Array.from({ length: count }, () => ['INCR', 'n']);
  for (const path of ['/pipeline', '/multi-exec']) {
    const { status, json } = await post(increments(10_001), { path });
    assert.deepEqual([status, json.error], [413, 'ERR a request has at most 10000 commands, found 10001']);
    assert.equal((await post(increments(10_000), { path })).status, 200);
  }
  assert.equal(await call('GET', 'n'), '20000');
  const few = await limited(t, { pipelineCommands: 2 });
  assert.equal((await few.post(increments(2), { path: '/pipeline' })).status, 200);
  assert.match((await few.post(increments(3), { path: '/pipeline' })).json.error, /at most 2 commands, found 3/);
});

test('beyond the clients that may wait, commands that may wait are refused', async (t) => {
  const worker = await limited(t, { waitingClients: 2 });
  const [first, second, third] = [await connect(t, worker), await connect(t, worker), await connect(t, worker)];
  first.send(['BLPOP', 'one', '0']);
  second.send(['BLPOP', 'two', '0']);
  await until(async () => /blocked_clients:2/.test(await third.ask('INFO', 'clients')));
  const refusal = "OVERLOADED 2 clients of this namespace wait already: 'blpop' has not run";
  assert.equal(await third.ask('BLPOP', 'three', '0'), `-${refusal}\r\n`);
  await assert.rejects(worker.call('BLPOP', 'three', 1), { message: refusal });
  assert.equal(await worker.call('RPUSH', 'one', 'x'), 1);
  assert.match(await first.reply(), /^\*2/);
  third.send(['BLPOP', 'three', '0']);
  await until(async () => /blocked_clients:2/.test(await first.ask('INFO', 'clients')));
  await worker.call('RPUSH', 'three', 'x');
  assert.match(await third.reply(), /^\*2/);
});

test('beyond its sockets a namespace accepts none', async (t) => {
  const worker = await limited(t, { sockets: 2 });
  const [first] = [await connect(t, worker), await connect(t, worker)];
  assert.deepEqual(await refused(worker), { status: 429, error: 'OVERLOADED this namespace has 2 sockets already' });
  await connect(t, worker, { path: '/namespace/other' });
  first.socket.close();
  await first.closed();
  await until(() =>
    connect(t, worker).then(
      () => true,
      () => false,
    ),
  );
});

test('memory is limited by the class, or by the variable, which comes before', async (t) => {
  const value = 'v'.repeat(600_000);
  const fill = async ({ call }) => {
    for (const key of ['a', 'b', 'c']) await call('SET', key, value);
  };
  await assert.rejects(fill(await limited(t, { memory: '1mb' })), /^Error: OOM/);
  await fill(await limited(t, { memory: '1mb' }, { KEYLATCH_MAXMEMORY: '10mb' }));
});

test('limits that are none let no object start', async (t) => {
  for (const limits of [
    { socket: 5 },
    { sockets: -1 },
    { sockets: 1.5 },
    { valueBytes: 1000 },
    { pipelineCommands: 0 },
  ]) {
    const { post } = await limited(t, limits);
    assert.equal((await post(['PING'])).status, 503, JSON.stringify(limits));
  }
});
