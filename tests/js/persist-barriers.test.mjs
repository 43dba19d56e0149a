// Barriers: what waits for a sync waits for one that began after its write, whatever happens to the log meanwhile.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { failure, stub } from './support/file-system.mjs';
import { copyOf, temporaryFolder, newestLog } from './support/folders.mjs';
import { entry } from './support/package.mjs';
import { until } from './support/until.mjs';

const { open } = await entry('persist');
const { createServer } = await entry('server');

/** Syncs of the log that end when the test says so. */
function heldSyncs(t) {
  const held = [];
  stub(t, 'fdatasync', (real, fd, done) => {
    held.push({
      fd,
      end: () => real(fd, done),
      fail: () => done(failure('EIO')),
    });
  });
  return held;
}

/** Whether a promise has settled within some turns of the event loop. */
async function isSettled(promise) {
  let settled = false;
  const note = () => {
    settled = true;
  };
  promise.then(note, note);
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  return settled;
}

test('a barrier waits for a sync that began after its write', async (t) => {
  const db = await open({ dir: temporaryFolder() });
  const syncs = heldSyncs(t);
  db.set('a', 1);
  const first = db.flush();
  await until(() => syncs.length === 1, 'the first sync');
  db.set('b', 1);
  const [second, third] = [db.flush(), db.flush()];
  assert.equal(await isSettled(second), false);
  assert.equal(syncs.length, 1, 'one sync at a time');
  syncs[0].end();
  await first;
  await until(() => syncs.length === 2, 'the second sync');
  assert.equal(await isSettled(second), false, 'the first sync did not cover it');
  syncs[1].end();
  await Promise.all([second, third]);
  assert.equal(syncs.length, 2, 'one sync for all that came meanwhile');
  const closed = db.close();
  assert.equal(await isSettled(closed), true, 'nothing is left to sync');
});

test('a barrier without a write of its own waits for the sync of what was written before', async (t) => {
  const db = await open({ dir: temporaryFolder() });
  const syncs = heldSyncs(t);
  db.set('a', 1);
  db.log.flushNow();
  const barrier = db.flush();
  const other = db.flush();
  assert.equal(await isSettled(other), false);
  syncs[0].end();
  await Promise.all([barrier, other]);
  await db.close();
});

test('a failed sync rejects all that it covered, and everything is written anew', async (t) => {
  const dir = temporaryFolder();
  const db = await open({ dir });
  const states = [];
  db.onPersistence(({ state }) => states.push(state));
  const syncs = heldSyncs(t);
  db.set('a', 1);
  const first = db.flush();
  await until(() => syncs.length === 1, 'the sync');
  db.set('b', 1);
  const second = db.flush();
  syncs[0].fail();
  await assert.rejects(first, { name: 'PersistenceError', code: 'FAILED' });
  await assert.rejects(second, { name: 'PersistenceError' });
  await until(() => db.persistence.state === 'running', 'the state on the medium');
  assert.deepEqual(states, ['failed', 'running']);
  assert.ok(db.persistence.snapshotBytes > 0);
  await db.flush();
  await db.close();
  const again = await open({ dir });
  assert.deepEqual(again.mget('a', 'b'), ['1', '1']);
  await again.close();
});

test('a sync of the timer that fails is a failure at once', async (t) => {
  const db = await open({ dir: temporaryFolder() });
  db.onPersistence(() => {});
  const restore = stub(t, 'fdatasync', (_, _fd, done) => setImmediate(done, failure('EIO')));
  db.set('a', 1);
  await until(() => db.persistence.state === 'failed', 'the failure');
  restore();
  await until(() => db.persistence.state === 'running', 'the end of the failure');
  await db.close();
});

test('no descriptor is closed under its sync: a log that is replaced, and a store that is closed', async (t) => {
  const dir = temporaryFolder();
  const db = await open({ dir });
  const syncs = heldSyncs(t);
  const closed = [];
  stub(t, 'closeSync', (real, fd) => {
    closed.push(fd);
    real(fd);
  });
  db.set('a', 1);
  const barrier = db.flush();
  await until(() => syncs.length === 1, 'the sync');
  const { fd } = syncs[0];
  await db.rewrite();
  assert.ok(!closed.includes(fd), 'the replaced log is still open');
  syncs[0].end();
  await barrier;
  await until(() => closed.includes(fd), 'the end of the old log');
  db.set('b', 1);
  const last = db.flush();
  await until(() => syncs.length === 2, 'the sync of the new log');
  // The system gives numbers of closed files again.
  closed.length = 0;
  const end = db.close();
  assert.equal(await isSettled(end), false, 'the store is closed after its sync');
  assert.ok(!closed.includes(syncs[1].fd));
  syncs[1].end();
  await Promise.all([last, end]);
});

test('bytes that were left to the system are forced once appendfsync says so', async (t) => {
  const dir = temporaryFolder();
  const server = createServer({ dir, port: 0, bind: '127.0.0.1', appendfsync: 'no' });
  await server.listen();
  t.after(() => server.close().catch(() => {}));
  const syncs = heldSyncs(t);
  server.db.set('a', 1);
  await server.db.flush();
  assert.equal(syncs.length, 0);
  server.db.configSet('appendfsync', 'everysec');
  const barrier = server.db.flush();
  await until(() => syncs.length === 1, 'a sync of what was written before');
  assert.equal(await isSettled(barrier), false);
  syncs[0].end();
  await barrier;
  syncs.splice(0);
});

test('a log that was deleted or replaced is lost', async () => {
  for (const change of [(log) => fs.unlinkSync(log), (log) => fs.renameSync(copyOfFile(log), log)]) {
    const dir = temporaryFolder();
    const db = await open({ dir, fsync: 'always' });
    db.onPersistence(() => {});
    db.set('a', 1);
    change(newestLog(dir));
    assert.throws(() => db.set('b', 1), { name: 'PersistenceError', code: 'LOST' });
    assert.equal(db.persistence.state, 'lost');
    assert.throws(() => db.set('c', 1), /^ReplyError: MISCONF/);
    await assert.rejects(db.flush(), { code: 'LOST' });
    await db.close();
  }
});

function copyOfFile(path) {
  fs.copyFileSync(path, `${path}.copy`);
  return `${path}.copy`;
}

test('a log behind which a sync failed is followed by nothing: a crash in the middle loses no barrier', async (t) => {
  const dir = temporaryFolder();
  const db = await open({ dir });
  db.onPersistence(() => {});
  db.set('a', 1);
  await db.flush();
  const restore = stub(t, 'fdatasync', (_, _fd, done) => setImmediate(done, failure('EIO')));
  db.set('b', 1);
  await assert.rejects(db.flush(), { code: 'FAILED' });
  restore();
  const crashed = copyOf(dir);
  fs.rmSync(`${crashed}/keylatch.lock`, { force: true });
  const survivor = await open({ dir: crashed });
  assert.equal(survivor.get('a'), '1');
  await survivor.close();
  await until(() => db.persistence.state === 'running', 'the state on the medium');
  await db.close();
  assert.equal(fs.readdirSync(`${dir}/appendonlydir`).filter((name) => name.endsWith('.incr.aof')).length, 1);
});
