/** Data in files: opening a folder again, and what recording to it costs a program that writes. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { entry } from '../../tests/js/support/package.mjs';
import { answer, effort, isWanted, quick, say } from './options.mjs';
import { median, summarise } from './shared/rounds.mjs';
import { processorNs } from './support/time.mjs';

const TABLE = 'Data in files';
const KEYS = 100_000;
const FILLED_KEYS = quick ? 1000 : KEYS;
const NS_MS = 1e-6;
/** Turns of the event loop, and commands in each, of a sample of writing. */
const TURNS = quick ? 5 : 300;
const COMMANDS = 1000;
const VALUE = 'v'.repeat(80);

/** Fills a folder with keys of 80 bytes in the layout that is named: a snapshot, or a log with pieces of 100 commands. */
async function fill(dir, layout) {
  const { open } = await entry('persist');
  // Shorter than a log that would be replaced by a snapshot.
  const db = await open({ dir, fsync: 'no' });
  for (let index = 0; index < FILLED_KEYS; index += 1) {
    db.set(`user:${index}`, VALUE);
    if (index % 100 === 99) await db.flush();
  }
  if (layout === 'snapshot') await db.rewrite();
  await db.close();
}

/** Milliseconds of processor time until a folder is open, in a process of its own. */
async function reopen(dir) {
  const { open } = await entry('persist');
  const { Keylatch } = await entry('index');
  // Loading the package and compiling the engine is measured by the start bench.
  new Keylatch().ping();
  let db;
  const ns = await processorNs(async () => {
    db = await open({ dir });
  });
  const { restoredKeys } = db.persistence.restored;
  if (restoredKeys !== FILLED_KEYS) throw new Error(`${restoredKeys} keys instead of ${FILLED_KEYS}`);
  await db.close();
  return { ms: ns * NS_MS };
}

/** Nanoseconds a command of a program that writes: kept in files, or taken from the engine and dropped. */
async function write(kind) {
  const [{ open }, { Keylatch }] = [await entry('persist'), await entry('index')];
  const dir = mkdtempSync(join(tmpdir(), 'keylatch-bench-'));
  const db = kind === 'recording' ? new Keylatch() : await open({ dir, fsync: 'everysec' });
  if (kind === 'recording') db.record(true);
  const sample = () =>
    processorNs(async () => {
      for (let round = 0; round < TURNS; round += 1) {
        for (let index = 0; index < COMMANDS; index += 1) db.set(`user:${index}`, VALUE);
        if (kind === 'recording') db.takeEffects();
        await turn();
      }
      if (kind !== 'recording') await db.flush();
    });
  for (let warm = 0; warm < 2; warm += 1) await sample();
  const ns = (await sample()) / (TURNS * COMMANDS);
  await db.close();
  rmSync(dir, { recursive: true });
  return { ns };
}

function apart(...words) {
  const child = spawnSync(process.execPath, [import.meta.filename, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  if (child.status !== 0) throw new Error(`${words.join(' ')} failed`);
  return JSON.parse(child.stdout || '{}');
}

function measureOpening(layout) {
  const row = `opening ${KEYS / 1000},000 keys, ${layout}`;
  if (!isWanted(row)) return;
  const dir = mkdtempSync(join(tmpdir(), 'keylatch-bench-'));
  apart('fill', dir, layout);
  const times = Array.from({ length: effort.rounds }, () => apart('reopen', dir).ms);
  rmSync(dir, { recursive: true });
  answer({ table: TABLE, row, unit: 'ms', figures: { keylatch: median(times) } });
}

function measureWriting() {
  const row = 'SET, everysec';
  if (!isWanted(row)) return;
  const names = ['keylatch', 'recording'];
  const times = new Map(names.map((name) => [name, []]));
  for (let round = 0; round < effort.rounds; round += 1)
    for (const name of names) times.get(name).push(apart('write', name).ns);
  answer({ table: TABLE, row, unit: 'ns', ...summarise(names, times) });
}

const [task, ...given] = process.argv.slice(2);
if (task === undefined) {
  say(TABLE);
  for (const layout of ['snapshot', 'log']) measureOpening(layout);
  measureWriting();
} else {
  const figures = await { fill, reopen, write }[task](...given);
  process.stdout.write(JSON.stringify(figures ?? {}));
}
