/** Bundlers and dev servers build a page with the package, without configuration, and it runs in Chromium. */

import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { join } from 'node:path';

import { answersAt, answersOf, startBrowser } from './support/browser.mjs';
import { loads } from './support/matrix.mjs';
import { project } from './support/tarball.mjs';

let browser;
before(async () => {
  browser = await startBrowser();
});
after(() => browser.close());

const expected = ['OK', null];

/** Answers of a page and of the module worker it starts, from a dev server. */
async function answersInDev(vite, name) {
  const root = project(name, 'page');
  const server = await vite.createServer({ root, logLevel: 'error', server: { host: '127.0.0.1', port: 0 } });
  try {
    await server.listen();
    return await answersAt(browser, server.resolvedUrls.local[0]);
  } finally {
    await server.close();
  }
}

async function answersOfBuild(vite, name) {
  const root = project(name, 'page');
  await vite.build({ root, logLevel: 'error' });
  return answersOf(browser, join(root, 'dist'));
}

/** The package's frames are left out, so that the overlay shows the line of the program. */
function assertPage([first, second, place], source) {
  assert.deepEqual([first, second], expected);
  if (source !== undefined) assert.match(place, source);
}

const vite8 = await import('vite');
const vite5 = await import('vite-5');

loads('Vite 8', 'dev server', async () => {
  const { page, worker } = await answersInDev(vite8, 'vite-8-dev');
  assertPage(page, /\/src\/main\.js/);
  assert.deepEqual(worker, expected);
});

let built;
const ofVite8 = () => (built ??= answersOfBuild(vite8, 'vite-8-build'));

loads('Vite 8', 'build', async () => assertPage((await ofVite8()).page));
loads('Vite 8', 'module worker', async () => assert.deepEqual((await ofVite8()).worker, expected));

loads('Vite 5', 'dev server', async () => {
  const { page, worker } = await answersInDev(vite5, 'vite-5-dev');
  assertPage(page, /\/src\/main\.js/);
  assert.deepEqual(worker, expected);
});

loads('Vite 5', 'build', async () => {
  const { page, worker } = await answersOfBuild(vite5, 'vite-5-build');
  assertPage(page);
  assert.deepEqual(worker, expected);
});

/** The fixture by the way in which it loads the package. */
const FIXTURES = { build: 'bundle', require: 'required' };

for (const [way, fixture] of Object.entries(FIXTURES)) {
  loads('webpack', way, async () => {
    const { default: webpack } = await import('webpack');
    const context = project(`webpack-${way}`, fixture);
    const output = { path: join(context, 'dist'), filename: 'main.js' };
    // Its remarks upon the size of every larger script are not about loading.
    const options = { context, entry: './main.js', mode: 'production', output, performance: false };
    const stats = await new Promise((resolve, reject) =>
      webpack(options, (error, result) => (error ? reject(error) : resolve(result))),
    );
    const { errors, warnings } = stats.toJson({ all: false, errors: true, warnings: true });
    assert.deepEqual([errors, warnings], [[], []]);
    assert.deepEqual(await answersOf(browser, context), expected);
  });

  loads('esbuild', way, async () => {
    const { build } = await import('esbuild');
    const home = project(`esbuild-${way}`, fixture);
    const { warnings } = await build({
      entryPoints: [join(home, 'main.js')],
      outfile: join(home, 'dist/main.js'),
      bundle: true,
      minify: true,
      format: 'esm',
      logLevel: 'silent',
    });
    assert.deepEqual(warnings, []);
    assert.deepEqual(await answersOf(browser, home), expected);
  });
}

for (const [name, bundler, plugins] of [
  ['Rollup', 'rollup', async () => [(await import('@rollup/plugin-node-resolve')).default({ browser: true })]],
  ['Rolldown', 'rolldown', () => []],
]) {
  loads(name, 'build', async () => {
    const { [bundler]: open } = await import(bundler);
    const home = project(bundler, 'bundle');
    const warnings = [];
    const bundle = await open({
      input: join(home, 'main.js'),
      plugins: await plugins(),
      onwarn: ({ message }) => warnings.push(message),
    });
    await bundle.write({ dir: join(home, 'dist'), format: 'esm' });
    await bundle.close();
    assert.deepEqual(warnings, []);
    assert.deepEqual(await answersOf(browser, home), expected);
  });
}
