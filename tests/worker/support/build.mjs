/**
 * Copies the template and installs its packages as its users do, and bundles it for workerd. Writes target/worker:
 * `template/` (the copy), `shipped/`, `faulty/`, `bare/`, `beside/`, `caller/`, `configured/` (also with Lua) and `scripting/` (the bundles: worker.js
 * and the .wasm beside it).
 *
 * KEYLATCH_PACKAGE names another built package than target/npm/keylatch. keylatch-scripting is beside it.
 */

import { readFileSync } from 'node:fs';
import { cp, mkdir, readdir, rm, stat, symlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { build } from 'esbuild';

const tests = dirname(dirname(fileURLToPath(import.meta.url)));
const root = resolve(tests, '../..');
export const output = join(root, 'target/worker');
export const template = join(output, 'template');
export const templateSource = join(root, 'pkg-templates/durable-object');

/** Date of the platform's behaviour, as the template's configuration has it. */
export const COMPATIBILITY_DATE = /"compatibility_date": "([^"]+)"/.exec(
  readFileSync(join(templateSource, 'wrangler.jsonc'), 'utf8'),
)[1];

/** Package that stands in for keylatch where a namespace runs Lua. */
const WITH_LUA = 'keylatch-scripting';

async function layOut() {
  const keylatch = resolve(process.env.KEYLATCH_PACKAGE ?? join(root, 'target/npm/keylatch'));
  await stat(join(keylatch, 'package.json')).catch(() => {
    throw new Error(`no package at ${keylatch}: run "cargo xtask build" first`);
  });
  await rm(output, { recursive: true, force: true });
  await cp(templateSource, template, { recursive: true, filter: (path) => !path.includes('node_modules') });
  await cp(join(tests, 'fixtures'), join(template, 'fixtures'), { recursive: true });
  const modules = join(template, 'node_modules');
  await mkdir(modules);
  await symlink(keylatch, join(modules, 'keylatch'));
  await symlink(join(dirname(keylatch), WITH_LUA), join(modules, WITH_LUA));
  for (const name of await readdir(join(tests, 'node_modules'))) {
    if (name !== 'keylatch') await symlink(join(tests, 'node_modules', name), join(modules, name));
  }
}

/** Bundles as wrangler does: the `workerd` condition, and every .wasm left as an import of a file beside the bundle. */
async function bundle(entry, name, alias = {}) {
  await build({
    entryPoints: { worker: join(template, entry) },
    outdir: join(output, name),
    bundle: true,
    // Aliases are resolved from here.
    absWorkingDir: template,
    alias,
    format: 'esm',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*', 'workerd:*'],
    loader: { '.wasm': 'copy' },
    logLevel: 'warning',
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await layOut();
  await bundle('src/worker.ts', 'shipped');
  await bundle('fixtures/faulty.ts', 'faulty');
  await bundle('fixtures/bare.ts', 'bare');
  await bundle('fixtures/caller.ts', 'caller');
  await bundle('fixtures/beside.ts', 'beside');
  await bundle('fixtures/sleeping.ts', 'sleeping');
  await bundle('fixtures/configured.ts', 'configured');
  await bundle('fixtures/configured.ts', 'configured-scripting', { keylatch: WITH_LUA });
  await bundle('src/worker.ts', 'scripting', { keylatch: WITH_LUA });
}
