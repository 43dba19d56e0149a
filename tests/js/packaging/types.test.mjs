/** A program that uses the package is type-checked against the installed tarball: every compiler, every way of resolving. */

import { join } from 'node:path';
import { test } from 'node:test';

import { consumer, run, tests } from './support/tarball.mjs';

const home = consumer('types');

/** Versions of TypeScript by the folder they are installed in; the README names the oldest. */
const COMPILERS = { 5.6: 'typescript-5.6', 6: 'typescript-6', 7: 'typescript' };

function check(compiler, project, ...flags) {
  const program = join(tests, 'node_modules', COMPILERS[compiler], 'bin/tsc');
  run(process.execPath, [program, '--project', join(home, `tsconfig.${project}.json`), ...flags]);
}

for (const compiler of Object.keys(COMPILERS)) {
  for (const resolution of ['nodenext', 'bundler', 'commonjs']) {
    test(`types with TypeScript ${compiler}, ${resolution}`, () => check(compiler, resolution));
  }
  for (const resolution of ['nodenext', 'bundler']) {
    test(`every entry with TypeScript ${compiler}, ${resolution}, and the types of Node`, () =>
      check(compiler, `entries.${resolution}`, '--typeRoots', join(tests, 'node_modules/@types')));
  }
}
