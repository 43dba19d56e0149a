/** The table of environments in the package's README is the loader matrix. `loaded.mjs` compares that with the tests. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { table } from './support/matrix.mjs';
import { root } from './support/tarball.mjs';

test('the table in README is printed from the matrix', () => {
  const readme = readFileSync(join(root, 'pkg-templates/npm/README.md'), 'utf8');
  assert.ok(readme.includes(`\n${table()}\n`), `README must hold this table:\n${table()}`);
});
