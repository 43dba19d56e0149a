// The types of `call` are printed from the command table; a stale file is rewritten, and fails here.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';

const generator = fileURLToPath(new URL('../../pkg-templates/npm/generate.mjs', import.meta.url));
const generate = (...flags) => spawnSync(process.execPath, [generator, ...flags], { encoding: 'utf8' });

test('src/generated/commands.ts is what commands.json prints', () => {
  if (generate('--check').status === 0) return;
  const { status, stderr } = generate();
  assert.equal(status, 0, stderr);
  assert.fail('pkg-templates/npm/src/generated/commands.ts was rewritten: commit it');
});
