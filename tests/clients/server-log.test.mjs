/** Replies and the log: no reply to a write leaves before the log has it, in every mode, and what happens when it cannot. */

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import fs from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { failure, stub } from '../js/support/file-system.mjs';
import { temporaryFolder, newestLog } from '../js/support/folders.mjs';
import { dial } from './support/raw.mjs';
import { entry, serve, sleep, until } from './support/server.mjs';

const { Keylatch } = await entry('index');
const { createServer } = await entry('server');
const { memoryStore, open } = await entry('persist');

/** A server of this process, closed at the end of the test. */
async function served(t, options) {
  const server = createServer({ port: 0, bind: '127.0.0.1', ...options });
  await server.listen();
  t.after(() => server.close().catch(() => {}));
  return server;
}

for (const appendfsync of ['everysec', 'no', 'always']) {
  test(`${appendfsync}: a reply that left is in the log, also to a blocked client`, async (t) => {
    const dir = temporaryFolder();
    const server = await served(t, { dir, appendfsync });
    const [writer, blocked] = [await dial(t, server.port), await dial(t, server.port)];
    const logged = () => readFileSync(newestLog(dir), 'latin1');
    await writer.ask('SET first 1\r\n');
    assert.match(logged(), /first/);
    blocked.send('BLPOP list 0\r\n');
    await sleep(20);
    writer.send('RPUSH list popped\r\n');
    await blocked.receive('popped\r\n');
    assert.match(logged(), /LPOP|popped/);
    // More than leaves in one piece, within a turn.
    writer.clear();
    writer.send(`SET large ${'x'.repeat(20_000)}\r\nGET large\r\nSET last 1\r\n`);
    await writer.receive('x\r\n+OK\r\n');
    assert.match(logged(), /last/);
  });

  test(`${appendfsync}: with SIGKILL no acknowledged write is lost`, async (t) => {
    const dir = temporaryFolder();
    const server = await serve(t, '--dir', dir, '--appendfsync', appendfsync);
    const client = await dial(t, server.port);
    // Far more than are replied to before the end.
    client.send('INCR n\r\n'.repeat(200_000));
    await until(() => client.bytes > 2000, 'replies');
    await server.stop('SIGKILL');
    await until(() => client.closed, 'the end');
    const replied = Number(/:(\d+)\r\n[^\n]*$/.exec(client.text)[1]);
    const db = await open({ dir });
    assert.ok(Number(db.get('n')) >= replied, `${replied} replies, ${db.get('n')} stored`);
    await db.close();
  });
}

test('after a failed append, connections that wrote end without a reply, and readers stay', async (t) => {
  const dir = temporaryFolder();
  const server = await served(t, { dir, config: { 'enable-debug-command': 'yes' } });
  const [writer, reader, other] = await Promise.all([1, 2, 3].map(() => dial(t, server.port)));
  await writer.ask('SET k old\r\n');
  await writer.ask('DEBUG SET-ACTIVE-EXPIRE 0\r\n');
  await writer.ask('SET expired v PX 1\r\n');
  const restore = stub(t, 'writeSync', () => {
    throw failure('ENOSPC');
  });
  reader.send('GET k\r\n');
  writer.send('SET k new\r\n');
  assert.equal(await writer.rest(), '');
  await reader.receive('\r\n');
  assert.match(await other.ask('SET k newer\r\n'), /^-MISCONF /);
  assert.equal(await reader.ask('GET none\r\n'), '$-1\r\n');
  assert.equal(await reader.ask('GET expired\r\n'), '$-1\r\n');
  assert.equal(await reader.ask('GET none\r\n'), '$-1\r\n');
  restore();
  await until(() => server.db.persistence.state === 'running', 'another attempt');
  assert.equal(await other.ask('SET k newest\r\n'), '+OK\r\n');
});

test('a write and QUIT in one packet get no reply when the append fails', async (t) => {
  const server = await served(t, { dir: temporaryFolder(), appendfsync: 'no' });
  const client = await dial(t, server.port);
  const restore = stub(t, 'writeSync', () => {
    throw failure('EIO');
  });
  client.send('SET k v\r\nQUIT\r\n');
  assert.equal(await client.rest(), '');
  restore();
});

test('replies to writes wait while the whole state is written, and reads do not', async (t) => {
  const dir = temporaryFolder();
  const server = await served(t, { dir });
  const [writer, reader] = [await dial(t, server.port), await dial(t, server.port)];
  const source = new Keylatch();
  source.set('loaded', 1);
  let release = () => {};
  const held = new Promise((resolve) => {
    release = resolve;
  });
  const { rename } = fs.promises;
  t.mock.method(fs.promises, 'rename', async (...given) => {
    await held;
    return rename(...given);
  });
  const { syncBuiltinESMExports } = await import('node:module');
  syncBuiltinESMExports();
  server.db.load(source.snapshot());
  writer.send('SET k v\r\nQUIT\r\n');
  assert.equal(await reader.ask('GET loaded\r\n', '1\r\n'), '$1\r\n1\r\n');
  await sleep(50);
  assert.equal(writer.bytes, 0, 'the state under the write is not stored yet');
  release();
  assert.equal(await writer.rest(), '+OK\r\n+OK\r\n');
  t.mock.restoreAll();
  syncBuiltinESMExports();
  await server.close();
  const db = await open({ dir });
  assert.deepEqual(db.mget('loaded', 'k'), ['1', 'v']);
  await db.close();
});

test('a database of the program is served by the same rules', async (t) => {
  const dir = temporaryFolder();
  const db = await open({ dir, fsync: 'no' });
  db.onPersistence(() => {});
  const server = await served(t, { db });
  const client = await dial(t, server.port);
  assert.match(await client.ask('CONFIG GET appendfsync\r\n', 'no\r\n'), /appendfsync/);
  await client.ask('SET k v\r\n');
  assert.match(readFileSync(newestLog(dir), 'latin1'), /\$1\r\nk\r\n/);
  const restore = stub(t, 'writeSync', () => {
    throw failure('ENOSPC');
  });
  client.send('SET k w\r\n');
  assert.equal(await client.rest(), '');
  const other = await dial(t, server.port);
  assert.match(await other.ask('SET k x\r\n'), /^-MISCONF /);
  await server.close();
  db.set('after', 'the server: the program continues by its own options');
  restore();
  await db.close();
});

test('over a store that takes its time, replies wait for it', async (t) => {
  const inner = memoryStore();
  const appends = [];
  const store = new Proxy(inner, {
    get(target, name) {
      if (name === 'append')
        return (piece, nowMs) =>
          new Promise((resolve) => appends.push(resolve)).then(() => target.append(piece, nowMs));
      const member = target[name];
      return typeof member === 'function' ? member.bind(target) : member;
    },
    set: (target, name, value) => Reflect.set(target, name, value),
  });
  const db = await open({ store });
  const server = await served(t, { db });
  const client = await dial(t, server.port);
  client.send('SET k v\r\n');
  await until(() => appends.length === 1, 'the append');
  client.send('GET k\r\n');
  await sleep(30);
  assert.equal(client.bytes, 0);
  appends.shift()();
  await client.receive('$1\r\nv\r\n');
  await server.close();
  const closed = db.close();
  appends.forEach((done) => done());
  await closed;
});

test('WAITAOF replies when a sync that covers the write has ended', async (t) => {
  const server = await served(t, { dir: temporaryFolder() });
  const client = await dial(t, server.port);
  let end;
  const restore = stub(t, 'fdatasync', (real, fd, done) => {
    end = () => real(fd, done);
  });
  client.send('SET k v\r\nWAITAOF 1 0 0\r\nWAITAOF 0 0 0\r\n');
  await client.receive('+OK\r\n');
  await until(() => end !== undefined, 'the sync');
  assert.equal(client.bytes, 0);
  restore();
  end();
  assert.equal(await client.receive('*2\r\n:1\r\n:0\r\n*2\r\n:1\r\n:0\r\n'), '*2\r\n:1\r\n:0\r\n*2\r\n:1\r\n:0\r\n');
  client.send('SET k w\r\nWAITAOF 1 1 2000\r\n');
  assert.equal(await client.receive('*2\r\n:1\r\n:0\r\n'), '+OK\r\n*2\r\n:1\r\n:0\r\n', 'there is no replica');
});

test('WAITAOF forces the log also where appendfsync leaves that to the system', async (t) => {
  const server = await served(t, { dir: temporaryFolder(), appendfsync: 'no' });
  const client = await dial(t, server.port);
  let syncs = 0;
  stub(t, 'fdatasync', (real, fd, done) => {
    syncs += 1;
    real(fd, done);
  });
  assert.equal(await client.ask('SET k v\r\nWAITAOF 1 0 5000\r\n', ':0\r\n'), '+OK\r\n*2\r\n:1\r\n:0\r\n');
  assert.equal(syncs, 1);
});

test('WAITAOF waits out a failed sync', async (t) => {
  const server = await served(t, { dir: temporaryFolder() });
  server.db.onPersistence(() => {});
  const client = await dial(t, server.port);
  const restore = stub(t, 'fdatasync', (_, _fd, done) => setImmediate(done, failure('EIO')));
  client.send('SET k v\r\nWAITAOF 1 0 0\r\n');
  await until(() => server.db.persistence.state === 'failed', 'the failure');
  await until(() => client.text !== '', 'the reply to the write');
  assert.equal(client.text, '+OK\r\n');
  restore();
  await client.receive('*2\r\n:1\r\n:0\r\n');
});

test('snapshots only: WAITAOF has no log to wait for', async (t) => {
  const server = await served(t, { dir: temporaryFolder(), appendonly: 'no' });
  const client = await dial(t, server.port);
  assert.match(
    await client.ask('WAITAOF 1 0 0\r\n'),
    /^-ERR WAITAOF cannot be used when numlocal is set but appendonly is/,
  );
});

test('saves run one after the other, and the end saves what changed since', async (t) => {
  const dir = temporaryFolder();
  const server = await served(t, { dir, appendonly: 'no', config: { save: '3600 1' } });
  const client = await dial(t, server.port);
  await client.ask('SET k 1\r\n');
  let running = 0;
  let most = 0;
  const { rename } = fs.promises;
  t.mock.method(fs.promises, 'rename', async (...given) => {
    running += 1;
    most = Math.max(most, running);
    await sleep(50);
    await rename(...given);
    running -= 1;
  });
  const { syncBuiltinESMExports } = await import('node:module');
  syncBuiltinESMExports();
  assert.match(await client.ask('BGSAVE\r\n'), /started/);
  await client.ask('SET k 2\r\n');
  await server.close();
  assert.equal(most, 1);
  assert.deepEqual(readdirSync(dir), ['dump.rdb']);
  t.mock.restoreAll();
  syncBuiltinESMExports();
  const again = await served(t, { dir, appendonly: 'no' });
  assert.equal(again.db.get('k'), '2');
});

test('a last snapshot that cannot be written is a failure of the end', async (t) => {
  const dir = temporaryFolder();
  const server = await served(t, { dir, appendonly: 'no', config: { save: '3600 1' } });
  server.db.set('k', 1);
  rmSync(dir, { recursive: true });
  await assert.rejects(server.close(), { name: 'PersistenceError' });
});

test('a state that is loaded beside a save is the one that stays', async (t) => {
  const dir = temporaryFolder();
  const server = await served(t, { dir, appendonly: 'no', config: { save: '' } });
  const small = new Keylatch();
  small.set('new', '1');
  for (let index = 0; index < 8; index += 1) server.db.set(`old${index}`, 'x'.repeat(2 ** 21));
  const client = await dial(t, server.port);
  assert.match(await client.ask('BGSAVE\r\n'), /started/);
  server.db.load(small.snapshot());
  await server.db.flush();
  await server.close();
  const again = await served(t, { dir, appendonly: 'no' });
  assert.deepEqual(again.db.keys('*'), ['new']);
});

test('a server whose listen failed, or that was closed twice, leaves the database as it was', async (t) => {
  let fails = false;
  const store = memoryStore();
  const { append } = store;
  store.append = (...given) => {
    if (fails) throw failure('EIO');
    return append.apply(store, given);
  };
  const db = await open({ store });
  t.after(() => db.close().catch(() => {}));
  db.onPersistence(() => {});
  const first = await served(t, { db });
  await assert.rejects(served(t, { db, port: first.port }), { code: 'EADDRINUSE' });
  const second = await served(t, { db });
  await first.close();
  await first.close();
  fails = true;
  db.set('k', 1);
  await assert.rejects(db.flush());
  assert.throws(() => db.set('k', 2), /MISCONF/);
  await second.close();
  db.set('k', 3);
});

test('the rule saves once for one change', async (t) => {
  const dir = temporaryFolder();
  const server = await served(t, { dir, appendonly: 'no', config: { save: '1 1' } });
  const client = await dial(t, server.port);
  await client.ask('SET k 1\r\n');
  await until(() => existsSync(join(dir, 'dump.rdb')), 'the snapshot');
  await until(
    async () => /changes_since_last_save:0/.test(await client.ask('INFO persistence\r\n', '\r\n')),
    'the count',
  );
  const written = fs.statSync(join(dir, 'dump.rdb')).mtimeMs;
  await sleep(2500);
  assert.equal(fs.statSync(join(dir, 'dump.rdb')).mtimeMs, written);
});

test('a draft of another process, and one of a real server, are not renamed or removed by a save', async (t) => {
  const dir = temporaryFolder();
  const server = await served(t, { dir, appendonly: 'no' });
  writeFileSync(join(dir, `temp-${process.pid}.rdb`), 'of a server that lives');
  server.db.set('k', 1);
  await server.db.saves.request('snapshot');
  assert.equal(readFileSync(join(dir, `temp-${process.pid}.rdb`), 'utf8'), 'of a server that lives');
  assert.equal(readFileSync(join(dir, 'dump.rdb'), 'latin1').slice(0, 5), 'REDIS');
});

test('SIGHUP stops a server in order', async (t) => {
  const dir = temporaryFolder();
  const server = await serve(t, '--dir', dir, '--appendfsync', 'no');
  const client = await dial(t, server.port);
  await client.ask('SET k v\r\n');
  assert.equal(await server.stop('SIGHUP'), 0);
  const db = await open({ dir });
  assert.equal(db.get('k'), 'v');
  await db.close();
});
