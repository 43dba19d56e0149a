// The types of `call` are printed from the command table; a stale file fails here.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';

test('src/generated/commands.ts is what commands.json prints', () => {
  const generator = fileURLToPath(new URL('../../pkg-templates/npm/generate.mjs', import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [generator, '--check'], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
});
