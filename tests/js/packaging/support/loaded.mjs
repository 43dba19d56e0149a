/**
 * Compares the loader matrix with the tests that ran. `forget` begins a run of all tests, `compare` ends it: the table
 * in README claims nothing that did not pass.
 */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { fileOf, LOADED, MATRIX } from './matrix.mjs';

const [, , step] = process.argv;
if (step === 'forget') rmSync(LOADED, { recursive: true, force: true });
if (step === 'compare') {
  const ways = MATRIX.flatMap(([environment, , names]) => names.map((way) => [environment, way]));
  const missing = ways.filter(([environment, way]) => !existsSync(join(LOADED, fileOf(environment, way))));
  console.log(`loader matrix: ${ways.length - missing.length} of ${ways.length} ways loaded`);
  for (const [environment, way] of missing) console.log(`no test has passed for ${environment}: ${way}`);
  process.exitCode = missing.length > 0 ? 1 : 0;
}
