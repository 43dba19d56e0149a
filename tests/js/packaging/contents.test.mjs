/** Files in the tarball, and files that must not be in it. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { consumer, pack, root, run, tool } from './support/tarball.mjs';

test('every file has a purpose for users', () => {
  const { files } = pack('contents');
  const expected =
    /^(package\.json|(README|CHANGELOG)\.md|LICENSE-(MIT|APACHE)|NOTICE|keylatch\.wasm(\.d\.ts)?|commands\.json|templates\/worker\/.*|(esm|cjs|cli)\/.*\.(js|d\.ts)|cjs\/package\.json)$/;
  assert.deepEqual(
    files.filter((path) => !expected.test(path)),
    [],
  );
  for (const needed of ['README.md', 'keylatch.wasm', 'commands.json'])
    assert.ok(files.includes(needed), `${needed} is missing`);
});

test('no dependencies, no install scripts, no paths of the machine that built it', () => {
  const home = consumer('plain', 'node');
  const installed = join(home, 'node_modules/keylatch');
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  for (const kind of ['dependencies', 'optionalDependencies', 'bundleDependencies'])
    assert.equal(manifest[kind], undefined);
  for (const name of Object.keys(manifest.peerDependencies))
    assert.ok(manifest.peerDependenciesMeta[name].optional, name);
  assert.equal(manifest.scripts, undefined);
  assert.equal(manifest.private, undefined);
  for (const path of pack('paths').files) {
    const bytes = readFileSync(join(installed, path), 'latin1');
    for (const place of [root, homedir(), 'registry/src']) {
      assert.ok(!bytes.includes(place), `${path} names ${place}`);
    }
  }
});

test('publint finds nothing', () => {
  const { file } = pack('publint');
  run(tool('publint'), [file, '--strict']);
});

/** Entries that are ES modules alone: for pages, and for Workers. */
const MODULES_ONLY = ['element', 'durable-object'];

test('types are found as they are exported, in every way of resolving them', () => {
  const { file } = pack('attw');
  const others = ['keylatch.wasm', 'commands.json', ...MODULES_ONLY];
  run(tool('attw'), [file, '--exclude-entrypoints', ...others, '--no-color']);
});

test('types of entries without CommonJS are found from ES modules', () => {
  const { file } = pack('attw-modules');
  run(tool('attw'), [file, '--entrypoints', ...MODULES_ONLY, '--profile', 'esm-only', '--no-color']);
});
