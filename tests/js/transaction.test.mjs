// Transactions that watch keys: `db.transaction`, clients of their own, and clients that are forgotten.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { entry, folder } from './support/package.mjs';

const { ClosedError, Keylatch, ManualClock, WatchError } = await entry('index');

const fresh = () => new Keylatch({ clock: new ManualClock(0), seed: 1 });

test('WATCH on the shared client is refused and names what to use', () => {
  const db = fresh();
  for (const client of [db, db.bytes]) assert.throws(() => client.watch('k'), /db\.transaction\(async/);
  assert.equal(db.client().watch('k'), 'OK');
});

test('updates across an await are not lost', async () => {
  const db = fresh();
  db.set('n', 0);
  const increment = () =>
    db.transaction(async (client) => {
      client.watch('n');
      const seen = Number(client.get('n'));
      await new Promise((resolve) => setImmediate(resolve));
      return client
        .multi()
        .set('n', seen + 1)
        .exec();
    });
  const results = await Promise.all(Array.from({ length: 10 }, increment));
  assert.equal(db.get('n'), '10');
  assert.deepEqual(results, Array(10).fill(['OK']));
  assert.match(db.info('clients'), /connected_clients:1\r\n/);
});

test('a transaction uses the database of its engine, and its result is what the function returns', async () => {
  const db = fresh();
  db.select(3);
  const result = await db.transaction((client) => {
    client.watch('k');
    client.multi().set('k', client.db).exec();
    return 'done';
  });
  assert.equal(result, 'done');
  assert.equal(db.get('k'), '3');
});

test('after the last attempt nothing is written', async () => {
  const db = fresh();
  let attempts = 0;
  const work = (client) => {
    attempts += 1;
    client.watch('k');
    db.incr('k');
    return client.multi().set('k', 'lost').exec();
  };
  await assert.rejects(db.transaction(work, { retries: 2 }), WatchError);
  assert.equal(attempts, 3);
  assert.equal(db.get('k'), '3');
  await assert.rejects(db.transaction(work, { retries: -1 }), TypeError);
  await assert.rejects(db.transaction('work'), TypeError);
});

test('an error of the function ends the transaction, and its client is closed', async () => {
  const db = fresh();
  let client;
  await assert.rejects(
    db.transaction((own) => {
      client = own;
      throw new Error('no');
    }),
    { message: 'no' },
  );
  assert.throws(() => client.get('k'), ClosedError);
});

test('a signal ends a transaction before its commit', async () => {
  const db = fresh();
  const controller = new AbortController();
  const pending = db.transaction(
    async (client) => {
      client.watch('k');
      await new Promise((resolve) => setImmediate(resolve));
      return client.multi().set('k', 1).exec();
    },
    { signal: controller.signal },
  );
  controller.abort(new Error('enough'));
  await assert.rejects(pending, { message: 'enough' });
  assert.equal(db.exists('k'), 0);
  await assert.rejects(
    db.transaction(() => 1, { signal: controller.signal }),
    { message: 'enough' },
  );
});

test('clients without references are disconnected', () => {
  const script = `
    import { Keylatch } from ${JSON.stringify(pathToFileURL(`${folder}/esm/index.js`).href)};
    const db = new Keylatch();
    const kept = db.client();
    kept.set('k', 1);
    for (let number = 0; number < 1000; number += 1) db.client().get('k');
    for (let round = 0; round < 50; round += 1) {
      globalThis.gc();
      await new Promise((resolve) => setTimeout(resolve, 10));
      if (db.call('CLIENT', 'LIST').trim().split('\\n').length === 2) break;
    }
    console.log(db.call('CLIENT', 'LIST').trim().split('\\n').length, kept.get('k'));
  `;
  const output = execFileSync(process.execPath, ['--expose-gc', '--input-type=module', '-e', script]);
  assert.equal(String(output).trim(), '2 1');
});
