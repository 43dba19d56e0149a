/**
 * The template as a project: it typechecks, wrangler builds it as configured, and its pinned versions are the tested
 * ones.
 */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';

import { build } from 'esbuild';

import { output, template } from './support/build.mjs';

const run = promisify(execFile);
const readJson = async (path) => JSON.parse(await readFile(path, 'utf8'));
const bin = (name) => join(template, 'node_modules/.bin', name);

test('the entry is a few lines', async () => {
  const text = await readFile(join(template, 'src/worker.ts'), 'utf8');
  const lines = text.split('\n').filter((line) => /\S/.test(line) && !/^\s*(\/?\*|\/\/)/.test(line));
  assert.ok(lines.length <= 17, `${lines.length} lines`);
});

test('the example of secrets sets none', async () => {
  const text = await readFile(join(template, '.dev.vars.example'), 'utf8');
  const values = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  assert.deepEqual(values, ['KEYLATCH_TOKEN=""']);
  const configuration = await readFile(join(template, 'wrangler.jsonc'), 'utf8');
  assert.match(configuration, /"secrets": \{ "required": \["KEYLATCH_TOKEN"\] \}/);
});

for (const project of ['.', 'fixtures']) {
  test(`typecheck: ${project === '.' ? 'the template' : 'the faults put into it'}`, async () => {
    const outcome = await run(bin('tsc'), ['--project', join(template, project)]).catch((error) => error);
    assert.equal(outcome.stdout, '');
  });
}

test('the .wasm stays a file that the bundle imports statically', async () => {
  const names = await readdir(join(output, 'shipped'));
  const wasm = names.filter((name) => name.endsWith('.wasm'));
  assert.equal(wasm.length, 1);
  const bundle = await readFile(join(output, 'shipped/worker.js'), 'utf8');
  assert.match(bundle, new RegExp(`^import \\S+ from "\\./${wasm[0]}";$`, 'm'));
  assert.doesNotMatch(bundle, /AGFzbQ/, 'no module in base64');
  assert.doesNotMatch(bundle, /[A-Za-z0-9+/]{1024}/, 'no copy of the engine, packed or not');
});

// The aim is 60 KB.
// Releases of zlib differ by some bytes.
test('the Worker is at most 50 KB beside the engine, minified, with gzip', async (t) => {
  const { outputFiles } = await build({
    entryPoints: [join(output, 'shipped/worker.js')],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    external: ['*.wasm', 'cloudflare:*'],
  });
  const bytes = gzipSync(outputFiles[0].contents, { level: 9 }).length;
  t.diagnostic(`${bytes} bytes`);
  assert.ok(bytes <= 50 * 1024, `${bytes} bytes`);
});

test('wrangler builds what its configuration says, with the module beside it', async () => {
  const folder = join(output, 'wrangler');
  // An engine of another build has another name.
  await rm(folder, { recursive: true, force: true });
  const environment = { ...process.env, WRANGLER_SEND_METRICS: 'false', NO_COLOR: '1', CI: '1' };
  // The newest wrangler needs a newer Node than the package: the template installs one.
  const words = [join(template, 'node_modules/wrangler/bin/wrangler.js'), 'deploy', '--dry-run', '--outdir', folder];
  await run(bin('node'), words, { cwd: template, env: environment });
  const names = await readdir(folder);
  assert.ok(names.includes('worker.js'));
  assert.equal(names.filter((name) => name.endsWith('.wasm')).length, 1);
});

test('the template pins what is tested here', async () => {
  const shipped = await readJson(join(template, 'package.json'));
  const tested = await readJson(new URL('package.json', import.meta.url));
  for (const [name, version] of Object.entries(shipped.devDependencies)) {
    assert.equal(tested.devDependencies[name], version, name);
  }
  const keylatch = await readJson(join(template, 'node_modules/keylatch/package.json'));
  assert.equal(shipped.dependencies.keylatch, keylatch.version);
});
