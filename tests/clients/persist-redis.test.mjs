/** Folders that redis-server writes and keylatch opens, and the reverse, with values of all types and encodings. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { copyOf, temporaryFolder } from '../js/support/folders.mjs';
import { redisCli, redisServer } from './support/redis.mjs';
import { entry, freePort, run, until } from './support/server.mjs';

const { open } = await entry('persist');
const { createServer } = await entry('server');

const numbers = (count) => Array.from({ length: count }, (_, index) => index * 7919 - 3);
const long = (letter) => letter.repeat(20_000);

/** Commands that make values in each encoding; deadlines are in the year 2100. */
const WRITES = [
  'SET int -7',
  'SET big 9223372036854775807',
  'SET text padded-007',
  `SET raw ${long('x')}`,
  'SET timed v PXAT 4102444800123',
  'SET "with space" "a\\x00\\xff\\r\\nb"',
  'APPEND grown abc',
  'SETBIT bits 70 1',
  'PFADD visitors a b c',
  'RPUSH list a 1 -300 70000 -9000000 9223372036854775807',
  `RPUSH longlist ${numbers(600).join(' ')} ${long('y')}`,
  'SADD intset 1 -300 70000 9223372036854775807',
  'SADD packedset a b 3',
  `SADD largeset ${numbers(600).join(' ')} text`,
  'HSET packed f 1 g two',
  `HSET large ${numbers(600)
    .map((number) => `f${number} ${number}`)
    .join(' ')}`,
  'ZADD packedz 1.5 a -inf b 3 c',
  `ZADD largez ${numbers(300)
    .map((number) => `${number}.25 m${number}`)
    .join(' ')}`,
  'GEOADD places 13.361389 38.115556 Palermo 15.087269 37.502669 Catania',
  'XADD events 1-1 kind order amount 20',
  'XADD events 1-2 kind order amount 30',
  'XADD events 2-1 note "a\\x00\\r\\nb"',
  'XDEL events 1-2',
  'XGROUP CREATE events readers 0',
  'XREADGROUP GROUP readers ann COUNT 1 STREAMS events >',
  'XADD emptied 5-1 f v',
  'XTRIM emptied MAXLEN 0',
  'EXPIREAT packed 4102444800',
  'MULTI',
  'INCR counter',
  'RENAME grown renamed',
  'EXEC',
  'SELECT 3',
  'SET elsewhere 1',
  'SELECT 0',
  'DEL int',
];

const READS = [
  'DBSIZE',
  ...['big', 'text', 'raw', 'timed', '"with space"', 'renamed', 'bits', 'counter'].map((key) => `GET ${key}`),
  'PFCOUNT visitors',
  ...['list', 'longlist'].map((key) => `LRANGE ${key} 0 -1`),
  ...['intset', 'packedset', 'largeset'].map((key) => `SORT ${key} ALPHA`),
  'HMGET packed f g',
  'HLEN large',
  `HMGET large ${numbers(600)
    .map((number) => `f${number}`)
    .join(' ')}`,
  ...['packedz', 'largez', 'places'].map((key) => `ZRANGE ${key} 0 -1 WITHSCORES`),
  'XRANGE events - +',
  'XPENDING events readers',
  ...['events', 'emptied'].flatMap((key) => [`XREAD STREAMS ${key} 0`, `XINFO GROUPS ${key}`]),
  ...['timed', 'packed', 'list'].map((key) => `PEXPIRETIME ${key}`),
  'EXISTS int grown',
  'SELECT 3',
  'GET elsewhere',
  'DBSIZE',
];

/** Runs commands, one a line, and returns what redis-cli prints. */
async function commands(port, lines) {
  const { output } = await run(redisCli, ['-p', String(port)], { input: `${lines.join('\n')}\n` });
  return output;
}

/** A redis-server over a folder. Resolves when it serves, or has ended. */
async function redisOver(t, dir, ...options) {
  const port = await freePort();
  const given = ['--port', String(port), '--dir', dir, '--save', '', '--appendonly', 'yes', ...options];
  const child = spawn(redisServer, given, { stdio: ['ignore', 'pipe', 'inherit'] });
  let log = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    log += text;
  });
  const exited = once(child, 'exit');
  const stop = async () => {
    child.kill();
    await exited;
  };
  t.after(stop);
  await until(() => child.exitCode !== null || log.includes('Ready to accept connections'), 'redis-server');
  return { port, stop, isUp: child.exitCode === null, log: () => log };
}

/** Output of the reading commands, asked of an engine through a socket. */
async function readsOf(db) {
  const server = createServer({ db, port: 0, bind: '127.0.0.1' });
  await server.listen();
  const output = await commands(server.port, READS);
  await server.close();
  return output;
}

/** A folder that keylatch wrote, and what its commands read. */
async function written() {
  const dir = temporaryFolder();
  const db = await open({ dir });
  const server = createServer({ db, port: 0, bind: '127.0.0.1' });
  await server.listen();
  const replies = await commands(server.port, WRITES);
  assert.ok(!replies.includes('ERR'), replies.slice(0, 1000));
  await server.close();
  await db.flush();
  return { dir, db, reads: await readsOf(db) };
}

test('redis-server loads a log, a snapshot, and both, that keylatch wrote', async (t) => {
  const { dir, db, reads } = await written();
  assert.ok(reads.length > 50_000);
  const check = async (expected) => {
    const redis = await redisOver(t, copyOf(dir));
    assert.ok(redis.isUp, redis.log());
    assert.equal(await commands(redis.port, READS), expected);
    await redis.stop();
  };
  await check(reads);
  await db.rewrite();
  await check(reads);
  db.set('counter', 5);
  await db.flush();
  await check(await readsOf(db));
  await db.close();
});

test('keylatch and redis-server take turns in one folder', async (t) => {
  const { dir, db, reads } = await written();
  await db.close();
  let expected = reads;
  for (let turn = 0; turn < 3; turn += 1) {
    const redis = await redisOver(t, dir);
    assert.equal(await commands(redis.port, READS), expected);
    await commands(redis.port, [`SET text redis-${turn}`, 'RPUSH list r', ...(turn === 1 ? ['BGREWRITEAOF'] : [])]);
    if (turn === 1) await until(() => redis.log().includes('Background AOF rewrite finished successfully'), 'rewrite');
    await redis.stop();
    const again = await open({ dir });
    assert.equal(again.get('text'), `redis-${turn}`);
    again.call('RPUSH', 'list', 'k');
    if (turn === 1) await again.rewrite();
    expected = await readsOf(again);
    await again.close();
  }
});

for (const preamble of ['yes', 'no']) {
  test(`keylatch opens what redis-server wrote, aof-use-rdb-preamble ${preamble}`, async (t) => {
    const dir = temporaryFolder();
    const redis = await redisOver(t, dir, '--aof-use-rdb-preamble', preamble);
    await commands(redis.port, WRITES);
    await commands(redis.port, ['BGREWRITEAOF']);
    await until(() => redis.log().includes('Background AOF rewrite finished successfully'), 'rewrite');
    await commands(redis.port, ['SET text after', 'MULTI', 'INCR counter', 'INCR counter', 'EXEC']);
    const reads = await commands(redis.port, READS);
    await redis.stop();
    const names = readdirSync(join(dir, 'appendonlydir'));
    assert.ok(
      names.some((name) => name.endsWith(preamble === 'yes' ? '.base.rdb' : '.base.aof')),
      names.join(),
    );
    const db = await open({ dir: copyOf(dir) });
    assert.equal(await readsOf(db), reads);
    await db.close();

    // An interrupted transaction at the end.
    const torn = copyOf(dir);
    const log = names.find((name) => name.endsWith('.incr.aof'));
    const end = '*1\r\n$5\r\nMULTI\r\n*2\r\n$4\r\nINCR\r\n$7\r\ncounter\r\n*1\r\n$4';
    appendFileSync(join(torn, 'appendonlydir', log), end);
    const repaired = await open({ dir: torn });
    assert.equal(repaired.persistence.restored.repairedBytes, end.length);
    assert.equal(await readsOf(repaired), reads);
    await repaired.close();
    const control = await redisOver(t, torn);
    assert.equal(await commands(control.port, READS), reads);
  });
}

test('keylatch opens a lone snapshot, and a lone log with a snapshot at its head as Redis 4 to 6 write it', async (t) => {
  const dir = temporaryFolder();
  const redis = await redisOver(t, dir);
  await commands(redis.port, [...WRITES, 'SAVE']);
  const reads = await commands(redis.port, READS);
  await commands(redis.port, ['BGREWRITEAOF']);
  await until(() => redis.log().includes('Background AOF rewrite finished successfully'), 'rewrite');
  await commands(redis.port, ['SET text after']);
  const later = await commands(redis.port, READS);
  await redis.stop();
  const alone = temporaryFolder();
  cpSync(join(dir, 'dump.rdb'), join(alone, 'dump.rdb'));
  const db = await open({ dir: alone });
  assert.equal(await readsOf(db), reads);
  await db.close();
  const control = await redisOver(t, alone);
  assert.equal(await commands(control.port, READS), reads, 'now a folder that redis-server loads');
  const old = temporaryFolder();
  const home = join(dir, 'appendonlydir');
  const names = readdirSync(home);
  const part = (end) =>
    readFileSync(
      join(
        home,
        names.find((name) => name.endsWith(end)),
      ),
    );
  writeFileSync(join(old, 'appendonly.aof'), Buffer.concat([part('.base.rdb'), part('.incr.aof')]));
  const joined = await open({ dir: old });
  assert.equal(await readsOf(joined), later);
  await joined.close();
  assert.equal(await readsOf(await open({ dir: old })), later);
});

test('deadlines of fields need Redis 7.4: 7.0 refuses the log and the snapshot, and says why', async (t) => {
  const dir = temporaryFolder();
  const db = await open({ dir });
  db.hset('h', { f: 1 });
  db.call('HPEXPIREAT', 'h', 4102444800123, 'FIELDS', 1, 'f');
  await db.flush();
  const log = await redisOver(t, copyOf(dir));
  await db.rewrite();
  const snapshot = await redisOver(t, copyOf(dir));
  await db.close();
  const { output } = await run(redisServer, ['--version']);
  const [, major, minor] = /v=(\d+)\.(\d+)/.exec(output).map(Number);
  const isOld = major < 7 || (major === 7 && minor < 4);
  assert.equal(log.isUp, !isOld);
  assert.equal(snapshot.isUp, !isOld);
  if (!isOld) return;
  assert.match(log.log(), /Unknown command 'hpexpireat' reading the append only file/i);
  assert.match(snapshot.log(), /Can't handle RDB format version 12/);
});
