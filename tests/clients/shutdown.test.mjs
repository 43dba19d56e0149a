/** SHUTDOWN: the replies and the ends of a real redis-server, and what the program that serves sees of it. */
import assert from 'node:assert/strict';
import { existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../js/support/folders.mjs';
import { dial, resp } from './support/raw.mjs';
import { serveRedis } from './support/redis.mjs';
import { entry, folder, serveBuild, sleep } from './support/server.mjs';

const { Keylatch } = await entry('index');
const { createServer } = await entry('server');

const scripting = resolve(folder, '../keylatch-scripting');
const BUSY_MS = 100;
const FAILED = '-ERR Errors trying to SHUTDOWN. Check logs.\r\n';
const SYNTAX = '-ERR syntax error\r\n';

const servers = {
  'redis-server': (t, ...options) => serveRedis(t, '--busy-reply-threshold', String(BUSY_MS), ...options),
  keylatch: (t, ...options) =>
    serveBuild(
      t,
      scripting,
      '--busy-reply-threshold',
      String(BUSY_MS),
      '--appendonly',
      'no',
      '--dir',
      temporaryFolder(),
      ...options,
    ),
};

for (const [name, start] of Object.entries(servers)) {
  test(`${name}: words of SHUTDOWN`, async (t) => {
    const { port } = await start(t);
    const client = await dial(t, port);
    for (const words of ['x', 'SAVE NOSAVE', 'ABORT NOW', 'ABORT FORCE', 'NOSAVE ABORT', 'save nosave'])
      assert.equal(await client.ask(`SHUTDOWN ${words}\r\n`), SYNTAX, words);
    assert.equal(await client.ask('SHUTDOWN ABORT\r\n'), '-ERR No shutdown in progress.\r\n');
    await client.ask('MULTI\r\n');
    assert.equal(await client.ask('SHUTDOWN\r\n'), '-ERR Command not allowed inside a transaction\r\n');
    await client.ask('DISCARD\r\n');
    assert.match(
      await client.ask(resp('EVAL', "return redis.call('SHUTDOWN')", '0')),
      /^-ERR This Redis command is not allowed from script/,
    );
  });

  for (const [words, save, isSaved] of [
    ['SHUTDOWN', '3600 1', true],
    ['shutdown now force', '3600 1', true],
    ['SHUTDOWN NOSAVE', '3600 1', false],
    ['SHUTDOWN', '', false],
    ['SHUTDOWN SAVE', '', true],
  ])
    test(`${name}: ${words} with save "${save}"`, async (t) => {
      const dir = temporaryFolder();
      const server = await start(t, '--dir', dir, '--save', save);
      const [client, other] = [await dial(t, server.port), await dial(t, server.port)];
      await client.ask('SET k v\r\n');
      client.send(`${words}\r\nPING\r\n`);
      assert.equal(await client.rest(), '');
      assert.equal(await other.rest(), '');
      assert.equal(await server.exited, 0);
      assert.equal(existsSync(join(dir, 'dump.rdb')), isSaved);
    });

  test(`${name}: it goes on if the snapshot cannot be saved, unless that is forced`, async (t) => {
    const dir = temporaryFolder();
    const server = await start(t, '--dir', dir, '--save', '3600 1');
    const client = await dial(t, server.port);
    await client.ask('SET k v\r\n');
    rmSync(dir, { recursive: true });
    assert.equal(await client.ask('SHUTDOWN\r\n'), FAILED);
    assert.equal(await client.ask('GET k\r\n', 'v\r\n'), '$1\r\nv\r\n');
    assert.equal(await client.ask('SHUTDOWN SAVE NOW\r\n'), FAILED);
    client.send('SHUTDOWN FORCE\r\n');
    assert.equal(await client.rest(), '');
    assert.equal(await server.exited, 0);
  });

  test(`${name}: while a script runs, only NOSAVE ends it`, async (t) => {
    const server = await start(t);
    const [own, other] = [await dial(t, server.port), await dial(t, server.port)];
    own.send(resp('EVAL', "redis.call('SET', 'k', 'v') while true do end", '0'));
    await sleep(2 * BUSY_MS);
    const busy = '-BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.\r\n';
    for (const words of ['', 'SAVE', 'NOW']) assert.equal(await other.ask(`SHUTDOWN ${words}\r\n`), busy, words);
    other.send('SHUTDOWN NOSAVE\r\n');
    assert.equal(await other.rest(), '');
    assert.equal(await server.exited, 0);
  });
}

test('a log has nothing of a script that SHUTDOWN NOSAVE ends, and everything before it', async (t) => {
  const dir = temporaryFolder();
  const options = ['--busy-reply-threshold', String(BUSY_MS), '--dir', dir];
  const server = await serveBuild(t, scripting, ...options);
  const [own, other] = [await dial(t, server.port), await dial(t, server.port)];
  assert.equal(await other.ask('SET k before\r\n'), '+OK\r\n');
  own.send(resp('EVAL', "redis.call('SET', 'k', 'v') redis.call('SET', 'l', 'v') while true do end", '0'));
  await sleep(2 * BUSY_MS);
  other.send('SHUTDOWN NOSAVE\r\n');
  assert.equal(await own.rest(), '');
  assert.equal(await server.exited, 0);
  const again = await serveBuild(t, scripting, ...options);
  const client = await dial(t, again.port);
  assert.equal(await client.ask('MGET k l\r\n', '$-1\r\n'), '*2\r\n$6\r\nbefore\r\n$-1\r\n');
});

test('the program that serves learns of the end, and keeps an engine of its own', async (t) => {
  const db = new Keylatch();
  const server = await createServer({ port: 0, bind: '127.0.0.1', db }).listen();
  const client = await dial(t, server.port);
  await client.ask('SET k v\r\n');
  client.send('SHUTDOWN\r\n');
  assert.equal(await client.rest(), '');
  await server.closed;
  assert.equal(db.get('k'), 'v');
  assert.throws(() => db.call('SHUTDOWN'), /^ReplyError: ERR there is no server to shut down/);
  await assert.rejects(dial(undefined, server.port), { code: 'ECONNREFUSED' });
});

test('all servers of one engine end, and one that is left still can', async (t) => {
  const db = new Keylatch();
  const served = () => createServer({ port: 0, bind: '127.0.0.1', db }).listen();
  const [first, second, third] = [await served(), await served(), await served()];
  await first.close();
  const client = await dial(t, third.port);
  client.send('SHUTDOWN\r\n');
  assert.equal(await client.rest(), '');
  await Promise.all([second.closed, third.closed]);
});

test('a server that was closed by its program has ended, too', async () => {
  const server = await createServer({ port: 0, bind: '127.0.0.1' }).listen();
  const closing = server.close();
  await server.closed;
  await closing;
});
