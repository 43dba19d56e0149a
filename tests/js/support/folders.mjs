/** Temporary folders of tests, and copies of them. */
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders = [];
process.once('exit', () => {
  for (const path of folders) rmSync(path, { recursive: true, force: true });
});

/**
 * An empty folder that is removed when the process ends, and not before: a server or a store that is closed by a hook of
 * the test still forces its log.
 */
export function temporaryFolder() {
  const path = mkdtempSync(join(tmpdir(), 'keylatch-'));
  folders.push(path);
  return path;
}

/** A copy of a folder, removed like it. The socket of a lock cannot be copied. */
export function copyOf(from) {
  const path = temporaryFolder();
  cpSync(from, path, { recursive: true, filter: (name) => !name.endsWith('.sock') });
  return path;
}

/** Path of the newest log below a folder. */
export function newestLog(dir) {
  const home = join(dir, 'appendonlydir');
  const names = readdirSync(home).filter((name) => name.endsWith('.incr.aof'));
  const seq = (name) => Number(/\.(\d+)\.incr/.exec(name)[1]);
  return join(home, names.sort((one, other) => seq(one) - seq(other)).at(-1));
}
