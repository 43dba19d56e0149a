/**
 * Kills a Node process at random moments while it writes, opens its folder again, and compares: every flushed step is there,
 * in order, and nothing that was never written. `node tests/kill/node.mjs [--rounds N]`.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { step } from './steps.mjs';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '50' } } });
const rounds = Number(values.rounds);
const packageFolder = resolve(process.env.KEYLATCH_PACKAGE ?? join(import.meta.dirname, '../../target/npm/keylatch'));
const { Keylatch } = await import(join(packageFolder, 'esm/index.js'));
const { open } = await import(join(packageFolder, 'esm/persist.js'));

const MODES = ['everysec', 'always', 'no'];
/** Longest time that a process writes before it is killed. */
const WRITING_MS_MAX = 400;

/** Lets a process write for a random time; resolves to the number of steps that it reported last. */
async function killedWriter(dir, fsync) {
  const writer = join(import.meta.dirname, 'writer.mjs');
  const child = spawn(process.execPath, [writer, packageFolder, dir, fsync], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('latin1').on('data', (text) => {
    output += text;
  });
  await once(child.stdout, 'data');
  const timer = setTimeout(() => child.kill('SIGKILL'), Math.random() * WRITING_MS_MAX);
  const [code, signal] = await once(child, 'close');
  clearTimeout(timer);
  assert.equal(signal, 'SIGKILL', `the writer ended by itself with ${code}`);
  // The last line may be cut.
  return Number(output.slice(0, output.lastIndexOf('\n')).split('\n').at(-1).replace('open ', ''));
}

const dir = mkdtempSync(join(tmpdir(), 'keylatch-kill-'));
const model = new Keylatch();
let modelled = 0;
let repaired = 0;
try {
  for (let round = 0; round < rounds; round += 1) {
    const fsync = MODES[round % MODES.length];
    const flushed = await killedWriter(dir, fsync);
    const db = await open({ dir });
    const found = Number(db.get('steps') ?? 0);
    assert.ok(found >= flushed, `round ${round}, ${fsync}: ${flushed} steps were flushed, ${found} are there`);
    for (; modelled < found; modelled += 1) step(model, modelled);
    assert.equal(db.digestAll(), model.digestAll(), `round ${round}, ${fsync}: not the state after ${found} steps`);
    repaired += db.persistence.restored.repairedBytes > 0 ? 1 : 0;
    await db.close();
  }
} finally {
  rmSync(dir, { recursive: true, force: true });
}
console.log(
  `${rounds} kills of Node, ${modelled} steps: every flushed step was there, in order (${repaired} torn ends)`,
);
