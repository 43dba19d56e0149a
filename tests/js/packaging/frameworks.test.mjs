/** Tests of a program that uses the package, in Jest and Vitest: they run, and a mistake is shown at its line. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { join } from 'node:path';

import { loads } from './support/matrix.mjs';
import { project, run, script } from './support/tarball.mjs';

const plain = { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0', CI: '1' };
delete plain.NODE_TEST_CONTEXT;

const jestHome = project('jest', 'jest', ['jest-environment-jsdom']);

function jest(pattern, ...options) {
  const args = [...options, script('jest/bin/jest.js'), '--no-cache', '--testMatch', join(jestHome, pattern)];
  return run(process.execPath, args, { cwd: jestHome, env: plain });
}

loads('Jest', 'CommonJS', () => jest('cjs.spec.js'));
loads('Jest', 'ES modules', () => jest('esm.spec.mjs', '--experimental-vm-modules', '--no-warnings'));
loads('Jest', 'jsdom', () => jest('jsdom.spec.js'));

test('Jest shows the line of a mistake', () => {
  assert.throws(() => jest('mistake.js'), />\s+6 \|\s+db\.incr\('door'\); \/\/ the mistake/);
});

const vitestHome = project('vitest', 'vitest', ['vitest']);

function vitest(pattern) {
  const args = [script('vitest/vitest.mjs'), 'run', '--root', vitestHome, '--dir', vitestHome];
  return run(process.execPath, [...args, ...pattern], { cwd: vitestHome, env: plain });
}

loads('Vitest', 'test', () => vitest([]));

test('Vitest shows the line of a mistake', () => {
  const { message } = caught(() => vitest(['--config', 'mistake.config.js']));
  for (const line of [
    /\d+\|\s+db\.incr\('door'\); \/\/ the mistake\n\s+\|\s+\^/,
    /\d+\|\s+await db\.blpop\('list'\); \/\/ the mistaken wait\n\s+\|\s+\^/,
    /\d+\|\s+for \(const member of db.*\n\s+\|\s+\^/,
  ])
    assert.match(message, line);
});

function caught(work) {
  try {
    work();
  } catch (error) {
    return error;
  }
  return assert.fail('nothing was thrown');
}
