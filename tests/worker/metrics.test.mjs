/** Observability: metrics for Prometheus, and a line of JSON for each failure. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { template } from './support/build.mjs';
import { start, storageFolder, TOKEN } from './support/host.mjs';
import { connect } from './support/sockets.mjs';

const { signToken } = await import(pathToFileURL(`${template}/node_modules/keylatch/esm/upstash.js`).href);

const SECRET = 'one secret of 32 bytes or of more';
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function until(isTrue) {
  for (const end = Date.now() + 30_000; Date.now() < end; await sleep(50)) if (await isTrue()) return;
  assert.fail('it did not happen in time');
}

/** The metrics of a namespace by their names; each has a help and a type in front. */
async function metricsOf(worker, path = '/metrics') {
  const response = await worker.send(undefined, { path, method: 'GET' });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  const text = await response.text();
  const found = {};
  for (const [whole, name, type, sameName, value] of text.matchAll(
    /# HELP (keylatch_\w+) [^\n]+\.\n# TYPE \1 (\w+)\n(keylatch_\w+) (\S+)\n/g,
  )) {
    assert.equal(sameName, name, whole);
    assert.equal(type, name.endsWith('_total') ? 'counter' : 'gauge', whole);
    found[name.slice('keylatch_'.length)] = Number(value);
  }
  const lines = text.split('\n');
  assert.equal(Object.keys(found).length * 3 + 1, lines.length, 'nothing else is there');
  assert.equal(lines.at(-1), '');
  return found;
}

test('metrics count what a namespace has and did', async (t) => {
  const folder = await storageFolder(t);
  const worker = await start(t, { folder });
  await worker.call('MSET', 'a', '1', 'b', '2');
  await worker.call('SET', 'brief', 'v', 'PX', 1);
  await worker.post(['LPUSH', 'a', 'x']);
  await until(async () => (await worker.call('EXISTS', 'brief')) === 0);
  const peer = await connect(t, worker);
  peer.send(['BLPOP', 'q', '0']);
  await until(async () => (await metricsOf(worker)).blocked_clients === 1);
  const metrics = await metricsOf(worker);
  const { commands_processed_total, memory_used_bytes, recovery_seconds, turn_waits_total, connected_clients } =
    metrics;
  assert.ok(commands_processed_total >= 5, `${commands_processed_total}`);
  assert.ok(memory_used_bytes > 0 && memory_used_bytes < metrics.memory_max_bytes);
  assert.ok(recovery_seconds >= 0 && recovery_seconds < 60, `${recovery_seconds}`);
  assert.ok(turn_waits_total >= 0 && connected_clients >= 1);
  const { error_replies_total, expired_keys_total, evicted_keys_total, keys, sockets } = metrics;
  assert.deepEqual(
    { error_replies_total, expired_keys_total, evicted_keys_total, keys, sockets },
    { error_replies_total: 1, expired_keys_total: 1, evicted_keys_total: 0, keys: 2, sockets: 1 },
  );
  assert.equal(metrics.memory_max_bytes, 20 * 1024 * 1024);
  assert.ok(metrics.log_rows >= 2 && metrics.log_bytes > 50);
  await Promise.all(Array.from({ length: 200 }, () => worker.call('INCR', 'n')));
  assert.ok((await metricsOf(worker)).turn_waits_total > turn_waits_total);
  await worker.stop();
  const again = await start(t, { folder });
  const after = await metricsOf(again);
  assert.equal(after.keys, 3);
  assert.ok(after.log_rows >= metrics.log_rows, 'rows are those of the storage');
  assert.equal(after.error_replies_total, 0, 'counters begin with the engine');
});

test('metrics are for full tokens, and those of a shard are asked for by its number', async (t) => {
  const options = { readOnlyToken: 'reader', secrets: { k1: SECRET }, shards: 2 };
  const bindings = { KEYLATCH_TOKEN: TOKEN, OPTIONS: JSON.stringify(options) };
  const worker = await start(t, { bundle: 'configured', bindings });
  const exp = Math.floor(Date.now() / 1000) + 3600;
  const limited = await signToken({ exp, write: true, keys: ['*'] }, { keyId: 'k1', secret: SECRET });
  const status = async (token, method = 'GET') =>
    (await worker.send(undefined, { path: '/metrics?shard=1', method, token })).status;
  for (const [token, expected] of [
    [null, 401],
    ['wrong', 401],
    ['reader', 403],
    [limited, 403],
    [TOKEN, 200],
  ])
    assert.equal(await status(token), expected, token);
  assert.equal(await status(TOKEN, 'POST'), 405);
  assert.equal((await worker.send(undefined, { path: '/metrics', method: 'GET' })).status, 400);
  await worker.call('SET', 'foo', 'in the second half of the slots');
  assert.equal((await metricsOf(worker, '/metrics?shard=1')).keys, 1);
  assert.equal((await metricsOf(worker, '/metrics?shard=0')).keys, 0);
});

test('a failure is one line of JSON, without keys, values and tokens', async (t) => {
  const worker = await start(t, { bundle: 'faulty', logs: true });
  await worker.call('SET', 'a key', 'a value');
  for (const kind of ['write', 'trap']) {
    await worker.post('', { path: `/fault?kind=${kind}` });
    assert.equal((await worker.post(['SET', 'a key', 'another value'])).status, 503);
  }
  await until(() => worker.logged().length >= 4);
  const [restart, answer] = worker.logged();
  const { cause: why, ...rest } = restart;
  assert.deepEqual(rest, { level: 'error', event: 'object-restarts', namespace: 'default' });
  assert.match(why, /database or disk is full/);
  assert.deepEqual([answer.event, answer.namespace], ['no-answer', 'default']);
  assert.match(worker.logged()[2].cause, /unreachable/);
  for (const line of worker.lines) assert.doesNotMatch(line, new RegExp(`a key|value|${TOKEN}`));
});
