/** Signed tokens of programs at another place: keylatch/remote over WebSockets, and `keylatch connect`. */

import assert from 'node:assert/strict';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

import WebSocket from 'ws';

import { bridge, connectPrints, redisCliPrints } from './support/bridge.mjs';
import { start } from './support/host.mjs';

const root = resolve(fileURLToPath(import.meta.url), '../../..');
const folder = resolve(process.env.KEYLATCH_PACKAGE ?? join(root, 'target/npm/keylatch'));
const entry = (name) => import(pathToFileURL(join(folder, 'esm', `${name}.js`)).href);
const { AccessRefused, connect } = await entry('remote');
const { signToken } = await entry('upstash');

const TOKEN = 'full token';
const SECRET = 'one secret of 32 bytes or of more';
const LIMIT_MS = 60_000;
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/** A token that ends after so many seconds. */
const signed = (seconds, claims = { write: true }) =>
  signToken({ exp: Math.floor(Date.now() / 1000) + seconds, ...claims }, { keyId: 'k1', secret: SECRET });

async function until(isTrue, what) {
  for (const end = Date.now() + LIMIT_MS; Date.now() < end; await sleep(20)) if (await isTrue()) return;
  assert.fail(`${what} did not come about`);
}

async function started(t) {
  const bindings = { OPTIONS: JSON.stringify({ token: TOKEN, secrets: { k1: SECRET } }) };
  const worker = await start(t, { bundle: 'sleeping', bindings });
  return { ...worker, call: async (...command) => (await worker.post(command, { token: TOKEN })).json.result };
}

function connected(t, { url }, options) {
  const db = connect(url, { WebSocket, retryMs: LIMIT_MS, ...options });
  t.after(() => db.close());
  return db;
}

test('a token for keys has their methods, waits, messages and cache, and no others', async (t) => {
  const worker = await started(t);
  const claims = { write: true, keys: ['mine:*'], channels: ['news'] };
  for (const cache of [undefined, { maxEntries: 10 }]) {
    const db = connected(t, worker, { token: await signed(3600, claims), cache });
    assert.equal(await db.set('mine:k', 'v'), 'OK');
    assert.deepEqual([await db.get('mine:k'), await db.get('mine:k')], ['v', 'v']);
    assert.deepEqual(await db.multi().incr('mine:n').del('mine:n').exec(), [1, 1]);
    await assert.rejects(db.get('other'), { name: 'ReplyError', code: 'NOPERM' });
    await assert.rejects(db.flushall(), { code: 'NOPERM' });
    const popped = db.blpop('mine:q', 0);
    await db.rpush('mine:q', 'x');
    assert.deepEqual(await popped, ['mine:q', 'x']);
    const got = [];
    await db.subscribe('news', (message) => got.push(message));
    await worker.call('PUBLISH', 'news', 'hello');
    await until(() => got.length === 1, 'the message');
    await assert.rejects(
      db.subscribe('other', () => {}),
      { code: 'NOPERM' },
    );
    await worker.call('SET', 'mine:k', 'changed');
    await until(async () => (await db.get('mine:k')) === 'changed', 'the change');
  }
});

test('a function brings the next token when one has ended; with a fixed one calls are refused', async (t) => {
  const worker = await started(t);
  let tokens = 0;
  const db = connected(t, worker, {
    token: () => {
      tokens += 1;
      return signed(2);
    },
  });
  const fixed = connected(t, worker, { token: await signed(5) });
  const got = [];
  await db.subscribe('news', (message) => got.push(message));
  await fixed.set('k', 'v');
  await until(() => tokens >= 2, 'the next token');
  await until(async () => (await worker.call('PUBLISH', 'news', 'hello')) === 1, 'the subscription');
  await until(() => got.includes('hello'), 'the message');
  assert.equal(await db.get('k'), 'v');
  await until(
    () =>
      fixed.get('k').then(
        () => false,
        (error) => error instanceof AccessRefused && /expired/.test(error.message),
      ),
    'the refusal',
  );
});

test('keylatch connect says that the token has ended; a bridge disconnects its clients', async (t) => {
  const worker = await started(t);
  const { code, errors } = await connectPrints(worker.url, { token: await signed(6), input: 'SUBSCRIBE news\n' });
  assert.equal(code, 1);
  assert.match(
    errors,
    /^the subscriptions have ended: the token has ended \(the token has expired\): set the variable/,
  );
  const { port } = await bridge(t, worker.url, { token: await signed(8) });
  assert.equal(await redisCliPrints(port, ['SET', 'k', 'v']), 'OK\n');
  assert.match(await redisCliPrints(port, ['BLPOP', 'q', '0']), /Server closed the connection|Error/);
  assert.match(await redisCliPrints(port, ['GET', 'k']), /refuses the token \(WRONGPASS the token has expired\)/);
});
