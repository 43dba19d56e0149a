// Types that the engine lacks: named with their place, or left out on request, by methods and by commands of the terminal.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from './support/folders.mjs';
import { entry, folder as packageFolder } from './support/package.mjs';

const { Keylatch, LoadError } = await entry('index');
const { open, restore } = await entry('persist');

const fixture = (name) => readFileSync(fileURLToPath(new URL(`../persistence/files/${name}`, import.meta.url)));
/** Streams of Redis 7.0.15 among other keys, as a snapshot and as a log. */
const SNAPSHOT = fixture('streams-7.0.15.rdb');
const LOG = fixture('streams-7.0.15.aof');
const FIRST_OFFSET = 102;
/** Offset of the first XADD in the log. */
const COMMAND_OFFSET = LOG.indexOf('*7\r\n$4\r\nxadd');

function keylatch(args) {
  const path = `${packageFolder}/cli/keylatch.js`;
  return spawnSync(process.execPath, [path, ...args], { encoding: 'utf8', timeout: 30_000 });
}

/** A folder in the layout of Redis 7 with a snapshot as its base, and a log. */
function logFolder(base, log) {
  const dir = temporaryFolder();
  const home = join(dir, 'appendonlydir');
  mkdirSync(home);
  const lines = ['file appendonly.aof.1.base.rdb seq 1 type b', 'file appendonly.aof.1.incr.aof seq 1 type i', ''];
  writeFileSync(join(home, 'appendonly.aof.manifest'), lines.join('\n'));
  writeFileSync(join(home, 'appendonly.aof.1.base.rdb'), base);
  writeFileSync(join(home, 'appendonly.aof.1.incr.aof'), log);
  return dir;
}

function loneSnapshot(bytes = SNAPSHOT) {
  const dir = temporaryFolder();
  writeFileSync(join(dir, 'dump.rdb'), bytes);
  return dir;
}

test('load refuses a stream with its offset, and skips it on request', () => {
  const db = new Keylatch();
  assert.throws(
    () => db.load(SNAPSHOT),
    (error) =>
      error instanceof LoadError &&
      error.offset === FIRST_OFFSET &&
      /the key "moved" holds a stream \(RDB type 19\), which is not supported/.test(error.message),
  );
  assert.deepEqual(db.load(SNAPSHOT, { skip: 'unsupported' }), {
    skipped: {
      count: 2,
      types: { stream: 2 },
      keys: [
        { key: 'moved', db: 0, type: 'stream', offset: FIRST_OFFSET },
        { key: 'other', db: 3, type: 'stream', offset: 342 },
      ],
    },
  });
  assert.deepEqual(db.mget('text', 'late', 'moved'), ['again', 'x', null]);
  assert.deepEqual(db.load(new Keylatch().snapshot()), { skipped: { count: 0, types: {}, keys: [] } });
  assert.throws(() => db.load(SNAPSHOT, { skip: 'all' }), TypeError);
});

test('replay refuses commands of streams with their offset, and skips them on request', () => {
  assert.throws(
    () => new Keylatch().replay(LOG),
    (error) => error instanceof LoadError && error.offset === COMMAND_OFFSET,
  );
  const db = new Keylatch();
  const { skipped, ...replayed } = db.replay(LOG, { skip: 'unsupported' });
  assert.deepEqual(replayed, { units: 14, droppedBytes: 0, lastNowMs: null });
  assert.deepEqual(skipped.types, { stream: 6, unknown: 2 });
  assert.deepEqual(skipped.keys[0], { key: 'events', db: 0, type: 'stream', offset: COMMAND_OFFSET });
  assert.deepEqual(db.mget('text', 'moved'), ['again', null]);
});

test('open names file, offset, key and type', async () => {
  const alone = loneSnapshot();
  const path = join(alone, 'dump.rdb');
  await assert.rejects(open({ dir: alone }), (error) => {
    assert.equal(error.message.startsWith(`${path}, byte ${FIRST_OFFSET}: the key "moved" holds a stream`), true);
    assert.deepEqual([error.code, error.file, error.offset], ['UNSUPPORTED', path, FIRST_OFFSET]);
    return true;
  });
  const dir = logFolder(new Keylatch().snapshot(), LOG);
  const log = join(dir, 'appendonlydir', 'appendonly.aof.1.incr.aof');
  await assert.rejects(open({ dir }), {
    code: 'UNSUPPORTED',
    file: log,
    offset: COMMAND_OFFSET,
    message: `${log}, byte ${COMMAND_OFFSET}: the command XADD of the key "events" (a stream) is not supported; nothing was changed`,
  });
});

test('the offset in a log behind a snapshot counts from the start of the file', async () => {
  const dir = temporaryFolder();
  const snapshot = new Keylatch().snapshot();
  writeFileSync(join(dir, 'appendonly.aof'), Buffer.concat([snapshot, LOG]));
  const offset = snapshot.length + COMMAND_OFFSET;
  await assert.rejects(open({ dir }), { code: 'UNSUPPORTED', offset });
});

test('damage has its offset, a checksum its own', async () => {
  const damaged = Buffer.from(SNAPSHOT);
  damaged.fill(0, damaged.length - 8);
  damaged[FIRST_OFFSET + 8] = 0x7f;
  const dir = loneSnapshot(damaged);
  await assert.rejects(
    open({ dir, readOnly: true, skip: 'unsupported' }),
    (error) =>
      error.code === 'DAMAGED' && error.offset > FIRST_OFFSET && error.message.includes(`byte ${error.offset}:`),
  );
  const flipped = Buffer.from(SNAPSHOT);
  flipped[FIRST_OFFSET] ^= 1;
  await assert.rejects(open({ dir: loneSnapshot(flipped) }), {
    code: 'DAMAGED',
    offset: flipped.length - 8,
    message: /dump\.rdb, byte \d+: the checksum does not fit/,
  });
});

test('open skips with readOnly only, and lists what it left out', async () => {
  const dir = logFolder(SNAPSHOT, LOG);
  await assert.rejects(open({ dir, skip: 'unsupported' }), {
    name: 'TypeError',
    message: /skip goes with readOnly: true.*would drop/,
  });
  const db = await open({ dir, readOnly: true, skip: 'unsupported' });
  const { skipped, restoredKeys } = db.persistence.restored;
  assert.equal(restoredKeys, 5);
  assert.equal(skipped.count, 10);
  assert.deepEqual(skipped.types, { stream: 8, unknown: 2 });
  const home = join(dir, 'appendonlydir');
  assert.deepEqual(skipped.keys[0], {
    key: 'moved',
    db: 0,
    type: 'stream',
    offset: FIRST_OFFSET,
    file: join(home, 'appendonly.aof.1.base.rdb'),
  });
  assert.equal(skipped.keys[2].file, join(home, 'appendonly.aof.1.incr.aof'));
  assert.equal(db.get('text'), 'again');
  await db.close();
});

test('restore without options refuses, as before', () => {
  const stored = { snapshot: SNAPSHOT, pieces: [], loggedMs: 0, seed: null, repairedBytes: 0 };
  assert.throws(() => restore(new Keylatch(), stored, 'title'), {
    code: 'UNSUPPORTED',
    message: /^title, snapshot, byte 102: the key "moved"/,
  });
  assert.equal(restore(new Keylatch(), stored, 'title', { skip: 'unsupported' }).skipped.count, 2);
});

test('check counts and names what is not supported, and dump prints the others', () => {
  const dir = loneSnapshot();
  const path = join(dir, 'dump.rdb');
  const checked = keylatch(['check', dir]);
  assert.equal(checked.status, 3, checked.stdout);
  assert.doesNotMatch(checked.stdout, /DAMAGED/);
  assert.match(checked.stdout, /\ndb0: 4 keys, .*\ndb3: 1 key, .*\nsound; /);
  assert.match(checked.stdout, /\nnot supported: 2 values and commands: 2 stream\n/);
  assert.ok(checked.stdout.includes(`${path}, byte ${FIRST_OFFSET}: key "moved", db0, stream\n`));

  const refused = keylatch(['dump', dir]);
  assert.deepEqual([refused.status, refused.stdout], [2, '']);
  assert.match(refused.stderr, /byte 102: the key "moved" holds a stream/);
  const dumped = keylatch(['dump', dir, '--skip', 'unsupported']);
  assert.equal(dumped.status, 0);
  assert.match(dumped.stdout, /SET text again\n/);
  assert.equal(dumped.stderr, 'keylatch dump: left out 2 stream\n');
  assert.match(keylatch(['dump', dir, '--skip', 'all']).stderr, /--skip takes the word unsupported/);
});

test('check refuses a value without a known length as not supported, with its place', () => {
  const old = Buffer.from('REDIS0008\x06\x01m\x00\xff\0\0\0\0\0\0\0\0', 'latin1');
  const { status, stdout } = keylatch(['check', loneSnapshot(old)]);
  assert.equal(status, 3);
  assert.match(stdout, /NOT SUPPORTED: .*dump\.rdb, byte 9: the key "m" holds a value of a module \(RDB type 6\)/);
});

test('check and dump say what they found in a folder of another name', () => {
  const dir = logFolder(new Keylatch().snapshot(), '');
  const renamed = join(dir, 'backup');
  renameSync(join(dir, 'appendonlydir'), renamed);
  for (const command of ['check', 'dump']) {
    const above = keylatch([command, dir]);
    assert.equal(above.status, 2);
    assert.ok(above.stderr.includes(`rename ${renamed} to ${join(dir, 'appendonlydir')}`), above.stderr);
    const itself = keylatch([command, renamed]);
    assert.equal(itself.status, 2);
    assert.match(itself.stderr, /holds the log of appendonly\.aof\.manifest, but .* must have the name appendonlydir/);
  }
  assert.match(keylatch(['check', temporaryFolder()]).stderr, /holds no data: neither a log nor a snapshot/);
});
