/** The tarball of keylatch-scripting: it loads in Node and, bundled, in a browser; its types are as asserted. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { after, before, test } from 'node:test';

// The other tests pack the package without Lua.
const core = resolve(process.env.KEYLATCH_PACKAGE ?? join(import.meta.dirname, '../../../target/npm/keylatch'));
process.env.KEYLATCH_PACKAGE = join(dirname(core), 'keylatch-scripting');
const { answersOf, startBrowser } = await import('./support/browser.mjs');
const { consumer, pack, run, tests, tool } = await import('./support/tarball.mjs');

const home = consumer('scripting');
let browser;
before(async () => {
  browser = await startBrowser();
});
after(() => browser.close());

for (const name of ['load.mjs', 'load.cjs']) {
  test(`Node: ${name}`, () => assert.equal(run(process.execPath, [name], { cwd: home }), 'loaded\n'));
}

test('a bundle in Chromium', async () => {
  run(tool('esbuild'), ['main.js', '--bundle', '--format=esm', '--outfile=bundle.js'], { cwd: home });
  assert.deepEqual(await answersOf(browser, home), ['me', '[1,2]']);
});

test('types of a program', () => {
  run(process.execPath, [join(tests, 'node_modules/typescript/bin/tsc'), '--project', home]);
});

test('files, name and README are its own; nothing else is', () => {
  const { files } = pack('scripting-files');
  const readme = readFileSync(join(home, 'node_modules/keylatch-scripting/README.md'), 'utf8');
  assert.match(readme, /^# keylatch-scripting\n/);
  assert.match(readme, /from 'keylatch-scripting\/server'/);
  assert.doesNotMatch(readme, /from 'keylatch['/]/);
  const manifest = JSON.parse(readFileSync(join(home, 'node_modules/keylatch-scripting/package.json'), 'utf8'));
  assert.deepEqual(manifest.bin, { 'keylatch-scripting': './cli/keylatch.js' });
  assert.deepEqual(
    files,
    JSON.parse(run('npm', ['pack', core, '--dry-run', '--json', '--loglevel=error']))[0].files.map(({ path }) => path),
  );
});

test('publint finds nothing', () => {
  const { file } = pack('scripting-publint');
  run(tool('publint'), [file, '--strict']);
});
