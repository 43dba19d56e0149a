/**
 * The process that is killed: writes step after step to a folder, and prints the number of steps after each flush (with
 * `always`: after each call).
 */
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { step } from './steps.mjs';

const [packageFolder, dir, fsync] = process.argv.slice(2);
const { open } = await import(join(packageFolder, 'esm/persist.js'));

const db = await open({ dir, fsync });
let steps = Number(db.get('steps') ?? 0);
writeSync(1, `open ${steps}\n`);
for (;;) {
  const batch = fsync === 'always' ? 1 : 1 + (steps % 50);
  for (let index = 0; index < batch; index += 1) {
    step(db, steps);
    steps += 1;
  }
  // Replacements by hand, beside those of a long log.
  if (steps % 900 < batch) void db.rewrite();
  if (fsync !== 'always') await db.flush();
  writeSync(1, `${steps}\n`);
  if (steps % 64 < batch) await new Promise((resolve) => setImmediate(resolve));
}
