/** The table of environments in the package's README is the loader matrix, and each row of that is a test. */

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { MATRIX, table } from './support/matrix.mjs';
import { root, tests } from './support/tarball.mjs';

test('the table in README is printed from the matrix', () => {
  const readme = readFileSync(join(root, 'pkg-templates/npm/README.md'), 'utf8');
  assert.ok(readme.includes(`\n${table()}\n`), `README must hold this table:\n${table()}`);
});

test('every environment of the matrix has tests', () => {
  const sources = readdirSync(tests)
    .filter((name) => name.endsWith('.test.mjs') && name !== 'readme.test.mjs')
    .map((name) => readFileSync(join(tests, name), 'utf8'))
    .join('\n');
  const missing = MATRIX.flatMap(([environment, , ways]) =>
    ways.filter((way) => !sources.includes(`'${environment}'`) || !sources.includes(way)),
  );
  assert.deepEqual(missing.filter((way) => !/^\d{4}-/.test(way)), []);
});
