// Foreign texts of 100 KB keep no function of the page busy.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leastMs } from '../../js/support/processor-time.mjs';
import { loadModule, loadTexts } from './load.js';

const { addressedLine, linesApart, linesOf, pastedCommands, titleOf } = await loadTexts();
const { limitScripts } = await loadModule('../pkg-templates/npm/src/element/script-limit.ts');
const { needsLua } = await loadModule('../pkg-templates/npm/src/element/needs-lua.ts');
const { dedented } = await loadModule('../pkg-templates/npm/src/element/dedented.ts');
const { oneLine } = await loadModule('../pkg-templates/npm/src/base/one-line.ts');
const { redisCliCall, shellCommand } = await loadModule('src/text/shell-line.ts');
const { trailingComment, openQuote } = await loadModule('src/text/typed-line.ts');
const { lessonMark } = await loadModule('src/lessons/lesson-marks.ts');
const { rawLines } = await loadModule('src/text/output.ts');

const LENGTH = 100_000;
/** Quadratic work takes many seconds. */
const LIMIT_MS = 1000;
const NAMES = { isCommand: (word) => /^(?:SET|EVAL|CONFIG)$/i.test(word), isBlocking: () => false };
const PARTS = [
  'a',
  ':',
  '"',
  "'",
  '\\',
  '"\\',
  ' ',
  '\n',
  '>',
  '> ',
  'EVAL "',
  '\n> EVAL "',
  '\nSET k "',
  ' # a',
  '[',
  '1',
  '.',
  '$ ',
  '? ',
  'CONFIG SET ',
];
const STARTS = [
  '',
  '> ',
  '? ',
  'redis-cli ',
  '> EVAL "',
  "redis> SET k '",
  'SET k " # ',
  `> EVAL "return 1" 0\n# x\n${'>'.repeat(LENGTH / 4)}`,
];
const TEXTS = STARTS.flatMap((start) => PARTS.map((part) => start + part.repeat(Math.ceil(LENGTH / part.length))));
const encoder = new TextEncoder();

const FUNCTIONS = {
  linesOf,
  linesApart,
  limitScripts: (text) => limitScripts({ configSet() {} }, text),
  needsLua,
  dedented,
  oneLine,
  addressedLine,
  redisCliCall,
  shellCommand,
  trailingComment,
  openQuote,
  lessonMark: (text) => lessonMark(text),
  rawLines: (text) => rawLines(encoder.encode(`-${text}\r\n`)),
  titleOf,
  pastedCommands: (text) => pastedCommands(text, NAMES),
};

for (const [name, work] of Object.entries(FUNCTIONS)) {
  test(`${name} of 100 KB`, () => {
    for (const text of TEXTS) {
      const ms = leastMs(() => work(text), LIMIT_MS);
      assert.ok(ms < LIMIT_MS, `${ms} ms for ${JSON.stringify(text.slice(0, 24))}...`);
    }
  });
}

test('what limits scripts still finds the parameter', () => {
  const db = { set: undefined, configSet: (_, value) => (db.set = value) };
  const run = '> EVAL "return 1" 0\n';
  for (const line of [
    '> CONFIG SET lua-instruction-limit 5',
    'redis>config  set maxmemory 5 LUA-instruction-limit 9',
    '> "\\x43ONFIG" SET lua-instruction-limit 5',
    '> CONFIG GET x CONFIG SET lua-instruction-limit 5',
  ])
    assert.equal(limitScripts(db, run + line)?.line, 2, line);
  for (const line of [
    '# > CONFIG SET lua-instruction-limit 5',
    'CONFIG SET lua-instruction-limit 5',
    '> CONFIG SET maxmemory 5',
  ])
    assert.equal(limitScripts(db, run + line), undefined, line);
  assert.equal(db.set, '20000000');
});
