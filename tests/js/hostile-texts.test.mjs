// Foreign texts keep no regular expression and no function busy: time grows with the length, not with its square.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { join, resolve } from 'node:path';
import { entry } from './support/package.mjs';
import { leastMs } from './support/processor-time.mjs';
import { hostileTexts, regexpsBelow, searchAll } from './support/regexps.mjs';

const { Keylatch } = await entry('index');
const hints = await entry('hints');
const { runSession } = await entry('testing');

const root = resolve(import.meta.dirname, '../..');
const SHORT = 12_000;
const LONG = 100_000;
/** A linear expression reads a short text in far less than a millisecond; one that is not takes tens of them. */
const SHORT_MS = 20;
/** Quadratic work on a long text takes many seconds. */
const LONG_MS = 1000;
const SESSION_MS = 10_000;

/** Expressions that meet short texts of the package only. */
const OWN_TEXTS = { 'element/repl.ts': ['\\.?0*Z$'] };

const isSlow = (regexp, text) => leastMs(() => searchAll(regexp, text), SHORT_MS, 5) > SHORT_MS;

for (const folder of ['pkg-templates/npm/src', 'www/src']) {
  test(`regular expressions of ${folder} are linear`, () => {
    const regexps = regexpsBelow(join(root, folder)).filter(({ file, source }) => !OWN_TEXTS[file]?.includes(source));
    assert.ok(regexps.length > 100, 'expressions are found');
    const slow = regexps.flatMap((regexp) => {
      const { file, line, source, flags } = regexp;
      for (const text of hostileTexts(source, SHORT)) {
        if (isSlow(regexp, text))
          return [`${file}:${line} /${source}/${flags} on ${JSON.stringify(text.slice(0, 12))}...`];
      }
      return [];
    });
    assert.deepEqual(slow, []);
  });
}

test('the search for slow expressions finds them', () => {
  const found = (source, flags = '') => {
    const texts = [...hostileTexts(source, SHORT)];
    return texts.some((text) => isSlow({ source, flags }, text));
  };
  for (const source of ['\\s+$', '^\\d+\\.?\\d*$', '\\{[^}]+\\}']) assert.ok(found(source), source);
  assert.ok(found('[ \\t]+$', 'gm'));
  assert.ok(!found('^[^#\\n]*>\\s*(?:EVAL|FCALL)', 'gim'));
});

/** Texts of 100 KB: a part over and over, alone and behind a beginning. */
const PARTS = [
  'a',
  '*',
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
  ' # a',
  '[',
  '1',
  '.',
  "'a' ",
  '{',
];
const STARTS = ['', '> ', 'EVAL "', '> EVAL "', "redis> SET k '", '> SET k " # '];
const TEXTS = STARTS.flatMap((start) => PARTS.map((part) => start + part.repeat(Math.ceil(LONG / part.length))));

const reader = new Keylatch();
const FUNCTIONS = {
  isUnfinished: (text) => hints.isUnfinished(text),
  splitCommands: (text) => hints.splitCommands(text),
  lastCommandStart: (text) => hints.lastCommandStart(text),
  typedWords: (text) => hints.typedWords(text),
  quoteWord: (text) => hints.quoteWord(text),
  sessionLines: (text) => hints.sessionLines(reader, text),
  findScriptFault: (text) => hints.findScriptFault(['EVAL', text, '0'], `(error) ERR user_script:1: '${text}'`),
  keyMatcher: (text) => hints.keyMatcher(text)('a'.repeat(10)),
};

for (const [name, work] of Object.entries(FUNCTIONS)) {
  test(`${name} of 100 KB`, () => {
    for (const text of TEXTS) {
      const ms = leastMs(() => work(text), LONG_MS);
      assert.ok(ms < LONG_MS, `${ms} ms for ${JSON.stringify(text.slice(0, 20))}...`);
    }
  });
}

test('listeners with match, and key matchers, take no longer than KEYS', () => {
  const cases = [
    ['*:*:*:x', ':'.repeat(LONG)],
    ['a*a*a*b', 'a'.repeat(LONG)],
    ['*a*a*a*a*a*a*a*a*b', 'a'.repeat(LONG)],
    ['user:*:session:*:lock:*:end', `user:${':session:'.repeat(5000)}${':lock:'.repeat(5000)}`],
    ['*[a-c]?[^x]*[!]*z', 'abc'.repeat(LONG / 3)],
    ['?*?*?*?*?*?*b', 'a'.repeat(LONG)],
  ];
  for (const [pattern, key] of cases) {
    const db = new Keylatch();
    const heard = [];
    db.on('set', (event) => heard.push(event.key), { match: pattern });
    assert.ok(leastMs(() => db.set(key, 'v'), LONG_MS) < LONG_MS, pattern);
    assert.ok(leastMs(() => hints.keyMatcher(pattern)(key), LONG_MS) < LONG_MS, pattern);
    assert.equal(heard.length > 0, db.keys(pattern).length > 0, pattern);
  }
});

test('patterns match as those of KEYS do', () => {
  const keys = ['', 'a', 'b', 'ab', 'abc', 'a*c', 'a]c', 'a-c', '[', '\\', 'a\\', 'é', 'z', '^', 'ac', 'a\nb'];
  const signs = ['*', '?', '[', ']', '^', '-', '\\', 'a', 'b', 'z', 'é'];
  let seed = 1;
  const random = (below) => (seed = (seed * 48271) % 2147483647) % below;
  for (let count = 0; count < 3000; count += 1) {
    const pattern = Array.from({ length: random(7) }, () => signs[random(signs.length)]).join('');
    const db = new Keylatch();
    const heard = [];
    db.on('set', ({ key }) => heard.push(key), { match: pattern });
    for (const key of keys) db.set(key, 'v');
    const wanted = db.keys(pattern).sort();
    assert.deepEqual(heard.sort(), wanted, pattern);
    assert.deepEqual(keys.filter(hints.keyMatcher(pattern)).sort(), wanted, pattern);
  }
});

test('sessions of 100 KB are read in time', () => {
  for (const text of TEXTS) {
    const ms = leastMs(() => {
      try {
        runSession(text);
      } catch (error) {
        assert.equal(error.name, 'SessionError');
      }
    }, SESSION_MS);
    assert.ok(ms < SESSION_MS, `${ms} ms for ${JSON.stringify(text.slice(0, 20))}...`);
  }
});
