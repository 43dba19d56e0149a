/** Environments that forbid compiling WebAssembly: the error says what to do, and that helps. */

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { build as bundle } from 'esbuild';
import { Miniflare } from 'miniflare';
import { build as vite } from 'vite';

import { answersOf, startBrowser } from './support/browser.mjs';
import { loads, WORKERD_DATES } from './support/matrix.mjs';
import { project } from './support/tarball.mjs';

let browser;
let page;
before(async () => {
  browser = await startBrowser();
  const root = project('policy', 'page');
  await vite({ root, logLevel: 'error' });
  page = join(root, 'dist');
});
after(() => browser.close());

const policy = (text) => ({ 'content-security-policy': text });

test('a page whose policy forbids it', async () => {
  const answers = await answersOf(browser, page, policy("script-src 'self'"));
  for (const { name, message } of [answers.page, answers.worker]) {
    assert.equal(name, 'LoadError');
    assert.match(message, /content security policy.*add 'wasm-unsafe-eval' to script-src/);
  }
});

loads('Page with a content security policy', "script-src 'self' 'wasm-unsafe-eval'", async () => {
  const answers = await answersOf(browser, page, policy("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'"));
  assert.deepEqual(answers.page.slice(0, 2), ['OK', null]);
  assert.deepEqual(answers.worker, ['OK', null]);
});

async function bundled(name, fixture, conditions) {
  const home = project(name, fixture);
  await bundle({
    entryPoints: [join(home, 'worker.js')],
    outdir: join(home, 'dist'),
    bundle: true,
    format: 'esm',
    conditions,
    loader: { '.wasm': 'copy' },
    logLevel: 'warning',
  });
  return join(home, 'dist');
}

async function answersOfWorker(folder, compatibilityDate) {
  const modules = readdirSync(folder).map((name) => {
    const type = name.endsWith('.wasm') ? 'CompiledWasm' : 'ESModule';
    return { type, path: join(folder, name), contents: readFileSync(join(folder, name)) };
  });
  modules.sort((a, b) => Number(a.type === 'CompiledWasm') - Number(b.type === 'CompiledWasm'));
  const worker = new Miniflare({ modules, modulesRoot: folder, compatibilityDate });
  try {
    return await (await worker.dispatchFetch('http://worker/')).json();
  } finally {
    await worker.dispose();
  }
}

for (const date of WORKERD_DATES) {
  loads('workerd', date, async () => {
    const folder = await bundled(`workerd-${date}`, 'workerd', ['workerd', 'worker']);
    assert.deepEqual(await answersOfWorker(folder, date), ['OK', null, 1, 0, 0]);
  });

  test(`workerd as of ${date}, bundled without its condition`, async () => {
    const folder = await bundled(`workerd-plain-${date}`, 'workerd-plain', []);
    const { name, message } = await answersOfWorker(folder, date);
    assert.equal(name, 'LoadError', message);
    assert.match(message, /export condition `workerd`/);
    assert.match(message, /keylatch\/keylatch\.wasm.*keylatch\/core/);
  });
}
