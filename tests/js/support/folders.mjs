/** Temporary folders of tests, and copies of them. */
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An empty folder that is removed after the test. */
export function folder(t) {
  const path = mkdtempSync(join(tmpdir(), 'keylatch-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** A copy of a folder, removed after the test. The socket of a lock cannot be copied. */
export function copyOf(t, from) {
  const path = folder(t);
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
