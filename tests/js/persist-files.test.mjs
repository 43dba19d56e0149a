// Files: what is in the folder, damage at every byte, the lock, and media that fail.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs, { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { mock, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { copyOf, folder, newestLog } from './support/folders.mjs';
import { entry, folder as packageFolder } from './support/package.mjs';

const { Keylatch } = await entry('index');
const { open } = await entry('persist');

/** Runs a program with `open` in another process; resolves to its output. */
function program(t, text) {
  const head = `import { open } from ${JSON.stringify(`file://${packageFolder}/esm/persist.js`)};\n`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', head + text]);
  t.after(() => child.kill('SIGKILL'));
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.pipe(process.stderr);
  return {
    child,
    ended: once(child, 'exit'),
    says: async (word) => {
      while (!output.includes(word)) await once(child.stdout, 'data');
      return output;
    },
  };
}

/** Replaces functions of node:fs until the test ends. */
function stub(t, name, implementation) {
  const real = fs[name];
  mock.method(fs, name, (...given) => implementation(real, ...given));
  syncBuiltinESMExports();
  const restore = () => {
    mock.restoreAll();
    syncBuiltinESMExports();
  };
  t.after(restore);
  return restore;
}

const failure = (code) => Object.assign(new Error(code), { code });

test('a folder keeps the data of an engine in the layout of Redis 7', async (t) => {
  const dir = join(folder(t), 'data');
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
    const dir = folder(t);
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
    await sleep(30);
    assert.ok(size() > 0, 'appended after 10 ms');
    assert.equal(syncs, fsync === 'always' ? 1 : 0);
    await sleep(1100);
    assert.equal(syncs, fsync === 'no' ? 0 : 1);
    db.set('b', 1);
    await db.flush();
    assert.equal(syncs, fsync === 'no' ? 0 : 2);
    await db.close();
  });
}

/** A small folder with several pieces, and the digest after each of them. */
async function small(t) {
  const dir = folder(t);
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

test('a log cut at every byte: a prefix of the pieces, and writing goes on', async (t) => {
  const { dir, digests } = await small(t);
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

test('a log flipped at every byte: the whole state, or a refusal with file and offset', async (t) => {
  const { dir, digests } = await small(t);
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

test('a snapshot and a manifest flipped at every byte: a refusal, or the whole state', async (t) => {
  const { dir } = await small(t);
  const db = await open({ dir, now: () => 1_767_225_600_000 });
  await db.rewrite();
  const digest = db.digestAll();
  await db.close();
  const home = join(dir, 'appendonlydir');
  for (const name of readdirSync(home).filter((name) => !name.endsWith('.incr.aof'))) {
    const path = join(home, name);
    const bytes = readFileSync(path);
    for (let at = 0; at < bytes.length; at += 1) {
      const copy = copyOf(t, dir);
      const flipped = Buffer.from(bytes);
      flipped[at] ^= 1;
      writeFileSync(join(copy, 'appendonlydir', name), flipped);
      const found = await outcome(copy);
      if (found.error === undefined) assert.equal(found.digest, digest, `${name} byte ${at}`);
      fs.rmSync(copy, { recursive: true });
    }
  }
});

test('a live process keeps the folder, and is named', async (t) => {
  const dir = folder(t);
  const { child, ended, says } = program(
    t,
    `const db = await open({ dir: ${JSON.stringify(dir)} });
    db.set('k', 'v'); await db.flush(); console.log('ready'); setInterval(() => {}, 1000);`,
  );
  await says('ready');
  await assert.rejects(open({ dir }), (error) => {
    assert.equal(error.code, 'IN_USE');
    assert.match(error.message, new RegExp(`in use by process ${child.pid}: close it there first`));
    return true;
  });
  child.kill('SIGKILL');
  await ended;
  assert.ok(existsSync(join(dir, 'keylatch.lock')), 'a killed process leaves its lock');
  const db = await open({ dir });
  assert.equal(db.get('k'), 'v');
  await assert.rejects(open({ dir }), /in use by this process/);
  await db.close();
  await db.close();
});

test('a lock of a process id that belongs to another process since, or to another boot, is taken over', async (t) => {
  const dir = folder(t);
  const path = join(dir, 'keylatch.lock');
  const db = await open({ dir });
  const lock = JSON.parse(readFileSync(path, 'utf8'));
  await db.close();
  for (const change of [{ started: '1' }, { boot: 'another' }, { pid: 2 ** 22 + 1 }]) {
    writeFileSync(path, JSON.stringify({ ...lock, ...change }));
    await (await open({ dir })).close();
  }
  writeFileSync(path, JSON.stringify({ ...lock, boot: 'another', host: 'elsewhere' }));
  await assert.rejects(open({ dir }), /on elsewhere, another machine/);
  writeFileSync(path, 'half a lo');
  await assert.rejects(open({ dir }), /unknown process/);
});

test('many processes that race for the lock of a dead one: one gets it', async (t) => {
  const dir = folder(t);
  const db = await open({ dir });
  const lock = JSON.parse(readFileSync(join(dir, 'keylatch.lock'), 'utf8'));
  await db.close();
  writeFileSync(join(dir, 'keylatch.lock'), JSON.stringify({ ...lock, started: '1' }));
  const text = `
    await new Promise((ready) => process.stdin.once('data', ready));
    try { await open({ dir: ${JSON.stringify(dir)} }); console.log('GOT'); }
    catch (error) { console.log(error.code); }
    setTimeout(() => process.exit(), 1500);`;
  const racers = Array.from({ length: 6 }, () => program(t, text));
  await sleep(700);
  for (const { child } of racers) child.stdin.write('go\n');
  const said = await Promise.all(racers.map(({ says }) => Promise.race([says('GOT'), says('IN_USE')])));
  assert.equal(said.filter((text) => text.includes('GOT')).length, 1, said.join());
});

test('a process that ends without close, or by an error, has written everything', async (t) => {
  for (const end of ['', 'process.exit(3);', 'throw new Error("defect");']) {
    const dir = folder(t);
    const text = `const db = await open({ dir: ${JSON.stringify(dir)} });
      for (let i = 0; i < 1000; i += 1) db.incr('n'); ${end}`;
    const head = `import { open } from ${JSON.stringify(`file://${packageFolder}/esm/persist.js`)};\n`;
    spawnSync(process.execPath, ['--input-type=module', '-e', head + text]);
    const db = await open({ dir });
    assert.equal(db.get('n'), '1000', end);
    await db.close();
  }
});

test('a full disk: what was written in part is removed, and writing goes on', async (t) => {
  const dir = folder(t);
  const db = await open({ dir });
  const states = [];
  db.onPersistence(({ state, error }) => states.push([state, error?.code]));
  db.set('before', 1);
  await db.flush();
  const whole = readFileSync(newestLog(dir));
  let room = 20;
  const restore = stub(t, 'writeSync', (real, fd, bytes, offset = 0) => {
    if (room === 0) throw failure('ENOSPC');
    const length = Math.min(room, bytes.length - offset);
    room -= length;
    return real(fd, bytes, offset, length);
  });
  db.set('during', 1);
  await assert.rejects(db.flush(), { code: 'FULL', message: /appendonly\.aof\.1\.incr\.aof: the disk is full/ });
  assert.equal(readFileSync(newestLog(dir)).length, whole.length + 20, 'a part of the piece');
  const crashed = copyOf(t, dir);
  fs.rmSync(join(crashed, 'keylatch.lock'));
  restore();
  await sleep(300);
  assert.deepEqual(states, [
    ['failed', 'FULL'],
    ['running', undefined],
  ]);
  db.set('after', 1);
  await db.close();
  const again = await open({ dir });
  assert.deepEqual(again.mget('before', 'during', 'after'), ['1', '1', '1']);
  await again.close();
  const survivor = await open({ dir: crashed });
  assert.deepEqual(survivor.mget('before', 'during'), ['1', null]);
  assert.equal(survivor.persistence.restored.repairedBytes, 20);
  await survivor.close();
});

test('a failed fdatasync: everything is written anew, because the system may have dropped it', async (t) => {
  const dir = folder(t);
  const db = await open({ dir, fsync: 'always' });
  db.onPersistence(() => {});
  db.set('a', 1);
  const restore = stub(t, 'fdatasyncSync', () => {
    throw failure('EIO');
  });
  db.set('b', 1);
  assert.equal(db.persistence.state, 'failed');
  restore();
  await sleep(300);
  assert.equal(db.persistence.state, 'running');
  assert.ok(db.persistence.snapshotBytes > 0, 'a snapshot replaced the log');
  db.set('c', 1);
  await db.close();
  const again = await open({ dir });
  assert.deepEqual(again.mget('a', 'b', 'c'), ['1', '1', '1']);
  await again.close();
});

test('a compaction that fails leaves the log as it was', async (t) => {
  const dir = folder(t);
  const db = await open({ dir });
  db.set('a', 1);
  mock.method(fs.promises, 'rename', () => Promise.reject(failure('ENOSPC')));
  syncBuiltinESMExports();
  await assert.rejects(db.rewrite(), { code: 'FULL' });
  mock.restoreAll();
  syncBuiltinESMExports();
  assert.equal(db.persistence.state, 'running');
  db.set('b', 1);
  await db.flush();
  const crashed = copyOf(t, dir);
  fs.rmSync(join(crashed, 'keylatch.lock'));
  await db.rewrite();
  assert.equal(db.persistence.error, undefined);
  await db.close();
  for (const path of [dir, crashed]) {
    const again = await open({ dir: path });
    assert.deepEqual(again.mget('a', 'b'), ['1', '1']);
    assert.ok(!readdirSync(join(path, 'appendonlydir')).some((name) => name.startsWith('temp')));
    await again.close();
  }
});

test('writes during a compaction, and a process that ends in the middle of it', async (t) => {
  const dir = folder(t);
  const db = await open({ dir });
  for (let index = 0; index < 1000; index += 1) db.set(`k${index}`, 'x'.repeat(100));
  const rewriting = db.rewrite();
  db.set('during', 1);
  await db.flush();
  const crashed = copyOf(t, dir);
  fs.rmSync(join(crashed, 'keylatch.lock'));
  await rewriting;
  const digest = db.digestAll();
  await db.close();
  for (const path of [dir, crashed]) {
    const again = await open({ dir: path });
    assert.equal(again.digestAll(), digest);
    await again.close();
  }
});

test('folders that cannot be used are refused with a reason', async (t) => {
  const dir = folder(t);
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

test('a lone snapshot, and a log with a snapshot at its head, of older servers', async (t) => {
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
    const dir = folder(t);
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

test('CommonJS has the same', async (t) => {
  const { open: required } = createRequire(import.meta.url)(`${packageFolder}/cjs/persist.js`);
  const dir = folder(t);
  const db = await required({ dir });
  db.set('k', 1);
  await db.close();
  const again = await required({ dir });
  assert.equal(again.get('k'), '1');
  await again.close();
});
