// Files: what is in the folder, and damage at every byte.
import assert from 'node:assert/strict';
import fs, { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { failure, stub } from './support/file-system.mjs';
import { copyOf, temporaryFolder, newestLog } from './support/folders.mjs';
import { entry, folder as packageFolder } from './support/package.mjs';
import { until } from './support/until.mjs';

const { Keylatch } = await entry('index');
const { open } = await entry('persist');

test('a folder keeps the data of an engine in the layout of Redis 7', async () => {
  const dir = join(temporaryFolder(), 'data');
  const db = await open({ dir });
  db.set('k', 'v');
  db.hset('h', { f: 1 });
  await db.flush();
  const home = join(dir, 'appendonlydir');
  assert.deepEqual(readdirSync(home).sort(), ['appendonly.aof.1.incr.aof', 'appendonly.aof.manifest']);
  assert.match(
    readFileSync(join(home, 'appendonly.aof.manifest'), 'utf8'),
    /^file appendonly\.aof\.1\.incr\.aof seq 1 type i\n# keylatch crc [0-9a-f]{8} seed \d+\n$/,
  );
  assert.match(readFileSync(newestLog(dir), 'latin1'), /^#KS:\d+ [0-9a-f]{8} [0-9a-f]{8}\r\n#KL:\d+ v1\r\n\*2\r\n/);
  await db.rewrite();
  db.set('later', 1);
  const digest = db.digestAll();
  await db.close();
  assert.deepEqual(readdirSync(home).sort(), [
    'appendonly.aof.1.base.rdb',
    'appendonly.aof.2.incr.aof',
    'appendonly.aof.manifest',
  ]);
  assert.deepEqual(readdirSync(dir), ['appendonlydir'], 'the lock is released');
  const again = await open({ dir });
  assert.equal(again.digestAll(), digest);
  assert.equal(again.persistence.restored.restoredKeys, 3);
  await again.close();
});

for (const fsync of ['always', 'everysec', 'no']) {
  test(`fsync ${fsync}: bytes are in the file and forced to the medium as promised`, async (t) => {
    const dir = temporaryFolder();
    let syncs = 0;
    const count = (real, ...given) => {
      syncs += 1;
      return real(...given);
    };
    stub(t, 'fdatasync', count);
    stub(t, 'fdatasyncSync', count);
    const db = await open({ dir, fsync });
    const size = () => readFileSync(newestLog(dir)).length;
    db.set('a', 1);
    assert.equal(size() > 0, fsync === 'always');
    assert.equal(syncs, fsync === 'always' ? 1 : 0);
    await until(() => size() > 0, 'an append');
    if (fsync === 'everysec') await until(() => syncs === 1, 'a sync');
    else await sleep(1200);
    assert.equal(syncs, fsync === 'no' ? 0 : 1);
    db.set('b', 1);
    await db.flush();
    assert.equal(syncs, fsync === 'no' ? 0 : 2);
    await db.close();
  });
}

/** A small folder with several pieces, and the digest after each of them. */
async function small() {
  const dir = temporaryFolder();
  const db = await open({ dir, now: () => 1_767_225_600_000 });
  const digests = [db.digestAll()];
  const write = async (work) => {
    work();
    await db.flush();
    digests.push(db.digestAll());
  };
  await write(() => db.set('plain', 'v'));
  await write(() => db.set('lease', 'me', { px: 50_000 }));
  await write(() => db.multi().incr('n').rpush('l', 'a', 'b').exec());
  await write(() => db.zadd('z', 1.5, 'm'));
  await write(() => db.del('plain'));
  await db.close();
  return { dir, digests };
}

/** Digest after opening, or the refusal. */
async function outcome(dir) {
  try {
    const db = await open({ dir, now: () => 1_767_225_600_000 });
    const digest = db.digestAll();
    const { repairedBytes } = db.persistence.restored;
    db.set('written', 'after');
    const written = db.digestAll();
    await db.close();
    const again = await open({ dir, now: () => 1_767_225_600_000 });
    assert.equal(again.digestAll(), written, 'what is written after a repair is there again');
    assert.equal(again.persistence.restored.repairedBytes, 0);
    await again.close();
    return { digest, repairedBytes };
  } catch (error) {
    if (error.name !== 'PersistenceError') throw error;
    assert.ok(!existsSync(join(dir, 'keylatch.lock')), 'a refusal releases the lock');
    return { error };
  }
}

test('a log cut at every byte: a prefix of the pieces, and writing goes on', async () => {
  const { dir, digests } = await small();
  const log = readFileSync(newestLog(dir));
  let last = 0;
  for (let length = 0; length <= log.length; length += 1) {
    writeFileSync(newestLog(dir), log.subarray(0, length));
    const { digest, error } = await outcome(dir);
    assert.equal(error, undefined, `cut at ${length}`);
    const count = digests.indexOf(digest);
    assert.ok(count >= last, `cut at ${length}: ${count} pieces after ${last}`);
    last = count;
  }
  assert.equal(last, digests.length - 1);
});

test('a log flipped at every byte: the whole state, or a refusal with file and offset', async () => {
  const { dir, digests } = await small();
  const path = newestLog(dir);
  const log = readFileSync(path);
  let refused = 0;
  for (let at = 0; at < log.length; at += 1) {
    for (const bits of [1, 0x80, 0xff]) {
      const flipped = Buffer.from(log);
      flipped[at] ^= bits;
      writeFileSync(path, flipped);
      const { digest, error } = await outcome(dir);
      if (error === undefined) {
        assert.equal(digest, digests.at(-1), `byte ${at} ^ ${bits}`);
        continue;
      }
      refused += 1;
      assert.equal(error.code, 'DAMAGED', error.message);
      assert.equal(error.file, path);
      assert.ok(error.offset <= at, `byte ${at}: ${error.message}`);
      assert.deepEqual(readFileSync(path), flipped, 'nothing was changed');
    }
  }
  assert.ok(refused > 2.5 * log.length, `${refused} of ${3 * log.length}`);
});

test('a snapshot and a manifest flipped at every byte: a refusal, or the whole state', async () => {
  const { dir } = await small();
  const db = await open({ dir, now: () => 1_767_225_600_000 });
  await db.rewrite();
  const digest = db.digestAll();
  await db.close();
  const home = join(dir, 'appendonlydir');
  for (const name of readdirSync(home).filter((name) => !name.endsWith('.incr.aof'))) {
    const path = join(home, name);
    const bytes = readFileSync(path);
    for (let at = 0; at < bytes.length; at += 1) {
      const copy = copyOf(dir);
      const flipped = Buffer.from(bytes);
      flipped[at] ^= 1;
      writeFileSync(join(copy, 'appendonlydir', name), flipped);
      const found = await outcome(copy);
      if (found.error === undefined) assert.equal(found.digest, digest, `${name} byte ${at}`);
      fs.rmSync(copy, { recursive: true });
    }
  }
});

test('folders that cannot be used are refused with a reason', async (t) => {
  const dir = temporaryFolder();
  await assert.rejects(open({ dir: join(dir, 'no', 'parent') }), /no such file or folder; the parent/);
  writeFileSync(join(dir, 'file'), '');
  await assert.rejects(open({ dir: join(dir, 'file') }), { name: 'PersistenceError', message: /not a folder/ });
  const restore = stub(t, 'writeFileSync', () => {
    throw failure('EROFS');
  });
  await assert.rejects(open({ dir }), { code: 'READ_ONLY', message: /file system is read-only; choose another/ });
  restore();
  mkdirSync(join(dir, 'appendonlydir'));
  writeFileSync(join(dir, 'appendonlydir', 'appendonly.aof.1.base.rdb'), 'REDIS');
  await assert.rejects(open({ dir }), { code: 'DAMAGED', message: /manifest is missing beside/ });
});

test('a lone snapshot, and a log with a snapshot at its head, of older servers', async () => {
  const source = new Keylatch();
  source.record(true);
  source.set('k', 'v');
  source.takeEffects();
  const snapshot = source.snapshot();
  source.set('l', 'w');
  const log = source.takeEffects();
  const layouts = {
    'dump.rdb': [snapshot],
    'appendonly.aof': [snapshot, log],
  };
  for (const [name, parts] of Object.entries(layouts)) {
    const dir = temporaryFolder();
    writeFileSync(join(dir, name), Buffer.concat(parts));
    const db = await open({ dir });
    assert.equal(db.get('k'), 'v');
    assert.equal(db.exists('l'), parts.length - 1);
    db.set('m', 1);
    await db.close();
    assert.deepEqual(readFileSync(join(dir, name)), Buffer.concat(parts), 'the old file is left alone');
    const again = await open({ dir });
    assert.deepEqual(again.mget('k', 'm'), ['v', '1']);
    await again.close();
  }
});

test('CommonJS has the same', async () => {
  const { open: required } = createRequire(import.meta.url)(`${packageFolder}/cjs/persist.js`);
  const dir = temporaryFolder();
  const db = await required({ dir });
  db.set('k', 1);
  await db.close();
  const again = await required({ dir });
  assert.equal(again.get('k'), '1');
  await again.close();
});
