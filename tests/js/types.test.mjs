// The declarations of the built package: types/*.mts asserts them, and the compiler agrees.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';

const here = fileURLToPath(new URL('.', import.meta.url));
const compiler = `${here}/../../pkg-templates/npm/node_modules/typescript/bin/tsc`;

function compile(...flags) {
  const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', `${here}/types`, ...flags], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, stdout);
}

test('the types are as asserted', () => compile());

test("they need neither the DOM's types nor Node's", () => compile('--lib', 'es2022'));
