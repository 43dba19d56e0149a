/** `keylatch/element` in bundlers: it runs on a page without configuration, and its engine is loaded once, when it is used. */

import assert from 'node:assert/strict';
import { readFileSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { build as bundle } from 'esbuild';

import { answersAt, answersOf, startBrowser } from './support/browser.mjs';
import { project } from './support/tarball.mjs';

const KB = 1024;

let browser;
before(async () => {
  browser = await startBrowser();
});
after(() => browser.close());

function assertAnswers({ mismatches, printed }) {
  assert.deepEqual(mismatches, [0, 0]);
  assert.deepEqual(printed, [['(integer) 1']]);
}

for (const [name, load] of [
  ['Vite 8', () => import('vite')],
  ['Vite 5', () => import('vite-5')],
]) {
  test(`${name}: build, with the engine in a chunk of its own`, async () => {
    const { build } = await load();
    const root = project(`element-${name.replace(' ', '-')}-build`, 'element');
    await build({ root, logLevel: 'error', build: { target: 'es2022' } });
    const answers = await answersOf(browser, join(root, 'dist'));
    assertAnswers(answers);
    const engine = answers.loaded.filter((path) => path.endsWith('.js'));
    assert.ok(engine.length > 0 && engine.length <= 2, `${answers.loaded}`);
    const html = readFileSync(join(root, 'dist/index.html'), 'utf8');
    for (const path of engine) assert.ok(!html.includes(path), `the page does not ask for ${path} by itself`);
  });

  test(`${name}: dev server`, async () => {
    const { createServer } = await load();
    const root = project(`element-${name.replace(' ', '-')}-dev`, 'element');
    const server = await createServer({ root, logLevel: 'error', server: { host: '127.0.0.1', port: 0 } });
    try {
      await server.listen();
      assertAnswers(await answersAt(browser, server.resolvedUrls.local[0]));
    } finally {
      await server.close();
    }
  });
}

async function esbuilt(name, options) {
  const home = project(name, 'element');
  renameSync(join(home, 'bundled.html'), join(home, 'index.html'));
  const entryPoints = [join(home, 'main.js')];
  await bundle({ entryPoints, outdir: join(home, 'dist'), bundle: true, minify: true, format: 'esm', ...options });
  return home;
}

test('esbuild: one file, or split', async () => {
  for (const splitting of [false, true]) {
    const home = await esbuilt(`element-esbuild-${splitting}`, { splitting });
    assert.deepEqual((await answersOf(browser, home)).mismatches, [0]);
  }
});

test('a page that shows a session loads at most 60 KB before it runs, with gzip', async (t) => {
  const home = await esbuilt('element-size', { splitting: true, metafile: true });
  const files = readdirSync(join(home, 'dist')).map((name) => readFileSync(join(home, 'dist', name)));
  const sizes = files.map((bytes) => gzipSync(bytes, { level: 9 }).length).sort((one, other) => one - other);
  const engine = sizes.pop();
  const total = sizes.reduce((sum, size) => sum + size, 0);
  t.diagnostic(`${total} bytes, and ${engine} with the engine`);
  assert.ok(total <= 60 * KB, `${total} bytes`);
});
