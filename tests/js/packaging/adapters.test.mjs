/** The entries for other libraries load from the tarball without these libraries. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

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
