// The limit of scripts that run on the thread of a page.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { loadModule } from './load.js';

const { limitScripts } = await loadModule('../pkg-templates/npm/src/element/script-limit.ts');
const { Keylatch, ManualClock } = createRequire(new URL('../../../www/package.json', import.meta.url))(
  'keylatch-scripting',
);

/** The limit that a text gets, or its problem. */
function limitOf(text) {
  const db = new Keylatch({ clock: new ManualClock() });
  const problem = limitScripts(db, text);
  const limit = db.call('CONFIG', 'GET', 'lua-instruction-limit');
  db.close();
  return problem ?? Number(Object.values(limit instanceof Map ? Object.fromEntries(limit) : limit).at(-1));
}

test('all scripts of a text share one limit', () => {
  assert.equal(limitOf('> SET k v\n> EVAL'), limitOf('> EVAL "return 1" 0'));
  assert.equal(limitOf('> EVAL "return 1" 0'), 20_000_000);
  assert.equal(limitOf('A[1](TX)> evalsha_ro x 0\n  > FCALL f 0\n> "\\x45VAL" "return 1" 0\n> GET k\n'), 6_666_666);
  assert.equal(limitOf('> EVAL "return 1" 0\n'.repeat(64 * 1024)), 1000);
});

test('a text without scripts has an engine as it comes', () => {
  assert.equal(limitOf('> SET k v\n# EVAL\n"EVAL"'), 100_000_000);
});

test('no text lifts the limit', () => {
  const script = '> EVAL "return 1" 0\n';
  for (const line of [
    '> CONFIG SET lua-instruction-limit 9',
    'A> config set maxmemory 0 LUA-instruction-limit 9',
    '> "CON\\x46IG" "SET" "lua\\x2dinstruction\\-limit" 9',
    "> CONFIG SET 'lua-instruction-limit' 9",
  ])
    assert.equal(limitOf(`${script}${line}\n`).line, 2, line);
  for (const line of [
    '> CONFIG GET lua-instruction-limit',
    '# > CONFIG SET lua-instruction-limit 9',
    '> CONFIG SET maxmemory 0',
  ])
    assert.equal(limitOf(`${script}${line}\n`), 20_000_000, line);
});
