/** The installed tarball loads and runs in each environment, without configuration. */

import assert from 'node:assert/strict';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { build as bundle } from 'esbuild';
import { Miniflare } from 'miniflare';

import { consumer, run, tool } from './support/tarball.mjs';

test('Node, import and require', () => {
  const home = consumer('node');
  for (const script of ['load.mjs', 'load.cjs'])
    assert.equal(run(process.execPath, [script], { cwd: home }), 'loaded\n');
});

test('the command line, as npm links it', () => {
  const home = consumer('cli', 'node');
  const command = join(home, 'node_modules/.bin/keylatch');
  writeFileSync(join(home, 'good.session'), '> SETNX a 1\n(integer) 1\n');
  writeFileSync(join(home, 'bad.session'), '> SETNX a 1\n(integer) 2\n');
  run(command, ['run', 'good.session'], { cwd: home });
  assert.throws(() => run(command, ['run', 'good.session', 'bad.session'], { cwd: home }), /bad\.session/);
});

test('a Vite build', async () => {
  const home = consumer('vite');
  run(tool('vite'), ['build', '--logLevel', 'warn'], { cwd: home });
  const assets = readdirSync(join(home, 'dist/assets'));
  assert.ok(
    assets.some((name) => name.endsWith('.wasm')),
    `no .wasm among ${assets}`,
  );
  const script = assets.find((name) => name.endsWith('.js'));
  // The package uses no browser API, so Node can run the bundle; only Vite's own preload helper reads one object.
  globalThis.document = { createElement: () => ({ relList: { supports: () => true } }) };
  await import(pathToFileURL(join(home, 'dist/assets', script)));
  assert.deepEqual(globalThis.answers.slice(0, 3), ['OK', null, 'function']);
  assert.match(globalThis.answers[3], /\.wasm$/);
});

for (const compatibilityDate of ['2024-01-01', '2026-04-01']) {
  test(`workerd as of ${compatibilityDate}`, async () => {
    const home = consumer(`workerd-${compatibilityDate}`, 'workerd');
    await bundle({
      entryPoints: [join(home, 'worker.js')],
      outdir: join(home, 'dist'),
      bundle: true,
      format: 'esm',
      conditions: ['workerd', 'worker'],
      loader: { '.wasm': 'copy' },
      logLevel: 'warning',
    });
    assert.deepEqual(await answersOf(join(home, 'dist'), compatibilityDate), ['OK', null, 1, 0, 0]);
  });
}

async function answersOf(folder, compatibilityDate) {
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
