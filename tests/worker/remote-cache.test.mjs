/** The client-side cache of keylatch/remote with a real object: its changes, its sleep, its end. */

import assert from 'node:assert/strict';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

import WebSocket from 'ws';

import { start, storageFolder, TOKEN } from './support/host.mjs';

const root = resolve(fileURLToPath(import.meta.url), '../../..');
const folder = resolve(process.env.KEYLATCH_PACKAGE ?? join(root, 'target/npm/keylatch'));
const { connect } = await import(pathToFileURL(join(folder, 'esm/remote.js')).href);

const LIMIT_MS = 60_000;
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

async function until(isTrue, what) {
  for (const end = Date.now() + LIMIT_MS; Date.now() < end; await sleep(20)) if (await isTrue()) return;
  assert.fail(`${what} did not come about`);
}

function cached(t, { url }, options = {}) {
  const db = connect(url, { token: TOKEN, WebSocket, cache: { maxEntries: 100 }, ...options });
  t.after(() => db.close());
  return db;
}

/** Number of GETs that the object has run. */
const gets = async (worker) =>
  Number(/cmdstat_get:calls=(\d+)/.exec(await worker.call('INFO', 'commandstats'))?.[1] ?? 0);

test('kept replies need no object; changes, expiry and own writes end them', async (t) => {
  const worker = await start(t);
  const db = cached(t, worker);
  await worker.call('SET', 'k', 'one');
  for (let round = 0; round < 10; round += 1) assert.equal(await db.get('k'), 'one');
  assert.equal(await gets(worker), 1);
  await worker.call('SET', 'k', 'two', 'PX', 300);
  await until(async () => (await db.get('k')) === 'two', 'the change');
  await until(async () => (await db.get('k')) === null, 'the end of the time to live');
  const other = db.client();
  for (let n = 1; n <= 100; n += 1) {
    await (n % 2 ? db : other).set('k', n);
    assert.equal(await db.get('k'), String(n));
  }
  await worker.call('FLUSHALL');
  await until(async () => (await db.get('k')) === null, 'the empty database');
});

test('nothing that was kept is used after the sleep of the object, or its end', async (t) => {
  const storage = await storageFolder(t);
  const worker = await start(t, { bundle: 'sleeping', folder: storage });
  const db = cached(t, worker, { retryMs: LIMIT_MS });
  await worker.call('SET', 'k', 'one');
  assert.equal(await db.get('k'), 'one');
  await worker.send(undefined, { path: '/evict', method: 'POST' });
  assert.equal(await db.get('k'), 'one', 'kept, and the object sleeps on');
  const constructed = async () =>
    (await (await worker.send(undefined, { path: '/constructed', method: 'GET' })).json()).result;
  assert.equal(await constructed(), 1);
  await worker.call('SET', 'k', 'two');
  await until(async () => (await db.get('k')) === 'two', 'the change of an object that was woken');
  await worker.call('SET', 'k', 'three');
  await until(async () => (await db.get('k')) === 'three', 'the change after the sleep');
  await worker.stop();
  const next = await start(t, { folder: storage, port: worker.port });
  await next.call('SET', 'k', 'four');
  assert.equal(await db.get('k'), 'four');
});
