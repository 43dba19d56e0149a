// Types that the engine lacks: named with their place, or left out on request, by methods and by commands of the terminal.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from './support/folders.mjs';
import { entry, folder as packageFolder } from './support/package.mjs';
import { request } from './support/recordings.mjs';

const { Keylatch, LoadError } = await entry('index');
const { open, restore } = await entry('persist');

/** Number and version of the type of RedisJSON. */
const JSON_TYPE = Buffer.from('8145e25238df912c03', 'hex');
/** Key of type JSON with an empty object, as a snapshot has it. */
const jsonKey = (key) => Buffer.concat([text('\x07', word(key)), JSON_TYPE, text('\x05\x02{}\x00')]);
const text = (...parts) => Buffer.from(parts.join(''), 'latin1');
const word = (bytes) => String.fromCharCode(bytes.length) + bytes;
const stringKey = (key, value) => text('\0', word(key), word(value));

/** Documents of RedisJSON among other keys, as a snapshot and as a log. */
const SNAPSHOT = Buffer.concat([
  text('REDIS0012', '\xfe\x00'),
  stringKey('text', 'again'),
  jsonKey('moved'),
  stringKey('late', 'x'),
  text('\xfe\x03'),
  jsonKey('other'),
  stringKey('kept', '1'),
  text('\xff'),
  Buffer.alloc(8),
]);
const LOG = Buffer.concat(
  ['SELECT 0', 'SET text old', 'JSON.SET events $ 1', 'JSON.SET moved $ 2', 'SET text again', 'RENAME moved late'].map(
    (line) => request(line.split(' ').map((part) => Buffer.from(part))),
  ),
);
const FIRST_OFFSET = SNAPSHOT.indexOf('\x07\x05moved');
/** Offset of the first JSON.SET in the log. */
const COMMAND_OFFSET = LOG.indexOf('*4');

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

test('load refuses a value of a module with its offset, and skips it on request', () => {
  const db = new Keylatch();
  assert.throws(
    () => db.load(SNAPSHOT),
    (error) =>
      error instanceof LoadError &&
      error.offset === FIRST_OFFSET &&
      /the key "moved" holds a value of a module \(RDB type 7\), which is not supported/.test(error.message),
  );
  assert.deepEqual(db.load(SNAPSHOT, { skip: 'unsupported' }), {
    skipped: {
      count: 2,
      types: { 'ReJSON-RL': 2 },
      keys: [
        { key: 'moved', db: 0, type: 'ReJSON-RL', offset: FIRST_OFFSET },
        { key: 'other', db: 3, type: 'ReJSON-RL', offset: SNAPSHOT.indexOf('\x07\x05other') },
      ],
    },
  });
  assert.deepEqual(db.mget('text', 'late', 'moved'), ['again', 'x', null]);
  assert.deepEqual(db.load(new Keylatch().snapshot()), { skipped: { count: 0, types: {}, keys: [] } });
  assert.throws(() => db.load(SNAPSHOT, { skip: 'all' }), TypeError);
});

test('replay refuses commands of modules with their offset, and skips them on request', () => {
  assert.throws(
    () => new Keylatch().replay(LOG),
    (error) => error instanceof LoadError && error.offset === COMMAND_OFFSET,
  );
  const db = new Keylatch();
  const { skipped, ...replayed } = db.replay(LOG, { skip: 'unsupported' });
  assert.deepEqual(replayed, { units: 5, droppedBytes: 0, lastNowMs: null });
  assert.deepEqual(skipped.types, { module: 2, unknown: 1 });
  assert.deepEqual(skipped.keys[0], { key: 'events', db: 0, type: 'module', offset: COMMAND_OFFSET });
  assert.deepEqual(db.mget('text', 'moved', 'late'), ['again', null, null]);
});

test('open names file, offset, key and type', async () => {
  const alone = loneSnapshot();
  const path = join(alone, 'dump.rdb');
  await assert.rejects(open({ dir: alone }), (error) => {
    assert.equal(
      error.message.startsWith(`${path}, byte ${FIRST_OFFSET}: the key "moved" holds a value of a module`),
      true,
    );
    assert.deepEqual([error.code, error.file, error.offset], ['UNSUPPORTED', path, FIRST_OFFSET]);
    return true;
  });
  const dir = logFolder(new Keylatch().snapshot(), LOG);
  const log = join(dir, 'appendonlydir', 'appendonly.aof.1.incr.aof');
  await assert.rejects(open({ dir }), {
    code: 'UNSUPPORTED',
    file: log,
    offset: COMMAND_OFFSET,
    message: `${log}, byte ${COMMAND_OFFSET}: the command JSON.SET of the key "events" (a type of a module) is not supported; nothing was changed`,
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
  // An opcode that is not one, behind the number of the type.
  damaged[damaged.indexOf(JSON_TYPE) + JSON_TYPE.length] = 0x7f;
  const dir = loneSnapshot(damaged);
  await assert.rejects(
    open({ dir, readOnly: true, skip: 'unsupported' }),
    (error) =>
      error.code === 'DAMAGED' && error.offset > FIRST_OFFSET && error.message.includes(`byte ${error.offset}:`),
  );
  const db = new Keylatch();
  db.set('text', 'again');
  const flipped = Buffer.from(db.snapshot());
  flipped[flipped.indexOf('again')] ^= 1;
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
  assert.equal(restoredKeys, 2);
  assert.equal(skipped.count, 5);
  assert.deepEqual(skipped.types, { 'ReJSON-RL': 2, module: 2, unknown: 1 });
  const home = join(dir, 'appendonlydir');
  assert.deepEqual(skipped.keys[0], {
    key: 'moved',
    db: 0,
    type: 'ReJSON-RL',
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
    message: new RegExp(`^title, snapshot, byte ${FIRST_OFFSET}: the key "moved"`),
  });
  assert.equal(restore(new Keylatch(), stored, 'title', { skip: 'unsupported' }).skipped.count, 2);
});

test('check counts and names what is not supported, and dump prints the others', () => {
  const dir = loneSnapshot();
  const path = join(dir, 'dump.rdb');
  const checked = keylatch(['check', dir]);
  assert.equal(checked.status, 3, checked.stdout);
  assert.doesNotMatch(checked.stdout, /DAMAGED/);
  assert.match(checked.stdout, /\ndb0: 2 keys, .*\ndb3: 1 key, .*\nsound; /);
  assert.match(checked.stdout, /\nnot supported: 2 values and commands: 2 ReJSON-RL\n/);
  assert.ok(checked.stdout.includes(`${path}, byte ${FIRST_OFFSET}: key "moved", db0, ReJSON-RL\n`));

  const refused = keylatch(['dump', dir]);
  assert.deepEqual([refused.status, refused.stdout], [2, '']);
  assert.match(refused.stderr, /byte \d+: the key "moved" holds a value of a module/);
  const dumped = keylatch(['dump', dir, '--skip', 'unsupported']);
  assert.equal(dumped.status, 0);
  assert.match(dumped.stdout, /SET text again\n/);
  assert.equal(dumped.stderr, 'keylatch dump: left out 2 ReJSON-RL\n');
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
