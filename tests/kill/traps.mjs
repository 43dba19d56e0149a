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

/** Sets a key of a server, and lets its engine trap at the next command. */
async function trap(port, trapFile) {
  const connection = new Connection(port);
  const reply = await connection.ask(['SET', 'a', 'b']);
  if (reply !== '+OK\r\n') throw new Error(`SET: ${reply}`);
  writeFileSync(trapFile, '');
  connection.ask(['PING']);
}

const environment = (trapFile) => ({ env: { ...process.env, KEYLATCH_TRAP: trapFile } });

/** Starts `keylatch serve` and lets it trap. */
async function trappedServer(trapFile, options) {
  const { child, port } = await serve(options, { node: PRELOAD, ...environment(trapFile) });
  await trap(port, trapFile);
  return child;
}

/** Starts a program that sets a key; its engine traps at the next call, or at the log's own one. */
async function trappedProgram(dir, trapFile, options) {
  const given = JSON.stringify({ packageFolder, dir, fsync: 'everysec', ...options });
  const child = new Child(process.execPath, [...PRELOAD, PROGRAM, given], environment(trapFile));
  if (options.serves) await trap(Number((await child.says(/serves 127\.0\.0\.1:(\d+)/))[1]), trapFile);
  else await child.says(/acknowledged\n/);
  return child;
}

const CASES = {
  'server without a folder': (_, trapFile) => trappedServer(trapFile, []),
  'server, everysec': (dir, trapFile) => trappedServer(trapFile, ['--dir', dir, '--appendfsync', 'everysec']),
  'server, no': (dir, trapFile) => trappedServer(trapFile, ['--dir', dir, '--appendfsync', 'no']),
  'server, always': (dir, trapFile) => trappedServer(trapFile, ['--dir', dir, '--appendfsync', 'always']),
  'server of a thread': (dir, trapFile) => trappedProgram(dir, trapFile, { serves: true, inThread: true }),
  'server of a program': (dir, trapFile) => trappedProgram(dir, trapFile, { serves: true }),
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
