/**
 * Packs the built package as npm would publish it, and installs the tarball in separate consumers under
 * target/packaging.
 *
 * KEYLATCH_PACKAGE names another built package than target/npm/keylatch.
 */

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const tests = dirname(dirname(fileURLToPath(import.meta.url)));
export const root = resolve(tests, '../../..');
const built = resolve(process.env.KEYLATCH_PACKAGE ?? join(root, 'target/npm/keylatch'));
export const output = join(root, 'target/packaging');

/** Runs a program and returns its output, which is part of the error if it fails. */
export function run(program, args, options = {}) {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], ...options });
  } catch (error) {
    throw new Error(`${program} ${args.join(' ')}\n${error.stdout ?? ''}${error.stderr ?? ''}`, { cause: error });
  }
}

/** Path of a program installed with the tests' own packages. */
export const tool = (name) => join(tests, 'node_modules', '.bin', name);

/** Packs into the caller's folder, because test files run at the same time. */
export function pack(name) {
  if (!existsSync(join(built, 'package.json')))
    throw new Error(`no package at ${built}: run \`cargo xtask build\` first`);
  const folder = join(output, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const report = run('npm', ['pack', built, '--json', '--loglevel=error', '--pack-destination', folder]);
  const [entry] = Object.values(JSON.parse(report));
  return { folder, file: join(folder, entry.filename), files: entry.files.map(({ path }) => path) };
}

/** A folder with the fixture's files, and the tarball installed as its only package. */
export function consumer(name, fixture = name) {
  const { folder, file } = pack(name);
  const home = join(folder, 'consumer');
  cpSync(join(tests, 'fixtures', fixture), home, { recursive: true });
  if (!existsSync(join(home, 'package.json')))
    writeFileSync(join(home, 'package.json'), '{ "private": true, "type": "module" }\n');
  run('npm', ['install', '--offline', '--no-save', '--no-audit', '--no-fund', '--loglevel=error', file], { cwd: home });
  return home;
}

/**
 * A folder as `consumer` has it, with the tarball unpacked as its package `keylatch`, which is quicker than an
 * installation. `tools`: further packages, those of the tests.
 */
export function project(name, fixture = name, tools = []) {
  const { folder, file } = pack(name);
  const home = join(folder, 'consumer');
  cpSync(join(tests, 'fixtures', fixture), home, { recursive: true });
  if (!existsSync(join(home, 'package.json')))
    writeFileSync(join(home, 'package.json'), '{ "private": true, "type": "module" }\n');
  const modules = join(home, 'node_modules');
  const installed = join(modules, 'keylatch');
  mkdirSync(installed, { recursive: true });
  run('tar', ['-xzf', file, '-C', installed, '--strip-components=1']);
  for (const tool of tools) symlinkSync(join(tests, 'node_modules', tool), join(modules, tool));
  return home;
}

/** Path of a script of a package of the tests. */
export const script = (path) => join(tests, 'node_modules', path);
