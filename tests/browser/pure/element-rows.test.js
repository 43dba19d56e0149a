// Rows of `<keylatch-repl>`: where output stands, and how a client of a race that stops is marked.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { loadModule } from './load.js';

const { rowsOf } = await loadModule('../pkg-templates/npm/src/element/rows.ts');
const fromPage = createRequire(new URL('../../../www/package.json', import.meta.url));
const { Keylatch } = fromPage('keylatch');
const { sessionLines } = fromPage('keylatch/hints');
const { runSession } = fromPage('keylatch/testing');

const STOPS = ['command', 'receive', 'clock'];
const shown = (whole) => {
  const report = runSession(whole);
  const stops = report.steps.filter(({ kind }) => STOPS.includes(kind));
  const lines = sessionLines(new Keylatch(), whole);
  return rowsOf({ whole, lines, report, stops, at: stops.length, problem: undefined });
};
const lines = (rows) => rows.map(({ head, rest, verdict }) => [verdict, head + rest].filter(Boolean).join(' '));

test('a client whose guard differs stops: its reply is shown, and is no mismatch', () => {
  const rows = shown(
    '@ race\nA> SET lock A NX\nOK\nA+\nB> SET lock B NX\nOK\nB+\nB> GET lock\n"B"\n@ join\n> GET lock\n"A"',
  );
  assert.deepEqual(lines(rows), [
    ...['@ race', 'matched A> SET lock A NX', 'OK', 'A+'],
    ...['stopped B> SET lock B NX', 'unmet OK', '(nil)', 'the client stops here', 'B+'],
    ...['ran B> GET lock', 'unmet "B"', 'not run', '@ join', 'matched > GET lock', '"A"'],
  ]);
  assert.equal(rows[6].look, 'got');
});

test('output stands above the mark or the end of the race that follows its command', () => {
  assert.deepEqual(lines(shown('@ race\nA> INCR n\nA+\n\nA> INCR n\n@ join')), [
    ...['@ race', 'ran A> INCR n', '(integer) 1', 'A+', '', 'ran A> INCR n', '(integer) 2', '@ join'],
  ]);
});

test('looks are those of the kinds; without an engine lines are plain', () => {
  const whole = '## T\nredis>\nA> EVAL "\nreturn 1" 0\n| A+\n...\n! set k\n(0.50s)\n@ race\nA+\n@ join';
  const lines = sessionLines(new Keylatch(), whole);
  const looks = (state) => rowsOf({ whole, stops: [], at: 0, ...state }).map(({ look }) => look);
  assert.deepEqual(looks({ lines }), [
    ...['heading', 'command', 'command', 'script', 'reply', 'anything', 'event', 'blank', 'clock', 'mark', 'clock'],
  ]);
  assert.deepEqual(new Set(looks({})), new Set(['plain']));
  assert.equal(looks({}).length, 11);
});
