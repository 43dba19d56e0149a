/**
 * The loader matrix: environments in which the package works without configuration. The table in the package's README
 * is printed from it; each row is a test.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { output, tests } from './tarball.mjs';

const { devDependencies } = JSON.parse(readFileSync(join(tests, 'package.json'), 'utf8'));
const pinned = (name) => devDependencies[name].split('@').at(-1);

/** Compatibility dates of workerd: one before and one after it compiles while it starts. */
export const WORKERD_DATES = ['2024-01-01', '2026-04-01'];

/** Environment, its tested version, and the ways in which it loads the package. */
export const MATRIX = [
  ['Node', '20', ['import', 'require']],
  ['Bun', pinned('bun'), ['import', 'require']],
  ['Deno', pinned('deno'), ['import', 'without permissions']],
  ['Vite 8', pinned('vite'), ['dev server', 'build', 'module worker']],
  ['Vite 5', pinned('vite-5'), ['dev server', 'build']],
  ['webpack', pinned('webpack'), ['build', 'require']],
  ['esbuild', pinned('esbuild'), ['build', 'require']],
  ['Rollup', pinned('rollup'), ['build']],
  ['Rolldown', pinned('rolldown'), ['build']],
  ['Next', pinned('next'), ['server component', 'client component', 'route', 'edge route']],
  ['Jest', pinned('jest'), ['CommonJS', 'ES modules', 'jsdom']],
  ['Vitest', pinned('vitest'), ['test']],
  ['workerd', pinned('miniflare'), WORKERD_DATES],
  ['Page with a content security policy', 'Chromium', ["script-src 'self' 'wasm-unsafe-eval'"]],
];

/** Folder with a file for each way that has loaded the package. */
export const LOADED = join(output, 'loaded');

/** Name of that file. */
export const fileOf = (environment, way) => `${environment} ${way}`.replaceAll(/[^\w.]+/g, '-');

/** Declares the test of a way of a row. */
export function loads(environment, way, run) {
  const row = MATRIX.find(([name]) => name === environment);
  if (!row?.[2].includes(way)) throw new Error(`the loader matrix has no row ${environment}: ${way}`);
  test(`${environment}: ${way}`, async () => {
    await run();
    mkdirSync(LOADED, { recursive: true });
    writeFileSync(join(LOADED, fileOf(environment, way)), '');
  });
}

/** The table as it stands in README. */
export function table() {
  const rows = MATRIX.map(([name, version, ways]) => `| ${name} | ${version} | ${ways.join(', ')} |`);
  return ['| Works in | tested with | as |', '| --- | --- | --- |', ...rows].join('\n');
}
