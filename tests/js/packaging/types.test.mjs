/** A program that uses the package is type-checked against the installed tarball, in each way of resolving modules. */

import { join } from 'node:path';
import { test } from 'node:test';

import { consumer, run, tool } from './support/tarball.mjs';

const home = consumer('types');

for (const resolution of ['nodenext', 'bundler', 'commonjs']) {
  test(`types with ${resolution}`, () => {
    run(tool('tsc'), ['--project', join(home, `tsconfig.${resolution}.json`)]);
  });
}
