/** The entries for other libraries load from the tarball without these libraries, in Node and in a Worker. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { build as bundle } from 'esbuild';
import { Miniflare } from 'miniflare';

import { consumer, run, tool } from './support/tarball.mjs';

test('keylatch/keyv and keylatch/upstash in Node, import and require', () => {
  const home = consumer('adapters');
  for (const script of ['load.mjs', 'load.cjs'])
    assert.equal(run(process.execPath, [script], { cwd: home }), 'loaded\n');
  assert.deepEqual(
    readdirSync(join(home, 'node_modules')).filter((name) => !name.startsWith('.')),
    ['keylatch'],
  );
  for (const resolution of ['nodenext', 'bundler'])
    run(tool('tsc'), ['--project', join(home, `tsconfig.${resolution}.json`)]);
});

test('the libraries are optional, in any version: a program may have an older one for other reasons', () => {
  const manifest = JSON.parse(
    readFileSync(join(consumer('adapters-peers', 'adapters'), 'node_modules/keylatch/package.json'), 'utf8'),
  );
  for (const [name, version] of Object.entries(manifest.peerDependencies)) {
    assert.equal(version, '*', name);
    assert.equal(manifest.peerDependenciesMeta[name].optional, true, name);
  }
});

test('the REST protocol of Upstash in a Worker', async () => {
  const home = consumer('adapters-workerd', 'adapters');
  const dist = join(home, 'dist');
  await bundle({
    entryPoints: [join(home, 'worker.js')],
    outdir: dist,
    bundle: true,
    format: 'esm',
    conditions: ['workerd', 'worker'],
    loader: { '.wasm': 'copy' },
    logLevel: 'warning',
  });
  const modules = readdirSync(dist).map((name) => {
    const type = name.endsWith('.wasm') ? 'CompiledWasm' : 'ESModule';
    return { type, path: join(dist, name), contents: readFileSync(join(dist, name)) };
  });
  modules.sort((a, b) => Number(a.type === 'CompiledWasm') - Number(b.type === 'CompiledWasm'));
  const worker = new Miniflare({ modules, modulesRoot: dist, compatibilityDate: '2026-04-01' });
  try {
    const headers = { authorization: 'Bearer secret', 'upstash-encoding': 'base64' };
    const send = async (path, body) => {
      const response = await worker.dispatchFetch(`http://worker${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      return response.json();
    };
    assert.deepEqual(await send('/', ['SET', 'k', 'v']), { result: 'OK' });
    assert.deepEqual(
      await send('/pipeline', [
        ['GET', 'k'],
        ['INCR', 'n'],
      ]),
      [{ result: 'dg==' }, { result: 1 }],
    );
    assert.deepEqual(await send('/multi-exec', [['GET', 'k']]), [{ result: 'dg==' }]);
    assert.equal((await worker.dispatchFetch('http://worker/get/k')).status, 401);
  } finally {
    await worker.dispose();
  }
});
