/** keylatch/remote: the methods of the object, by its binding in a Worker and over REST from Node. */

import assert from 'node:assert/strict';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { start, storageFolder, TOKEN } from './support/host.mjs';

const root = resolve(fileURLToPath(import.meta.url), '../../..');
const folder = resolve(process.env.KEYLATCH_PACKAGE ?? join(root, 'target/npm/keylatch'));
const entry = (name) => import(pathToFileURL(join(folder, 'esm', `${name}.js`)).href);
const { AccessRefused, connect, MayHaveRun, RemoteError } = await entry('remote');
const { locks } = await entry('locks');

const ROUNDS = 20;

test('a Worker has the methods of an object by its binding', async (t) => {
  const worker = await start(t, { bundle: 'caller' });
  const run = async (program) => (await worker.post(program, { token: null })).json;
  assert.deepEqual(await run('values'), ['OK', 1, [['f', '1']], [118], [2, 1, 1.5]]);
  const [first, second, third] = await run('errors');
  assert.deepEqual([first, second], ['ReplyError', 'ReplyError']);
  assert.match(third, /a binding carries no subscriptions/);
  assert.deepEqual(await run('databases'), ['three', 'v']);
  assert.deepEqual(await run('waiting'), [['q', 'x'], null]);
  await run('locks');
});

test('a program has them over REST, in its namespace, and messages and locks too', async (t) => {
  const { url } = await start(t);
  const db = connect(url, { token: TOKEN, transport: 'rest', namespace: 'a/b c' });
  t.after(() => db.close());
  const all = await Promise.all([db.set('k', 'v'), db.hset('h', { f: 1 }), db.hgetall('h')]);
  assert.deepEqual(all, ['OK', 1, new Map([['f', '1']])]);
  assert.deepEqual(await db.multi().incr('n').hgetall('h').exec(), [1, new Map([['f', '1']])]);
  assert.deepEqual([await db.blpop('q', 0.05), await db.set(Uint8Array.of(255), 'x')], [null, 'OK']);
  const messages = await db.messages('c');
  await db.publish('c', 'hello');
  assert.equal((await messages.next()).value, 'hello');
  const other = connect(url, { token: TOKEN, transport: 'rest' });
  t.after(() => other.close());
  assert.equal(await other.get('k'), null);
  const lock = await locks(db).acquire('job', { ttl: 10_000 });
  await lock.release();
  const wrong = connect(url, { token: 'wrong', transport: 'rest' });
  await assert.rejects(wrong.get('k'), AccessRefused);
});

test(`workerd is killed ${ROUNDS} times: no acknowledged increment is lost, and with ids none happens twice`, async (t) => {
  const storage = await storageFolder(t);
  let [acknowledged, uncertain] = [0, 0];
  for (let round = 0; round < ROUNDS; round += 1) {
    const worker = await start(t, { folder: storage });
    const db = connect(worker.url, { token: TOKEN, transport: 'rest', requestIds: true, retryMs: 200, timeoutMs: 500 });
    const kill = setTimeout(worker.stop, 150 + Math.random() * 250);
    for (let isOver = false; !isOver; ) {
      await db.incr('n').then(
        () => (acknowledged += 1),
        (error) => {
          assert.ok(error instanceof RemoteError, error);
          if (error instanceof MayHaveRun) uncertain += 1;
          isOver = true;
        },
      );
    }
    clearTimeout(kill);
    await worker.stop();
    await db.close();
  }
  const { url } = await start(t, { folder: storage });
  const db = connect(url, { token: TOKEN, transport: 'rest' });
  t.after(() => db.close());
  const found = Number(await db.get('n'));
  assert.ok(
    acknowledged > 0 && found >= acknowledged && found <= acknowledged + uncertain,
    `${acknowledged} ${uncertain} ${found}`,
  );
});
