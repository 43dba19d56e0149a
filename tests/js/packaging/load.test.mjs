/** The installed tarball loads and runs in Node, Bun and Deno, without configuration. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { loads } from './support/matrix.mjs';
import { consumer, project, run, script } from './support/tarball.mjs';

const home = consumer('node');

/** Fixture by way of loading. */
const SCRIPTS = { import: 'load.mjs', require: 'load.cjs' };
const platform = `${process.platform}-${process.arch}`;

for (const [way, name] of Object.entries(SCRIPTS)) {
  loads('Node', way, () => assert.equal(run(process.execPath, [name], { cwd: home }), 'loaded\n'));

  loads('Bun', way, () => {
    const bun = script(`@oven/bun-${platform}/bin/bun`);
    assert.equal(run(bun, [name], { cwd: home }), 'loaded\n');
  });
}

const deno = script(`@deno/${platform}${process.platform === 'linux' ? '-glibc' : ''}/deno`);
const DENO = ['run', '--no-prompt', '--node-modules-dir=manual', '--no-lock'];

loads('Deno', 'import', () =>
  assert.equal(run(deno, [...DENO, '--allow-read', 'load.mjs'], { cwd: home }), 'loaded\n'),
);
loads('Deno', 'without permissions', () => assert.equal(run(deno, [...DENO, 'small.mjs'], { cwd: home }), 'OK null\n'));

test('data in files, written in turns by Node, Bun and Deno, each without closing it', () => {
  const dir = join(home, 'data');
  rmSync(dir, { recursive: true, force: true });
  const programs = [[process.execPath], [script(`@oven/bun-${platform}/bin/bun`)], [deno, ...DENO, '--allow-all']];
  programs.forEach(([program, ...options], index) => {
    const given = [...options, 'files.mjs', dir, String(index + 1)];
    assert.equal(run(program, given, { cwd: home }), 'kept\n', program);
  });
});

test('a program without the file keylatch.wasm, as in a bundle', () => {
  const moved = project('moved', 'node');
  const file = join(moved, 'node_modules/keylatch/keylatch.wasm');
  renameSync(file, `${file}.away`);
  assert.equal(run(process.execPath, ['small.mjs'], { cwd: moved }), 'OK null\n');
  writeFileSync(file, 'another file');
  assert.equal(run(process.execPath, ['small.mjs'], { cwd: moved }), 'OK null\n');
});

test('the command line, as npm links it', () => {
  const cli = consumer('cli', 'node');
  const command = join(cli, 'node_modules/.bin/keylatch');
  writeFileSync(join(cli, 'good.session'), '> SETNX a 1\n(integer) 1\n');
  writeFileSync(join(cli, 'bad.session'), '> SETNX a 1\n(integer) 2\n');
  run(command, ['run', 'good.session'], { cwd: cli });
  assert.throws(() => run(command, ['run', 'good.session', 'bad.session'], { cwd: cli }), /bad\.session/);
});

/** Node's status for a promise that nothing can fulfil any more. */
const UNSETTLED = 13;

// README, "Waiting": what keeps a process alive until the end of a wait.
for (const [what, args, expected] of [
  ['a timeout keeps the process alive', ['0.02'], { status: 0, stdout: 'null\n' }],
  ['a timeout beside a signal does', ['5', '20'], { status: 0, stdout: 'TimeoutError\n' }],
  ['a signal alone does not', ['0', '60000'], { status: UNSETTLED, stdout: '' }],
]) {
  test(`a wait at the end of a program: ${what}`, () => {
    const { status, stdout } = spawnSync(process.execPath, ['deadline.mjs', ...args], { cwd: home, encoding: 'utf8' });
    assert.deepEqual({ status, stdout }, expected);
  });
}
