// Damage of folders: a refusal changes no byte, and what a killed process leaves behind is no damage.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { copyOf, temporaryFolder, newestLog } from './support/folders.mjs';
import { entry, folder as packageFolder } from './support/package.mjs';

const { Keylatch } = await entry('index');
const { open } = await entry('persist');
const { createServer } = await entry('server');

/** A server that keeps no log. */
const snapshotServer = (dir) => createServer({ port: 0, dir, appendonly: 'no' });

const NOW = 1_767_225_600_000;
const BASE = 'appendonly.aof.3.base.rdb';
const LOG = 'appendonly.aof.4.incr.aof';
const MANIFEST = 'appendonly.aof.manifest';

const opened = (dir) => open({ dir, now: () => NOW });
const inLogs = (dir, name) => join(dir, 'appendonlydir', name);

/** A folder after three rewrites, and the digests of its states from the last rewrite on. */
async function written() {
  const dir = temporaryFolder();
  const db = await opened(dir);
  for (let round = 0; round < 3; round += 1) {
    db.set(`round${round}`, 'x'.repeat(20));
    db.rpush('list', round, 'y');
    await db.rewrite();
  }
  const digests = [db.digestAll()];
  for (const name of ['a', 'b', 'c']) {
    db.multi().set(name, name).incr('n').exec();
    await db.flush();
    digests.push(db.digestAll());
  }
  await db.close();
  assert.deepEqual(readdirSync(join(dir, 'appendonlydir')).sort(), [BASE, LOG, MANIFEST]);
  return { dir, digests };
}

/** Names and contents of all files below a folder. Lock and socket come and go. */
function contentsOf(dir) {
  const names = readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath ?? file.path, file.name).slice(dir.length + 1));
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(join(dir, name)).toString('base64')]));
}

/** Opens a folder: the digest, or the refusal, which must have changed nothing. */
async function outcome(dir) {
  const before = contentsOf(dir);
  let db;
  try {
    db = await opened(dir);
  } catch (error) {
    assert.equal(error.name, 'PersistenceError', error.stack);
    assert.deepEqual(contentsOf(dir), before, error.message);
    return { error };
  }
  const digest = db.digestAll();
  await db.close();
  return { digest };
}

/** Refuses a folder with damage at a place. */
async function refused(dir, reason, file) {
  const { error } = await outcome(dir);
  assert.ok(error !== undefined, `opened, expected ${reason}`);
  assert.equal(error.code, 'DAMAGED', error.message);
  assert.match(error.message, reason);
  assert.ok(error.offset >= 0, error.message);
  if (file !== undefined) assert.equal(error.file, file);
}

/** Runs `work` on a fresh copy of a folder. */
async function onCopy(dir, work) {
  const copy = copyOf(dir);
  await work(copy);
  rmSync(copy, { recursive: true });
}

test('manifest, snapshot and last log cut at every byte: a refusal, a prefix of the log, or everything', async () => {
  const { dir, digests } = await written();
  const all = digests.at(-1);
  const counts = {};
  for (const name of [MANIFEST, BASE, LOG]) {
    const bytes = readFileSync(inLogs(dir, name));
    for (let length = 0; length <= bytes.length; length += 1)
      await onCopy(dir, async (copy) => {
        writeFileSync(inLogs(copy, name), bytes.subarray(0, length));
        const { digest, error } = await outcome(copy);
        const kind = error === undefined ? digest : error.code;
        counts[`${name} ${kind}`] = (counts[`${name} ${kind}`] ?? 0) + 1;
        const allowed = name === LOG ? digests : [all, 'DAMAGED'];
        assert.ok(allowed.includes(kind), `${name} cut at ${length}: ${kind} ${error?.message}`);
      });
    assert.equal(counts[`${name} DAMAGED`] ?? 0, name === LOG ? 0 : bytes.length - (name === MANIFEST ? 1 : 0));
  }
  for (const digest of digests) assert.ok(counts[`${LOG} ${digest}`] > 0, 'each state of the log is found');
});

test('a manifest of zero bytes beside data is refused', async () => {
  const { dir } = await written();
  writeFileSync(inLogs(dir, MANIFEST), '');
  await refused(dir, /byte 0: no file is named, but appendonly\.aof\..* holds data/, inLogs(dir, MANIFEST));
  renameSync(inLogs(dir, BASE), join(dir, 'dump.rdb'));
  writeFileSync(inLogs(dir, LOG), '');
  await refused(dir, /no file is named, but dump\.rdb holds data/, inLogs(dir, MANIFEST));
  rmSync(join(dir, 'dump.rdb'));
  assert.equal((await outcome(dir)).error, undefined, 'without data there is nothing to lose');
});

test('manifests that make no sense are refused with their place', async () => {
  const { dir } = await written();
  const text = readFileSync(inLogs(dir, MANIFEST), 'utf8');
  const [base, log, trailer] = text.split(/(?<=\n)/);
  const cases = [
    ['\0'.repeat(text.length), /no end: the manifest is cut/],
    [`${'\0'.repeat(text.length - 1)}\n`, /not a line of a manifest/],
    [readFileSync(inLogs(dir, BASE)), /cut|not a line/],
    [readFileSync(inLogs(dir, LOG)), /not a line/],
    [base + log + log, /byte \d+: the file is named twice: file appendonly\.aof\.4/],
    [base + log + base, /named twice/],
    [`${base}${log}${base.replace('.3.', '.2.')}`, /a second base/],
    [`${base}${log}file other.incr.aof seq 4 type i\n`, /the sequence number does not rise/],
    [base + log.replace('.4.', '.5.').replace('seq 4', 'seq 5'), /5\.incr\.aof, byte 0: .*but it is missing/],
    [base.replace('.3.', '.2.') + log, /2\.base\.rdb, byte 0: .*but it is missing/],
    [`${base}file ${LOG} seq 4 type h\n${trailer}`, /the checksum does not fit/],
    [base, /the log appendonly\.aof\.4\.incr\.aof holds data, but is not named/],
    [text.replaceAll('\n', '\r\n'), /the checksum does not fit/],
    [text.replaceAll('\n', ' \n'), /the checksum does not fit/],
  ];
  for (const [changed, reason] of cases)
    await onCopy(dir, async (copy) => {
      writeFileSync(inLogs(copy, MANIFEST), changed);
      await refused(copy, reason);
    });
});

test('a manifest as Redis writes it: without a checksum, with blanks and other line ends', async () => {
  const { dir, digests } = await written();
  const [base, log] = readFileSync(inLogs(dir, MANIFEST), 'utf8').split(/(?<=\n)/);
  for (const text of [base + log, (base + log).replaceAll('\n', '\r\n'), (base + log).replaceAll('\n', '  \n')])
    await onCopy(dir, async (copy) => {
      writeFileSync(inLogs(copy, MANIFEST), text);
      assert.equal((await outcome(copy)).digest, digests.at(-1));
    });
});

test('what a killed process leaves beside the files of the manifest is no damage', async () => {
  const { dir, digests } = await written();
  const log = readFileSync(inLogs(dir, LOG));
  const remains = {
    'appendonly.aof.5.incr.aof': '',
    'appendonly.aof.4.base.rdb': readFileSync(inLogs(dir, BASE)),
    'appendonly.aof.3.incr.aof': log,
    'appendonly.aof.2.base.rdb': 'REDIS',
    'temp-appendonly.aof.manifest': '',
  };
  for (const [name, bytes] of Object.entries(remains)) writeFileSync(inLogs(dir, name), bytes);
  assert.equal((await outcome(dir)).digest, digests.at(-1));
  writeFileSync(inLogs(dir, 'appendonly.aof.5.incr.aof'), log);
  await refused(dir, /the log appendonly\.aof\.5\.incr\.aof holds data/, inLogs(dir, MANIFEST));
});

test('an empty log as the base is none, an empty snapshot is damage', async () => {
  const { dir } = await written();
  writeFileSync(inLogs(dir, BASE), '');
  await refused(dir, /3\.base\.rdb, byte 0: the snapshot is empty/, inLogs(dir, BASE));
  writeFileSync(inLogs(dir, BASE), readFileSync(inLogs(dir, LOG)));
  await refused(dir, /byte 0: not a snapshot/, inLogs(dir, BASE));
  const text = readFileSync(inLogs(dir, MANIFEST), 'utf8').replace(/# .*\n/, '');
  renameSync(inLogs(dir, BASE), inLogs(dir, BASE.replace('rdb', 'aof')));
  writeFileSync(inLogs(dir, BASE.replace('rdb', 'aof')), '');
  writeFileSync(inLogs(dir, MANIFEST), text.replace('.rdb', '.aof'));
  const db = await opened(dir);
  assert.equal(db.get('n'), '3');
  await db.close();

  const lone = temporaryFolder();
  writeFileSync(join(lone, 'dump.rdb'), '');
  await refused(lone, /dump\.rdb, byte 0: the snapshot is empty/, join(lone, 'dump.rdb'));
  await assert.rejects(snapshotServer(lone).listen(), { code: 'DAMAGED' });
});

test('nothing is cut or deleted before everything was found sound', async () => {
  const { dir, digests } = await written();
  const text = readFileSync(inLogs(dir, MANIFEST), 'utf8').replace(/# .*\n/, '');
  writeFileSync(inLogs(dir, MANIFEST), `${text}file appendonly.aof.2.base.rdb seq 2 type h\n`);
  writeFileSync(inLogs(dir, 'appendonly.aof.2.base.rdb'), 'replaced');
  writeFileSync(inLogs(dir, 'temp-keylatch-1.rdb'), 'a draft');
  appendFileSync(inLogs(dir, LOG), '*2\r\n$3\r\nDE');
  const base = readFileSync(inLogs(dir, BASE));
  const flipped = Buffer.from(base);
  flipped[flipped.length - 12] ^= 1;
  writeFileSync(inLogs(dir, BASE), flipped);
  await refused(dir, /3\.base\.rdb, byte \d+: .*nothing was changed/, inLogs(dir, BASE));
  writeFileSync(inLogs(dir, BASE), base);
  assert.equal((await outcome(dir)).digest, digests.at(-1));
  assert.deepEqual(readdirSync(join(dir, 'appendonlydir')).sort(), [BASE, LOG, MANIFEST]);
});

test('drafts of dead processes are deleted when a folder is opened, those of live processes stay', async () => {
  const { pid: dead } = spawnSync(process.execPath, ['--version']);
  const { dir } = await written();
  const hourAgo = Date.now() / 1000 - 3600;
  const place = (home, names) =>
    names.forEach((name) => {
      writeFileSync(join(home, name), 'draft');
      utimesSync(join(home, name), hourAgo, hourAgo);
    });
  const gone = ['temp-keylatch-0a1b.rdb', `temp-${dead}.rdb`, `temp-rewriteaof-${dead}.aof`];
  // In another container the id may be that of a live process, which writes to its draft.
  const fresh = `temp-${dead}0.rdb`;
  const kept = [`temp-${process.pid}.rdb`, `temp-rewriteaof-bg-${process.pid}.aof`, 'temp-notes.txt', fresh];
  for (const home of [dir, join(dir, 'appendonlydir')]) {
    place(home, [...gone, `temp-rewriteaof-bg-${dead}.aof`, ...kept]);
    writeFileSync(join(home, fresh), 'draft');
  }
  await (await opened(dir)).close();
  const draftsIn = (home) => readdirSync(home).filter((name) => name.startsWith('temp-'));
  for (const home of [dir, join(dir, 'appendonlydir')]) assert.deepEqual(draftsIn(home).sort(), kept.sort());

  const lone = temporaryFolder();
  place(lone, [...gone, ...kept]);
  writeFileSync(join(lone, fresh), 'draft');
  await (await snapshotServer(lone).listen()).close();
  assert.deepEqual(draftsIn(lone).sort(), kept.sort());
});

test('a log of any name is data, also if it begins as drafts do', async () => {
  const { dir } = await written();
  const { digest } = await outcome(copyOf(dir));
  const logs = join(dir, 'appendonlydir');
  const renamed = (text) => text.replaceAll('appendonly.aof', 'temperature.aof');
  const manifest = readFileSync(join(logs, MANIFEST), 'utf8');
  for (const name of readdirSync(logs)) renameSync(join(logs, name), join(logs, renamed(name)));
  // Without the line of keylatch, which has a checksum.
  writeFileSync(join(logs, renamed(MANIFEST)), renamed(manifest).replace(/^#.*\n/m, ''));
  assert.deepEqual(await outcome(dir), { digest });
});

test('drafts alone are no data: a process was killed before its first manifest', async () => {
  const { pid: dead } = spawnSync(process.execPath, ['--version']);
  const { dir, digests } = await written();
  rmSync(inLogs(dir, MANIFEST));
  rmSync(inLogs(dir, LOG));
  renameSync(inLogs(dir, BASE), join(dir, 'dump.rdb'));
  writeFileSync(inLogs(dir, `temp-${dead}.rdb`), 'REDIS');
  assert.equal((await outcome(dir)).digest, digests[0]);
});

test('a log that holds data is never emptied for the next one', async () => {
  const { dir } = await written();
  const db = await opened(dir);
  const next = inLogs(dir, 'appendonly.aof.5.incr.aof');
  writeFileSync(next, 'data of another program');
  await assert.rejects(db.rewrite(), { code: 'DAMAGED', file: next });
  assert.equal(readFileSync(next, 'utf8'), 'data of another program');
  rmSync(next);
  db.set('later', 1);
  await db.rewrite();
  const digest = db.digestAll();
  await db.close();
  assert.equal((await outcome(dir)).digest, digest);
  assert.equal(newestLog(dir), next);
});

test('keylatch check reports the same damage, and changes nothing', async () => {
  const { dir } = await written();
  const check = (copy, ...options) =>
    spawnSync(process.execPath, [`${packageFolder}/cli/keylatch.js`, 'check', copy, ...options], { encoding: 'utf8' });
  const text = readFileSync(inLogs(dir, MANIFEST), 'utf8');
  const damages = [
    [MANIFEST, '', /^DAMAGED: .*appendonly\.aof\.manifest, byte 0: no file is named, but .* holds data$/m],
    [MANIFEST, text.slice(0, -1), /^DAMAGED: .*byte \d+: the last line has no end: the manifest is cut$/m],
    [MANIFEST, `${text.split('\n')[0]}\n`, /^DAMAGED: .*the log appendonly\.aof\.4\.incr\.aof holds data/m],
    [BASE, '', /^DAMAGED: .*3\.base\.rdb, byte 0: the snapshot is empty$/m],
    ['appendonly.aof.5.incr.aof', 'data', /^DAMAGED: .*appendonly\.aof\.5\.incr\.aof holds data, but is not named$/m],
  ];
  for (const [name, bytes, reason] of damages)
    await onCopy(dir, async (copy) => {
      writeFileSync(inLogs(copy, name), bytes);
      const before = contentsOf(copy);
      for (const options of [[], ['--fix']]) {
        const { status, stdout, stderr } = check(copy, ...options);
        assert.equal(status, 1, stderr);
        assert.match(stdout, reason);
      }
      assert.deepEqual(contentsOf(copy), before);
      assert.ok(!existsSync(join(copy, 'keylatch.lock')));
    });
});

test('a process that ends while it converts a lone snapshot leaves it as it was', async () => {
  const dir = temporaryFolder();
  const source = new Keylatch();
  source.set('k', 'v');
  writeFileSync(join(dir, 'dump.rdb'), source.snapshot());
  mkdirSync(join(dir, 'appendonlydir'));
  // The base has its name, and the manifest does not name it yet.
  writeFileSync(join(dir, 'appendonlydir', 'appendonly.aof.1.base.rdb'), source.snapshot());
  const db = await open({ dir: copyOf(dir) });
  assert.equal(db.get('k'), 'v');
  await db.close();
  // Nor does it have its name: it was to name an empty log.
  writeFileSync(join(dir, 'appendonlydir', 'appendonly.aof.1.incr.aof'), '');
  writeFileSync(join(dir, 'appendonlydir', 'temp-keylatch-0a1b.manifest'), 'file');
  const again = await open({ dir });
  assert.equal(again.get('k'), 'v');
  await again.close();
  // Where there was a manifest there is a log, and the snapshot may be older.
  rmSync(join(dir, 'appendonlydir', 'appendonly.aof.manifest'));
  await assert.rejects(open({ dir }), { code: 'DAMAGED', message: /manifest .* is missing/ });
});
