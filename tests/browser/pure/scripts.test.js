// Texts of scripts: which ones need the engine with Lua, and how the history of the command line holds those over lines.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadHints, loadModule } from './load.js';

const { needsLua } = await loadModule('../pkg-templates/npm/src/element/needs-lua.ts');
const { oneLine } = await loadModule('../pkg-templates/npm/src/base/one-line.ts');
const { typedWords } = loadHints();

test('commands that need Lua, with and without quotes', () => {
  const needing = [
    'EVAL "return 1" 0',
    '"EVAL" "return 1" 0',
    "'evalsha' x 0",
    'FUNCTION LIST',
    'function stats',
    '"FUNCTION" "LIST" WITHCODE',
    'SCRIPT LOAD x',
    'GET k\nkeylatch> FCALL f 0',
    'FUNCTION RESTORE x',
  ];
  for (const text of needing) assert.equal(needsLua(text), true, text);
  const others = [
    'FUNCTION DUMP',
    'FUNCTION LISTEN',
    '"EVAL x',
    'SCRIPT EXISTS x',
    'GET EVAL',
    '# EVAL x 0',
    'EVALUATE x',
  ];
  for (const text of others) assert.equal(needsLua(text), false, text);
});

test('a script over lines is one line of the history', () => {
  for (const [typed, line] of [
    ['EVAL "a\nb" 0', 'EVAL "a\\nb" 0'],
    ['EVAL "say \\"x\\"\nb" 0', 'EVAL "say \\"x\\"\\nb" 0'],
    ['EVAL "a\\\nb" 0', 'EVAL "a\\nb" 0'],
    ['EVAL "a\\\\\nb" 0', 'EVAL "a\\\\\\nb" 0'],
    [`EVAL 'it\\'s "x"\nb\\n' 0`, `EVAL "it's \\"x\\"\\nb\\\\n" 0`],
    [`EVAL 'a' 0 "b\nc"`, `EVAL 'a' 0 "b\\nc"`],
    ['GET k', 'GET k'],
  ]) {
    assert.equal(oneLine(typed), line);
    assert.equal(typedWords(line).openQuote, undefined);
  }
});
