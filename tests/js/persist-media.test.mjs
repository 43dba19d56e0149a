// One process a folder, ends of processes, and media that fail.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs, { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { mock, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { failure, stub } from './support/file-system.mjs';
import { copyOf, temporaryFolder, newestLog } from './support/folders.mjs';
import { entry, folder as packageFolder } from './support/package.mjs';
import { until } from './support/until.mjs';

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

test('a live process keeps the folder, and is named', async (t) => {
  const dir = temporaryFolder();
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

test('without a socket: a lock of a process id that belongs to another process since, or to another boot, is taken over', async () => {
  const dir = temporaryFolder();
  const path = join(dir, 'keylatch.lock');
  const db = await open({ dir });
  const { socket, ...lock } = JSON.parse(readFileSync(path, 'utf8'));
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

test('without a socket: many processes race for the lock of a dead one, and one gets it', async (t) => {
  const dir = temporaryFolder();
  const db = await open({ dir });
  const { socket, ...lock } = JSON.parse(readFileSync(join(dir, 'keylatch.lock'), 'utf8'));
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

test('a process that ends without close, or by an error, has written everything', async () => {
  for (const end of ['', 'process.exit(3);', 'throw new Error("defect");']) {
    const dir = temporaryFolder();
    const text = `const db = await open({ dir: ${JSON.stringify(dir)} });
      for (let i = 0; i < 1000; i += 1) db.incr('n'); ${end}`;
    const head = `import { open } from ${JSON.stringify(`file://${packageFolder}/esm/persist.js`)};\n`;
    spawnSync(process.execPath, ['--input-type=module', '-e', head + text]);
    const db = await open({ dir });
    assert.equal(db.get('n'), '1000', end);
    await db.close();
  }
});

test('a worker thread that ends without close has written everything, and releases the folder', async () => {
  const dir = temporaryFolder();
  const text = `import(${JSON.stringify(`file://${packageFolder}/esm/persist.js`)}).then(async ({ open }) => {
    const db = await open({ dir: ${JSON.stringify(dir)} });
    db.set('k', 'v');
    process.exit();
  });`;
  await once(new Worker(text, { eval: true }), 'exit');
  const db = await open({ dir });
  assert.equal(db.get('k'), 'v');
  await db.close();
});

test('a full disk: what was written in part is removed, and writing goes on', async (t) => {
  const dir = temporaryFolder();
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
  const crashed = copyOf(dir);
  fs.rmSync(join(crashed, 'keylatch.lock'));
  restore();
  await until(() => db.persistence.state === 'running', 'writing');
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
  const dir = temporaryFolder();
  const db = await open({ dir, fsync: 'always' });
  db.onPersistence(() => {});
  db.set('a', 1);
  const restore = stub(t, 'fdatasyncSync', () => {
    throw failure('EIO');
  });
  assert.throws(() => db.set('b', 1), {
    name: 'PersistenceError',
    message: /EIO; this change is in memory, not on the medium$/,
  });
  assert.equal(db.persistence.state, 'failed');
  assert.throws(() => db.set('refused', 1), /^ReplyError: MISCONF/);
  assert.equal(db.get('b'), '1');
  restore();
  await until(() => db.persistence.state === 'running', 'writing anew');
  assert.ok(db.persistence.snapshotBytes > 0, 'a snapshot replaced the log');
  db.set('c', 1);
  await db.close();
  const again = await open({ dir });
  assert.deepEqual(again.mget('a', 'b', 'c'), ['1', '1', '1']);
  await again.close();
});

test('a compaction that fails leaves the log as it was', async () => {
  const dir = temporaryFolder();
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
  const crashed = copyOf(dir);
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

test('writes during a compaction, and a process that ends in the middle of it', async () => {
  const dir = temporaryFolder();
  const db = await open({ dir });
  for (let index = 0; index < 1000; index += 1) db.set(`k${index}`, 'x'.repeat(100));
  const rewriting = db.rewrite();
  db.set('during', 1);
  await db.flush();
  const crashed = copyOf(dir);
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
