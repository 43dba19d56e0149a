// `keylatch check` and `keylatch dump` as processes.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder, newestLog } from './support/folders.mjs';
import { entry, folder as packageFolder } from './support/package.mjs';

const { Keylatch } = await entry('index');
const { open } = await entry('persist');

function keylatch(args, input) {
  const options = { input, encoding: 'utf8', timeout: 30_000 };
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [`${packageFolder}/cli/keylatch.js`, ...args],
    options,
  );
  return { status, stdout, stderr };
}

/** A folder with values of each type, some past their deadline by now, and the engine that wrote it. */
async function filled() {
  const dir = temporaryFolder();
  const db = await open({ dir, now: () => 1_700_000_000_000 });
  db.set('text', 'a "quoted" one\\');
  db.set(new Uint8Array([0, 255, 13, 10]), new Uint8Array([128, 0]));
  db.set('lease', 'me', { px: 5000 });
  db.rpush('list', ...Array.from({ length: 250 }, (_, index) => `e${index}`));
  db.sadd('set', 'a', 'ä');
  db.hset('hash', { f: 1, g: 'two words' });
  db.call('HPEXPIRE', 'hash', 9000, 'FIELDS', 1, 'f');
  db.zadd('z', 1.5, 'm');
  db.zadd('z', -Infinity, 'least');
  db.call('XADD', 'events', '1-1', 'kind', 'order');
  db.call('XADD', 'events', '2-1', 'kind', 'two words', 'amount', '3');
  db.call('XGROUP', 'CREATE', 'events', 'readers', '0');
  db.call('XREADGROUP', 'GROUP', 'readers', 'ann', 'COUNT', 1, 'STREAMS', 'events', '>');
  db.call('XADD', 'emptied', 'MAXLEN', '0', '5-1', 'f', 'v');
  db.client({ db: 3 }).set('elsewhere', 1);
  await db.flush();
  const fork = db.fork();
  await db.close();
  return { dir, db: fork };
}

test('check: a sound folder, its files and its keys', async () => {
  const { dir } = await filled();
  const { status, stdout } = keylatch(['check', dir]);
  assert.equal(status, 0);
  const lines = stdout.trim().split('\n');
  assert.match(lines[0], /appendonly\.aof\.1\.incr\.aof: log with 1 piece, \d+ bytes$/);
  assert.deepEqual(lines.slice(1, 3), [
    'db0: 9 keys, 1 with expiry: 1 hash, 1 list, 1 set, 2 stream, 3 string, 1 zset',
    'db3: 1 key, 0 with expiry: 1 string',
  ]);
  assert.match(lines[3], /^sound; .* of memory in an engine$/);
  for (const path of [
    join(dir, 'appendonlydir'),
    join(dir, 'appendonlydir', 'appendonly.aof.manifest'),
    newestLog(dir),
  ])
    assert.equal(keylatch(['check', path]).status, 0, path);
});

test('check: a torn end is found and cut off, other damage is reported only', async () => {
  const { dir } = await filled();
  const path = newestLog(dir);
  const log = readFileSync(path);
  appendFileSync(path, log.subarray(0, 100));
  const found = keylatch(['check', dir]);
  assert.equal(found.status, 1);
  assert.ok(
    found.stdout.includes(`${path}, byte ${log.length}: torn end: the last write is not complete (100 bytes from`),
  );
  assert.match(found.stdout, /run keylatch check --fix/);
  assert.equal(readFileSync(path).length, log.length + 100, 'nothing was changed');
  const fixed = keylatch(['check', '--fix', dir]);
  assert.equal(fixed.status, 0);
  assert.match(fixed.stdout, /cut off 100 bytes/);
  assert.deepEqual(readFileSync(path), log);

  // Zeros, as a file system leaves them after a loss of power.
  appendFileSync(path, new Uint8Array(64));
  await assert.rejects(open({ dir }), { code: 'DAMAGED', offset: log.length });
  assert.equal(keylatch(['check', dir, '--fix']).status, 0);
  assert.deepEqual(readFileSync(path), log);

  const damaged = Buffer.concat([log, log]);
  damaged[80] ^= 1;
  writeFileSync(path, damaged);
  const refused = keylatch(['check', dir, '--fix']);
  assert.equal(refused.status, 1);
  assert.match(refused.stdout, /byte 0: DAMAGED: the checksum of a piece does not fit/);
  assert.deepEqual(readFileSync(path), damaged);
});

test('check: a damaged snapshot, a file that is none, and a folder in use', async () => {
  const dir = temporaryFolder();
  const source = new Keylatch();
  source.set('k', 'v');
  const snapshot = Buffer.from(source.snapshot());
  const path = join(dir, 'dump.rdb');
  writeFileSync(path, snapshot);
  assert.match(keylatch(['check', path]).stdout, /dump\.rdb: snapshot, \d+ bytes\ndb0: 1 key/);
  snapshot[snapshot.length - 12] ^= 1;
  writeFileSync(path, snapshot);
  const { status, stdout } = keylatch(['check', path]);
  assert.equal(status, 1);
  assert.match(stdout, /DAMAGED: .*dump\.rdb.*the checksum does not fit/);
  assert.deepEqual(keylatch(['check', join(dir, 'missing')]).status, 2);
  assert.match(keylatch(['check', temporaryFolder()]).stderr, /holds no data/);
  const used = await filled();
  const db = await open({ dir: used.dir });
  db.set('k', 1);
  await db.flush();
  truncateSync(newestLog(used.dir), readFileSync(newestLog(used.dir)).length - 5);
  const refused = keylatch(['check', used.dir, '--fix']);
  assert.equal(refused.status, 2);
  assert.match(refused.stderr, new RegExp(`in use by process ${process.pid}`));
  await db.close();
});

test('dump: commands that make the same keys, and lines of JSON', async () => {
  const { dir, db } = await filled();
  const { status, stdout } = keylatch(['dump', dir]);
  assert.equal(status, 0);
  const copy = new Keylatch({ now: () => 1_700_000_000_000 });
  const { splitLine } = await entry('hints');
  for (const line of stdout.trim().split('\n')) copy.bytes.call(...splitLine(copy, line));
  assert.equal(copy.digestAll(), db.digestAll());

  const lines = keylatch(['dump', '--json', dir]).stdout.trim().split('\n').map(JSON.parse);
  const of = (key) => lines.find((line) => JSON.stringify(line.key) === JSON.stringify(key));
  assert.deepEqual(of('lease'), { db: 0, key: 'lease', type: 'string', expiresAt: 1_700_000_005_000, value: 'me' });
  assert.deepEqual(of({ base64: 'AP8NCg==' }).value, { base64: 'gAA=' });
  assert.deepEqual(of('z').value, [
    ['least', '-inf'],
    ['m', '1.5'],
  ]);
  assert.deepEqual(of('hash').fieldsExpireAt, [['f', 1_700_000_009_000]]);
  assert.equal(of('list').value.length, 250);
  assert.equal(of('elsewhere').db, 3);
  const { entries, groups, entriesAdded } = of('events').value;
  assert.deepEqual(entries[0], ['1-1', [['kind', 'order']]]);
  const pending = [{ id: '1-1', consumer: 'ann', deliveredAt: 1_700_000_000_000, deliveries: 1 }];
  assert.deepEqual(groups, [{ name: 'readers', lastId: '1-1', entriesRead: 1, consumers: ['ann'], pending }]);
  assert.equal(entriesAdded, 2);
});

test('help, and mistakes in arguments', () => {
  for (const command of ['check', 'dump']) {
    assert.match(keylatch([command, '--help']).stdout, new RegExp(`^keylatch ${command} PATH`));
    for (const wrong of [[], ['a', 'b'], ['--verbose', 'a']]) {
      const { status, stderr } = keylatch([command, ...wrong]);
      assert.equal(status, 2, stderr);
      assert.match(stderr, new RegExp(`^keylatch ${command}: .*; see keylatch ${command} --help\n$`));
    }
  }
});

test('dump prints no control characters, and JSON reads back', async () => {
  const dir = temporaryFolder();
  const db = await open({ dir });
  const text = 'k\u001b[2J\u007f\u009b31m\u0085';
  db.set(text, text);
  await db.close();
  const { stdout } = keylatch(['dump', dir, '--json']);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for.
  assert.doesNotMatch(stdout, /[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
  const { key, value } = JSON.parse(stdout);
  assert.deepEqual([key, value], [text, text]);
  assert.match(keylatch(['dump', dir]).stdout, /^[\x20-\x7e\n]*$/);
});
