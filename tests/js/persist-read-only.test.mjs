// `open` with readOnly: the data of a folder, also of one that is in use, full or read-only, without a byte written.
import assert from 'node:assert/strict';
import fs, { appendFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { failure, stub } from './support/file-system.mjs';
import { copyOf, temporaryFolder, newestLog } from './support/folders.mjs';
import { entry } from './support/package.mjs';
import { until } from './support/until.mjs';

const { Keylatch } = await entry('index');
const { memoryStore, open, PersistenceError } = await entry('persist');

/** A folder with a base and a log. */
async function filled() {
  const dir = temporaryFolder();
  const db = await open({ dir });
  db.set('k', 'v');
  db.rpush('list', 'a', 'b');
  await db.rewrite();
  db.set('l', 'w');
  await db.close();
  return dir;
}

/** Names, contents and times of all files below a folder. */
function picture(dir) {
  const names = readdirSync(dir, { recursive: true }).sort();
  return names.map((name) => {
    const { mtimeMs, size, mode } = statSync(join(dir, name));
    return [name, mtimeMs, size, mode, statSync(join(dir, name)).isFile() ? readFileSync(join(dir, name), 'hex') : ''];
  });
}

test('reads the data, and leaves the folder as it is', async () => {
  const dir = await filled();
  const log = newestLog(dir);
  // A torn end, a draft and a file that is not in the manifest stay.
  appendFileSync(log, '*3\r\n$3\r\nSET\r\n$1');
  writeFileSync(join(dir, 'appendonlydir', 'temp-appendonly.aof.manifest'), 'draft');
  writeFileSync(join(dir, 'appendonlydir', 'appendonly.aof.9.incr.aof'), '');
  const before = picture(dir);
  const db = await open({ dir, readOnly: true });
  assert.deepEqual(picture(dir), before);
  assert.deepEqual([db.get('k'), db.get('l'), db.lrange('list', 0, -1)], ['v', 'w', ['a', 'b']]);
  const { state, restored, error, pendingBytes } = db.persistence;
  assert.deepEqual([state, error, pendingBytes], ['readonly', undefined, 0]);
  assert.deepEqual([restored.restoredKeys, restored.repairedBytes], [3, 15]);
  await db.flush();
  await db.close();
  assert.equal(db.persistence.state, 'closed');
  assert.deepEqual(picture(dir), before);
});

test('writes and saves are refused as by a replica, and keys expire in memory', async () => {
  const dir = await filled();
  const writer = await open({ dir });
  writer.set('soon', 1, { px: 60_000 });
  await writer.close();
  let ms = Date.now();
  const db = await open({ dir, readOnly: true, now: () => ms });
  const refusal = { code: 'READONLY', message: "READONLY You can't write against a read only replica." };
  assert.throws(() => db.set('k', 1), refusal);
  assert.throws(() => db.del('k'), refusal);
  for (const save of ['SAVE', 'BGSAVE', 'BGREWRITEAOF']) assert.throws(() => db.call(save), refusal, save);
  const client = db.client();
  client.call('MULTI');
  assert.throws(() => client.call('SET', 'k', 1), refusal);
  assert.throws(() => client.call('EXEC'), { code: 'EXECABORT' });
  client.close();
  assert.equal(db.call('PING'), 'PONG');
  await assert.rejects(db.rewrite(), { name: 'PersistenceError', code: 'READ_ONLY' });
  assert.throws(() => db.load(new Keylatch().snapshot()), { code: 'READ_ONLY' });
  assert.throws(() => db.replay(new Uint8Array()), { code: 'READ_ONLY' });
  assert.equal(db.compact() >= 0, true);
  assert.throws(() => db.set('k', 1), refusal, 'behind compact, too');
  assert.equal(db.get('soon'), '1');
  ms += 60_001;
  assert.equal(db.get('soon'), null);
  const fork = db.fork();
  fork.set('k', 'changed');
  assert.deepEqual([fork.get('k'), db.get('k')], ['changed', 'v']);
  await db.close();
});

test('reads a folder that another engine has open, and again what it wrote later', async () => {
  const dir = await filled();
  const owner = await open({ dir, fsync: 'always' });
  owner.set('later', 1);
  const first = await open({ dir, readOnly: true });
  owner.set('later', 2);
  await owner.rewrite();
  owner.set('after', 3);
  const second = await open({ dir, readOnly: true });
  assert.deepEqual([first.get('later'), second.get('later'), second.get('after')], ['1', '2', '3']);
  await Promise.all([first.close(), second.close()]);
  owner.set('still', 'writable');
  await owner.close();
});

test('reads again if the owner replaces the files between two reads', async (t) => {
  const dir = await filled();
  const owner = await open({ dir });
  let moved = false;
  const restore = stub(t, 'readFileSync', (read, path, ...others) => {
    const bytes = read(path, ...others);
    if (!moved && String(path).endsWith('.manifest')) {
      moved = true;
      // Behind the manifest that was read, the owner has replaced and deleted its files.
      for (const name of readdirSync(join(dir, 'appendonlydir')))
        if (/\.(rdb|aof)$/.test(name)) fs.renameSync(join(dir, 'appendonlydir', name), join(dir, `x-${name}`));
      setImmediate(() => {
        for (const name of readdirSync(dir))
          if (name.startsWith('x-')) fs.renameSync(join(dir, name), join(dir, 'appendonlydir', name.slice(2)));
      });
    }
    return bytes;
  });
  const db = await open({ dir, readOnly: true });
  restore();
  assert.deepEqual([moved, db.get('k')], [true, 'v']);
  await db.close();
  await owner.close();
});

test('damage that a second look confirms is reported', async () => {
  const dir = await filled();
  const log = newestLog(dir);
  const bytes = readFileSync(log);
  bytes[bytes.length - 3] ^= 1;
  writeFileSync(log, bytes);
  await assert.rejects(open({ dir, readOnly: true }), { code: 'DAMAGED', file: log });
  rmSync(log);
  await assert.rejects(open({ dir, readOnly: true }), { code: 'DAMAGED', message: /it is missing/ });
});

test('reads a full and a read-only folder, whose errors name the way', async (t) => {
  const dir = await filled();
  for (const [system, code] of [
    ['ENOSPC', 'FULL'],
    ['EROFS', 'READ_ONLY'],
    ['EACCES', 'READ_ONLY'],
  ]) {
    const copy = copyOf(dir);
    const refuse = () => {
      throw failure(system);
    };
    for (const name of ['writeFileSync', 'mkdirSync', 'truncateSync', 'renameSync', 'unlinkSync'])
      stub(t, name, refuse);
    const restore = stub(t, 'openSync', (real, path, flags, ...others) =>
      flags === undefined || flags === 'r' || flags === 0 ? real(path, flags, ...others) : refuse(),
    );
    await assert.rejects(open({ dir: copy }), { code, message: /or read it with readOnly: true/ });
    const db = await open({ dir: copy, readOnly: true });
    assert.equal(db.get('k'), 'v');
    await db.close();
    restore();
  }
});

test('reads a lone snapshot and a lone log', async () => {
  const source = new Keylatch();
  source.record(true);
  source.set('k', 'v');
  for (const [name, bytes] of [
    ['dump.rdb', source.snapshot()],
    ['appendonly.aof', source.takeEffects()],
  ]) {
    const dir = temporaryFolder();
    writeFileSync(join(dir, name), bytes);
    const db = await open({ dir, readOnly: true });
    assert.equal(db.get('k'), 'v', name);
    await db.close();
    assert.deepEqual(readdirSync(dir), [name]);
  }
  const empty = await open({ dir: temporaryFolder(), readOnly: true });
  assert.equal(empty.dbsize(), 0);
  await empty.close();
});

test('what makes no sense with it is refused', async () => {
  const dir = temporaryFolder();
  const refused = [
    [{ name: 'n', readOnly: true }, /readOnly goes with dir/],
    [{ dir, name: 'n', readOnly: true }, /readOnly goes with dir/],
    [{ dir: '', readOnly: true }, /must not be empty/],
    [{ dir, readOnly: true, fsync: 'no' }, /fsync has no meaning with readOnly/],
    [{ dir, readOnly: true, onFailure: 'refuse' }, /onFailure has no meaning/],
    [{ dir, readOnly: true, acknowledge: 'flushed' }, /acknowledge has no meaning/],
    [{ dir, readOnly: true, flushOnSignal: false }, /flushOnSignal has no meaning/],
    [{ dir, readOnly: true, durability: 'strict' }, /durability has no meaning/],
    [{ dir, readOnly: 'yes' }, /readOnly must be/],
  ];
  for (const [options, message] of refused) await assert.rejects(open(options), { name: 'TypeError', message });
  const missing = open({ dir: join(dir, 'missing'), readOnly: true });
  await assert.rejects(missing, { code: 'FAILED', message: /no such folder/ });
  assert.deepEqual(readdirSync(dir), []);
});

test('clients get the reason of a failure without the path, which stays in messages', async (t) => {
  const dir = temporaryFolder();
  const db = await open({ dir, onFailure: 'refuse' });
  const messages = [];
  db.onPersistence(({ error }) => error && messages.push(error.message));
  for (const [error, reason] of [
    [failure('ENOSPC'), 'the disk is full'],
    [Object.assign(new Error("EIO: i/o error, write '/etc/secret'"), { code: 'EIO' }), 'i/o error'],
    [new Error('/etc/secret'), 'writing to the store failed'],
  ]) {
    const restore = stub(t, 'writeSync', () => {
      throw error;
    });
    db.set('k', 1);
    await assert.rejects(db.flush(), (error) => error.message.includes(dir));
    assert.throws(() => db.set('k', 2), { message: `MISCONF Errors writing to the AOF file: ${reason}` });
    restore();
    await db.flush();
  }
  assert.equal(messages.filter((text) => text.includes(dir)).length, 3);
  await db.close();
});

test('a save that fails replies the reason without the path, and prints the path', async (t) => {
  const store = memoryStore();
  store.saveSnapshot = async () => {
    throw new PersistenceError('FULL', '/etc/secret: the disk is full; free space', { reason: 'the disk is full' });
  };
  const db = await open({ store });
  const warned = t.mock.method(console, 'warn', () => {});
  const finished = t.mock.method(db.saves, 'finish');
  assert.equal(db.call('BGSAVE'), 'Background saving started');
  await until(() => warned.mock.callCount() > 0, 'a warning');
  const [kind, failure, reason] = finished.mock.calls[0].arguments;
  assert.deepEqual([kind, failure.code, reason], ['snapshot', 'FULL', 'the disk is full']);
  assert.equal(warned.mock.calls[0].arguments[0], 'keylatch: /etc/secret: the disk is full; free space');
  await db.close();
});
