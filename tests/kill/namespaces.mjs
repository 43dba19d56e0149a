/**
 * Servers in process-id namespaces of their own, as containers have, and one folder: the second server is refused. Once both
 * are gone, a third one opens the folder by itself. `node tests/kill/namespaces.mjs`; needs root and unshare.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from './children.mjs';
import { Connection } from './connection.mjs';
import { program } from './package.mjs';

const ALONE = ['--fork', '--pid', '--mount-proc', '--kill-child'];
/** Time for a server to begin or to be refused. */
const BEGIN_MS_MAX = 20_000;

function canUnshare() {
  try {
    execFileSync('unshare', [...ALONE, 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Starts a server in a namespace. Resolves to its port; rejects if it ends instead. */
async function begin(dir) {
  const args = [...ALONE, process.execPath, program, 'serve', '--port', '0', '--dir', dir];
  const child = new Child('unshare', args);
  const late = setTimeout(() => child.signal('SIGKILL'), BEGIN_MS_MAX);
  try {
    const [, port] = await child.says(/ serves 127\.0\.0\.1:(\d+)/);
    return { child, connection: new Connection(Number(port)) };
  } finally {
    clearTimeout(late);
  }
}

async function refusalOf(dir) {
  try {
    const { child } = await begin(dir);
    await child.signal('SIGKILL');
    return undefined;
  } catch (error) {
    return error.message;
  }
}

async function check(dir) {
  const first = await begin(dir);
  for (const key of ['a1', 'a2', 'a3']) await first.connection.ask(['SET', key, '1']);
  const refusal = await refusalOf(dir);
  if (refusal === undefined) throw new Error('a second server opened the folder of a live one');
  if (!/in use/.test(refusal)) throw new Error(`the second server is refused without a reason: ${refusal}`);
  if ((await first.connection.ask(['SET', 'a4', '1'])) !== '+OK\r\n')
    throw new Error('the first server does not go on');
  await first.child.signal('SIGKILL');
  const third = await begin(dir);
  const found = await third.connection.ask(['EXISTS', 'a1', 'a2', 'a3', 'a4']);
  await third.child.signal('SIGKILL');
  if (found !== ':4\r\n') throw new Error(`of 4 acknowledged keys there are ${found.trim()}`);
}

if (!canUnshare()) {
  console.log('SKIPPED namespaces: needs root and unshare');
  process.exit();
}
const home = mkdtempSync(join(tmpdir(), 'keylatch-namespaces-'));
try {
  await check(join(home, 'data'));
  console.log('namespaces: the second server is refused, and the third one has what the first one acknowledged');
} catch (error) {
  console.error(`FAILED namespaces: ${error.message}`);
  process.exitCode = 1;
} finally {
  rmSync(home, { recursive: true, force: true });
}
process.exit();
