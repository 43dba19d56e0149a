/** A server with a folder: `keylatch serve --dir`, its commands that save, its ends, and a disk that is full. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { failure, stub } from '../js/support/file-system.mjs';
import { temporaryFolder } from '../js/support/folders.mjs';
import { dial } from './support/raw.mjs';
import { redisCli, serveRedis } from './support/redis.mjs';
import { entry, program, run, serve, until } from './support/server.mjs';

const { createServer } = await entry('server');
const { open } = await entry('persist');

async function ask(port, ...words) {
  const { output } = await run(redisCli, ['-p', String(port), ...words.map(String)]);
  return output.trim();
}

test('SIGTERM flushes, and the next server has the data', async (t) => {
  const dir = temporaryFolder();
  const first = await serve(t, '--dir', dir, '--appendfsync', 'no');
  assert.equal(await ask(first.port, 'CONFIG', 'GET', 'append*sync'), 'appendfsync\nno');
  assert.match(await ask(first.port, 'INFO', 'persistence'), /aof_enabled:1/);
  await ask(first.port, 'SET', 'k', 'v');
  assert.equal(await first.stop(), 0);
  assert.deepEqual(readdirSync(dir), ['appendonlydir']);
  const second = await serve(t, '--dir', dir);
  assert.equal(await ask(second.port, 'GET', 'k'), 'v');
  const { code, errors } = await run(process.execPath, [program, 'serve', '--port', '0', '--dir', dir]);
  assert.equal(code, 1);
  assert.match(errors, new RegExp(`keylatch serve: directory .* is in use by process ${second.pid}: close it`));
});

test('replies of a turn leave after one fdatasync', async (t) => {
  const dir = temporaryFolder();
  const server = createServer({ dir, port: 0, bind: '127.0.0.1', appendfsync: 'always' });
  assert.throws(() => server.db, /await listen\(\) first/);
  await server.listen();
  t.after(() => server.close().catch(() => {}));
  const log = join(dir, 'appendonlydir', 'appendonly.aof.1.incr.aof');
  const client = await dial(t, server.port);
  assert.equal(await client.ask('SET k v\r\n'.repeat(100), '+OK\r\n'.repeat(100)), '+OK\r\n'.repeat(100));
  const pieces = readFileSync(log, 'latin1').match(/#KS:/g).length;
  assert.ok(pieces < 20, `${pieces} pieces of 100 commands`);
  server.db.set('direct', 1);
  assert.match(readFileSync(log, 'latin1'), /direct/, 'a call of this process is written when it returns');
  client.destroy();
  await server.close();
});

test('a reply to what could not be forced to the medium never leaves, also before QUIT', async (t) => {
  const server = createServer({ dir: temporaryFolder(), port: 0, bind: '127.0.0.1', appendfsync: 'always' });
  await server.listen();
  t.after(() => server.close().catch(() => {}));
  const restore = stub(t, 'fdatasyncSync', () => {
    throw failure('EIO');
  });
  const client = await dial(t, server.port);
  client.send('SET k v\r\nQUIT\r\n');
  assert.equal(await client.rest(), '');
  restore();
  await until(() => server.db.persistence.state === 'running', 'another attempt');
  const writer = await dial(t, server.port);
  assert.equal(await writer.ask('SET l v\r\n'), '+OK\r\n');
});

test('SAVE and BGSAVE write dump.rdb, BGREWRITEAOF a base, and a real server reads both', async (t) => {
  const dir = temporaryFolder();
  const server = await serve(t, '--dir', dir);
  await ask(server.port, 'SET', 'k', 'v');
  const before = Number(await ask(server.port, 'LASTSAVE'));
  await new Promise((resolve) => setTimeout(resolve, 1100));
  assert.equal(await ask(server.port, 'SAVE'), 'OK');
  assert.ok(Number(await ask(server.port, 'LASTSAVE')) > before);
  assert.match(
    await ask(server.port, 'INFO', 'persistence'),
    /rdb_changes_since_last_save:0[\s\S]*rdb_last_bgsave_status:ok/,
  );
  const written = statSync(join(dir, 'dump.rdb')).mtimeMs;
  await ask(server.port, 'SET', 'l', 'w');
  assert.equal(await ask(server.port, 'BGSAVE'), 'Background saving started');
  await until(() => statSync(join(dir, 'dump.rdb')).mtimeMs > written, 'the snapshot');
  assert.equal(await ask(server.port, 'BGREWRITEAOF'), 'Background append only file rewriting started');
  await until(() => existsSync(join(dir, 'appendonlydir', 'appendonly.aof.1.base.rdb')), 'the base');
  await server.stop();
  const snapshot = await serveRedis(t, '--dir', dir);
  assert.equal(await ask(snapshot.port, 'MGET', 'k', 'l'), 'v\nw');
  process.kill(snapshot.pid);
  const log = await serveRedis(t, '--dir', dir, '--appendonly', 'yes');
  assert.equal(await ask(log.port, 'MGET', 'k', 'l'), 'v\nw');
});

test('without a log: snapshots by the rule of save, and one at the end', async (t) => {
  const dir = temporaryFolder();
  const server = await serve(t, '--dir', dir, '--appendonly', 'no', '--save', '1 2');
  assert.equal(await ask(server.port, 'CONFIG', 'GET', 'save'), 'save\n1 2');
  await ask(server.port, 'SET', 'k', '1');
  await new Promise((resolve) => setTimeout(resolve, 2100));
  assert.ok(!existsSync(join(dir, 'dump.rdb')), 'one change is not enough');
  await ask(server.port, 'SET', 'k', '2');
  await until(() => existsSync(join(dir, 'dump.rdb')), 'the snapshot');
  await ask(server.port, 'SET', 'k', '3');
  assert.equal(await server.stop(), 0);
  assert.deepEqual(readdirSync(dir), ['dump.rdb']);
  const again = await serve(t, '--dir', dir, '--appendonly', 'no');
  assert.equal(await ask(again.port, 'GET', 'k'), '3');
  assert.equal(await ask(again.port, 'CONFIG', 'GET', 'save'), 'save\n3600 1 300 100 60 10000');
});

test('the rule of save tries again some seconds after a failure, and refuses writes until then', async (t) => {
  const dir = temporaryFolder();
  const server = await serve(t, '--dir', dir, '--appendonly', 'no', '--save', '1 1');
  const changedMs = performance.now();
  await ask(server.port, 'SET', 'k', '1');
  rmSync(dir, { recursive: true });
  const hasFailed = async () => (await ask(server.port, 'INFO', 'persistence')).includes('rdb_last_bgsave_status:err');
  await until(hasFailed, 'the failure');
  assert.match(await ask(server.port, 'SET', 'k', '2'), /^MISCONF /);
  mkdirSync(dir);
  await until(() => existsSync(join(dir, 'dump.rdb')), 'the snapshot');
  assert.ok(performance.now() - changedMs > 5500, 'a second until the rule, five until the next attempt');
  await until(async () => (await ask(server.port, 'SET', 'k', '3')) === 'OK', 'a write');
});

test('CONFIG SET appendfsync takes effect', async (t) => {
  const dir = temporaryFolder();
  const server = createServer({ dir, port: 0, bind: '127.0.0.1' });
  await server.listen();
  t.after(() => server.close().catch(() => {}));
  const log = join(dir, 'appendonlydir', 'appendonly.aof.1.incr.aof');
  server.db.set('a', 1);
  assert.equal(readFileSync(log).length, 0);
  await ask(server.port, 'CONFIG', 'SET', 'appendfsync', 'always');
  const { length } = readFileSync(log);
  server.db.set('b', 1);
  assert.ok(readFileSync(log).length > length);
  await server.close();
});

/** Mounts a small file system; false where that is not allowed. */
function mounted(t, size) {
  const path = mkdtempSync(join(tmpdir(), 'keylatch-medium-'));
  let isMounted = true;
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path], { stdio: 'ignore' });
  } catch {
    isMounted = false;
  }
  t.after(() => {
    if (isMounted) execFileSync('umount', ['-l', path]);
    rmSync(path, { recursive: true });
  });
  return isMounted ? path : undefined;
}

for (const appendfsync of ['everysec', 'always']) {
  test(`a full disk, ${appendfsync}: writes are refused until there is space, and nothing is lost`, async (t) => {
    const medium = mounted(t, '256k');
    if (medium === undefined) return t.skip('SKIPPED: file systems cannot be mounted here');
    const dir = join(medium, 'data');
    const server = await serve(t, '--dir', dir, '--appendfsync', appendfsync);
    await ask(server.port, 'SET', 'first', '1');
    writeFileSync(join(medium, 'filling'), Buffer.alloc(180 * 1024));
    const accepted = [];
    const value = 'x'.repeat(10_000);
    let reply = '';
    for (let index = 0; index < 40 && !reply.startsWith('MISCONF'); index += 1) {
      reply = await ask(server.port, 'SET', `k${index}`, value);
      if (reply === 'OK') accepted.push(`k${index}`);
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
    assert.match(reply, /^MISCONF Errors writing to the AOF file: .*the disk is full/);
    assert.equal(await ask(server.port, 'GET', 'first'), '1', 'reads go on');
    assert.match(await ask(server.port, 'PING'), /^MISCONF/);
    assert.match(await ask(server.port, 'INFO', 'persistence'), /aof_last_write_status:err/);
    rmSync(join(medium, 'filling'));
    const deadline = Date.now() + 15_000;
    while ((await ask(server.port, 'SET', 'after', '1')) !== 'OK' && Date.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(await server.stop(), 0);
    const db = await open({ dir });
    assert.deepEqual(
      [...accepted, 'first', 'after'].filter((key) => db.exists(key) === 0),
      [],
    );
    await db.close();
  });
}

test('a read-only file system is refused with a sentence', async (t) => {
  const medium = mounted(t, '256k');
  if (medium === undefined) return t.skip('SKIPPED: file systems cannot be mounted here');
  execFileSync('mount', ['-o', 'remount,ro', medium]);
  const { code, errors } = await run(process.execPath, [
    program,
    'serve',
    '--port',
    '0',
    '--dir',
    join(medium, 'data'),
  ]);
  assert.equal(code, 1);
  assert.match(errors, /the file system is read-only; choose another folder/);
});

test('options that contradict each other are refused', async () => {
  const dir = temporaryFolder();
  assert.throws(() => createServer({ appendonly: 'yes' }), /go with dir/);
  const { code, errors } = await run(process.execPath, [program, 'serve', '--dir', dir, '--appendfsync', 'never']);
  assert.equal(code, 2);
  assert.match(errors, /--appendfsync expects always, everysec, no, found "never"; see keylatch serve --help/);
});
