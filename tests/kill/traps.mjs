/**
 * Traps in the engines of servers and programs: each process ends with a code that is not 0, and what was acknowledged is
 * there when its folder is opened again. `node tests/kill/traps.mjs`.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from './children.mjs';
import { Connection } from './connection.mjs';
import { open, packageFolder, serve } from './package.mjs';

/** Time for a process to end by itself. */
const END_MS_MAX = 6000;
const PRELOAD = ['--import', join(import.meta.dirname, 'trap-preload.mjs')];
const PROGRAM = join(import.meta.dirname, 'trap-program.mjs');

/** Starts a server, sets a key, and lets its engine trap. */
async function trappedServer(dir, trapFile, options) {
  const env = { ...process.env, KEYLATCH_TRAP: trapFile };
  const { child, port } = await serve(options === undefined ? [] : ['--dir', dir, ...options], { node: PRELOAD, env });
  const connection = new Connection(port);
  const reply = await connection.ask(['SET', 'a', 'b']);
  if (reply !== '+OK\r\n') throw new Error(`SET: ${reply}`);
  writeFileSync(trapFile, '');
  connection.ask(['PING']);
  return child;
}

/** Starts a program that sets a key; its engine traps at the next call, or at the log's own one. */
async function trappedProgram(dir, trapFile, options) {
  const persistFile = join(packageFolder, 'esm/persist.js');
  const given = JSON.stringify({ persistFile, dir, fsync: 'everysec', ...options });
  const env = { ...process.env, KEYLATCH_TRAP: trapFile };
  const child = new Child(process.execPath, [...PRELOAD, PROGRAM, given], { env });
  await child.says(/acknowledged\n/);
  return child;
}

const CASES = {
  'server without a folder': (dir, trapFile) => trappedServer(dir, trapFile),
  'server, everysec': (dir, trapFile) => trappedServer(dir, trapFile, ['--appendfsync', 'everysec']),
  'server, always': (dir, trapFile) => trappedServer(dir, trapFile, ['--appendfsync', 'always']),
  program: (dir, trapFile) => trappedProgram(dir, trapFile, {}),
  'program, always': (dir, trapFile) => trappedProgram(dir, trapFile, { fsync: 'always' }),
  'program, in its log': (dir, trapFile) => trappedProgram(dir, trapFile, { isPending: true }),
  thread: (dir, trapFile) => trappedProgram(dir, trapFile, { inThread: true }),
  'thread, always': (dir, trapFile) => trappedProgram(dir, trapFile, { fsync: 'always', inThread: true }),
  'thread, in its log': (dir, trapFile) => trappedProgram(dir, trapFile, { isPending: true, inThread: true }),
};

/** The sentence about a case; throws if it is not as it must be. */
async function outcomeOf(title, home) {
  const dir = join(home, 'data');
  const child = await CASES[title](dir, join(home, 'trap'));
  const code = await child.endsWithin(END_MS_MAX, 'after the trap');
  if (code === 0) throw new Error('it ended with the code 0');
  if (title === 'server without a folder') return `ended with ${code}`;
  const db = await open({ dir });
  const found = db.get('a');
  await db.close();
  if (found !== 'b') throw new Error(`it ended with ${code}, but the acknowledged write is lost`);
  return `ended with ${code}; the acknowledged write is there`;
}

let failed = 0;
async function run(title) {
  const home = mkdtempSync(join(tmpdir(), 'keylatch-trap-'));
  try {
    console.log(`trap, ${title}: ${await outcomeOf(title, home)}`);
  } catch (error) {
    failed += 1;
    console.error(`FAILED trap, ${title}: ${error.message}`);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

// Each waits most of the time, if it waits at all.
await Promise.all(Object.keys(CASES).map(run));
process.exit(failed > 0 ? 1 : 0);
