// Tables behind the explanations: commands that keylatch lacks, keys among words, themes of lessons.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { loadModule } from './load.js';

const { missingSince } = await loadModule('src/why/not-here.ts');
const { isLesson, lessonMark } = await loadModule('src/lessons/lesson-marks.ts');
const fromPage = createRequire(new URL('../../../www/package.json', import.meta.url));
const rows = fromPage('keylatch/commands.json');
const { keyIndicesOf } = fromPage('keylatch/hints');

test('a command that keylatch has is never said to be missing', () => {
  assert.deepEqual(
    rows.filter(({ name }) => missingSince(name) !== undefined).map(({ name }) => name),
    [],
  );
  assert.equal(missingSince('migrate'), '2.6.0');
  assert.equal(missingSince('CLUSTER|REPLICAS'), '5.0.0');
  assert.equal(missingSince('MODULE|LOAD'), '4.0.0');
  assert.equal(missingSince('json.get'), '8.0.0');
  assert.equal(missingSince('LATCH.FROB'), undefined);
  assert.equal(missingSince('frob'), undefined);
});

test('keys among the words of a command', () => {
  // Rows without keys leave the column out.
  const specs = (name) => rows.find((row) => row.name === name).keys ?? [];
  const keys = (line) => {
    const words = line.split(' ');
    return keyIndicesOf(specs(words[0]), words).map((index) => words[index]);
  };
  assert.deepEqual(keys('SET k v NX'), ['k']);
  assert.deepEqual(keys('MSETNX a 1 b 2'), ['a', 'b']);
  assert.deepEqual(keys('DEL a b c'), ['a', 'b', 'c']);
  assert.deepEqual(keys('BLPOP a b 0'), ['a', 'b']);
  assert.deepEqual(keys('MSETEX 2 a 1 b 2 NX'), ['a', 'b']);
  assert.deepEqual(keys('SORT l BY w* STORE to'), ['l', 'to']);
  assert.deepEqual(keys('PING'), []);
  assert.deepEqual(keys('SINTERCARD 99999999999999999999 a'), []);
});

test('marks of lessons are comments with a meaning, only below the header of a lesson', () => {
  assert.deepEqual(lessonMark('#? Does it? ["a" | (nil)]'), {
    kind: 'question',
    question: 'Does it?',
    choices: ['"a"', '(nil)'],
  });
  assert.deepEqual(lessonMark('# ? Typed?'), { kind: 'question', question: 'Typed?', choices: [] });
  assert.deepEqual(lessonMark('#= (integer) 0'), { kind: 'goal', reply: '(integer) 0' });
  assert.deepEqual(lessonMark('# Themes: locks, once'), { kind: 'header', name: 'Themes', value: 'locks, once' });
  assert.equal(lessonMark('# Prose: of any kind'), undefined);
  assert.ok(!isLesson(['## Mine', '# Task: a note of my own']));
});

test('every lesson names themes of the index', () => {
  const themes = readFileSync(new URL('../../../www/src/lessons/theme-list.ts', import.meta.url), 'utf8');
  const ids = new Set([...themes.matchAll(/^ {2}theme\(\s*'(\w+)'/gm)].map(([, id]) => id));
  assert.ok(ids.size >= 8);
  const folder = new URL('../../../www/lessons/', import.meta.url);
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.session'))) {
    const lines = readFileSync(new URL(file, folder), 'utf8').split('\n');
    assert.ok(isLesson(lines), file);
    for (const id of /^# Themes: (.+)$/.exec(lines[1])[1].split(', ')) assert.ok(ids.has(id), `${file}: ${id}`);
  }
});
