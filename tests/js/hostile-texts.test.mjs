// Foreign texts keep no regular expression and no function busy: time grows with the length, not with its square.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { join, resolve } from 'node:path';
import { entry } from './support/package.mjs';
import { hostileTexts, regexpsBelow, timeOf } from './support/regexps.mjs';

const { Keylatch } = await entry('index');
const hints = await entry('hints');
const { runSession } = await entry('testing');

const root = resolve(import.meta.dirname, '../..');
const SHORT = 12_000;
const LONG = 100_000;
/** A linear expression reads a short text in far less than a millisecond; one that is not takes tens of them. */
const SHORT_MS = 20;
const LONG_MS = 250;

/** Expressions that meet short texts of the package only. */
const OWN_TEXTS = { 'element/repl.ts': ['\\.?0*Z$'] };

/** The least of a few measurements: the machine may be busy. */
function leastMs(regexp, text, limitMs) {
  let least = Infinity;
  for (let count = 0; count < 5 && least > limitMs; count += 1) least = Math.min(least, timeOf(regexp, text));
  return least;
}

for (const folder of ['pkg-templates/npm/src', 'www/src']) {
  test(`regular expressions of ${folder} are linear`, () => {
    const regexps = regexpsBelow(join(root, folder)).filter(({ file, source }) => !OWN_TEXTS[file]?.includes(source));
    assert.ok(regexps.length > 100, 'expressions are found');
    const slow = regexps.flatMap((regexp) => {
      const { file, line, source, flags } = regexp;
      for (const text of hostileTexts(source, SHORT)) {
        if (leastMs(regexp, text, SHORT_MS) > SHORT_MS)
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
    return texts.some((text) => leastMs({ source, flags }, text, SHORT_MS) > SHORT_MS);
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

function longMs(work) {
  let least = Infinity;
  for (let count = 0; count < 3 && least > LONG_MS; count += 1) {
    const before = performance.now();
    work();
    least = Math.min(least, performance.now() - before);
  }
  return least;
}

const FUNCTIONS = {
  isUnfinished: (text) => hints.isUnfinished(text),
  splitCommands: (text) => hints.splitCommands(text),
  lastCommandStart: (text) => hints.lastCommandStart(text),
  typedWords: (text) => hints.typedWords(text),
  quoteWord: (text) => hints.quoteWord(text),
  findScriptFault: (text) => hints.findScriptFault(['EVAL', text, '0'], `(error) ERR user_script:1: '${text}'`),
  keyMatcher: (text) => hints.keyMatcher(text)('a'.repeat(10)),
};

for (const [name, work] of Object.entries(FUNCTIONS)) {
  test(`${name} of 100 KB`, () => {
    for (const text of TEXTS) {
      const ms = longMs(() => work(text));
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
    assert.ok(longMs(() => db.set(key, 'v')) < LONG_MS, pattern);
    assert.ok(longMs(() => hints.keyMatcher(pattern)(key)) < LONG_MS, pattern);
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
    const ms = longMs(() => {
      try {
        runSession(text);
      } catch (error) {
        assert.equal(error.name, 'SessionError');
      }
    });
    assert.ok(ms < 20 * LONG_MS, `${ms} ms for ${JSON.stringify(text.slice(0, 20))}...`);
  }
});
