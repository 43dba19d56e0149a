/** The built package that is killed; KEYLATCH_PACKAGE names its folder. */
import { join, resolve } from 'node:path';
import { Child } from './children.mjs';

export const packageFolder = resolve(
  process.env.KEYLATCH_PACKAGE ?? join(import.meta.dirname, '../../target/npm/keylatch'),
);
export const { Keylatch } = await import(join(packageFolder, 'esm/index.js'));
export const { open } = await import(join(packageFolder, 'esm/persist.js'));
export const program = join(packageFolder, 'cli/keylatch.js');

/** Starts `keylatch serve` on a free port; resolves to the process and its port. `node`: options of Node. */
export async function serve(args, { node = [], ...options } = {}) {
  const child = new Child(process.execPath, [...node, program, 'serve', '--port', '0', ...args], options);
  const [, port] = await child.says(/ serves 127\.0\.0\.1:(\d+)/);
  return { child, port: Number(port) };
}
