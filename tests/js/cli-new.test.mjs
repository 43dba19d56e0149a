// `keylatch new` as a process: the files of a template, and the folders that it refuses.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from './support/folders.mjs';
import { folder as packageFolder } from './support/package.mjs';

function run(program, args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

const keylatch = (...args) => run(`${packageFolder}/cli/keylatch.js`, args);
const read = (...path) => readFileSync(join(...path), 'utf8');
const source = new URL('../../pkg-templates/durable-object/', import.meta.url).pathname;

const FILES = [
  '.dev.vars',
  '.dev.vars.example',
  '.gitignore',
  'README.md',
  'package.json',
  'src/worker.ts',
  'tsconfig.json',
  'wrangler.jsonc',
];

function filesOf(folder) {
  const entries = readdirSync(folder, { recursive: true });
  return entries.filter((name) => statSync(join(folder, name)).isFile()).sort();
}

test('new worker writes the template, with a token of its own for this machine', () => {
  const [one, other] = [join(temporaryFolder(), 'deep/er'), temporaryFolder()];
  const { status, stdout, stderr } = keylatch('new', 'worker', one);
  assert.deepEqual([status, stderr], [0, '']);
  for (const step of [
    `cd ${one}`,
    'npm install',
    'npx wrangler dev',
    'secret put KEYLATCH_TOKEN',
    'npx wrangler deploy',
  ])
    assert.ok(stdout.includes(step), step);
  assert.deepEqual(filesOf(one), FILES);
  for (const name of FILES.filter((name) => name !== '.dev.vars')) assert.equal(read(one, name), read(source, name));
  assert.equal(keylatch('new', 'worker', other).status, 0);
  const [, token] = /^KEYLATCH_TOKEN="([\w-]{32})"$/m.exec(read(one, '.dev.vars'));
  assert.ok(!read(other, '.dev.vars').includes(token), 'each has its own');
  assert.equal(statSync(join(one, '.dev.vars')).mode & 0o077, 0);
  assert.match(read(one, '.gitignore'), /^\.dev\.vars$/m);
});

test('the package with Lua writes itself as the engine', () => {
  const folder = temporaryFolder();
  assert.equal(run(`${packageFolder}-scripting/cli/keylatch.js`, ['new', 'worker', folder]).status, 0);
  const { version } = JSON.parse(read(packageFolder, 'package.json'));
  assert.deepEqual(JSON.parse(read(folder, 'package.json')).dependencies, {
    keylatch: `npm:keylatch-scripting@${version}`,
  });
});

test('a folder that is not empty, and a file, are left alone', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, '.hidden'), 'mine');
  const refused = keylatch('new', 'worker', folder);
  assert.deepEqual([refused.status, refused.stdout], [2, '']);
  assert.match(
    refused.stderr,
    /^keylatch new: .* is not empty, and nothing was written: .*; see keylatch new --help\n$/,
  );
  assert.deepEqual(readdirSync(folder), ['.hidden']);
  assert.match(keylatch('new', 'worker', join(folder, '.hidden')).stderr, /is a file/);
  mkdirSync(join(folder, 'empty'));
  assert.equal(keylatch('new', 'worker', join(folder, 'empty')).status, 0);
});

test('wrong words name what is expected', () => {
  assert.match(keylatch('new', '--help').stdout, /^keylatch new worker DIR/);
  for (const words of [[], ['worker'], ['nothing', 'dir'], ['worker', 'a', 'b'], ['worker', 'a', '--force']]) {
    const { status, stdout, stderr } = keylatch('new', ...words);
    assert.deepEqual([status, stdout], [2, ''], words.join(' '));
    assert.match(stderr, /^keylatch new: /);
  }
});
