/** A program's folder below target/clients with the built package among its packages, beside those of these tests. */
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { folder } from './server.mjs';

const installed = resolve(import.meta.dirname, '../node_modules');

/**
 * Creates the folder. `packages` are installed packages by the name under which the program imports them, `files` texts
 * by path. Returns its path.
 */
export function consumer(name, packages, files) {
  const home = resolve(import.meta.dirname, '../../../target/clients', name);
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  cpSync(folder, join(home, 'node_modules/keylatch'), { recursive: true });
  for (const [as, of] of Object.entries(packages)) {
    const link = join(home, 'node_modules', as);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(installed, of), link, 'dir');
  }
  for (const [path, text] of Object.entries({ 'package.json': '{ "private": true }\n', ...files })) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  return home;
}
