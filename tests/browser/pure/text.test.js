// The page's pure text modules: pasting, clock lines, durations, transcripts, share links.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadModule } from './load.js';

const { pastedCommands } = await loadModule('src/text/paste.ts');
const { readClockLine, remainingText, stepText, instantParts } = await loadModule('src/text/durations.ts');
const { sessionText } = await loadModule('src/text/transcript.ts');
const { encodeShare, decodeShare } = await loadModule('src/model/share.ts');

const pasted = (text) =>
  pastedCommands(text).map(({ client, text: command }) => (client ? `${client}: ${command}` : command));

test('paste: plain lines, comments and fences', () => {
  assert.deepEqual(pasted('SET a 1\n\n# why\nGET a\r\n'), ['SET a 1', 'GET a']);
  assert.deepEqual(pasted('```redis\nSET a 1\n```'), ['SET a 1']);
  assert.deepEqual(pasted('SET a "two\nlines"\nGET a'), ['SET a "two\nlines"', 'GET a']);
});

test('paste: prompts of every kind, their replies left out', () => {
  assert.deepEqual(pasted('redis> GET a\n"GET b"\nvalkey-cli> GET c\n127.0.0.1:6379[2](TX)> GET d\nQUEUED'), [
    'GET a',
    'GET c',
    'GET d',
  ]);
  assert.deepEqual(pasted('redis 127.0.0.1:6379> PING\nPONG'), ['PING']);
  assert.deepEqual(pasted('A> GET a\n(nil)\nB[1]> GET b\n> GET c'), ['A: GET a', 'B: GET b', 'GET c']);
  assert.deepEqual(pasted('A> SET a 1 PX 5\nOK\n@ +6ms\nA> GET a'), ['A: SET a 1 PX 5', '@ +6ms', 'A: GET a']);
  assert.deepEqual(pasted('redis>\n'), []);
});

test('clock lines are read and written in the words of session files', () => {
  assert.deepEqual(readClockLine('@ +5s'), { stepMs: 5000 });
  assert.deepEqual(readClockLine('@ -2m'), { stepMs: -120_000 });
  assert.deepEqual(readClockLine('@ next'), 'next');
  assert.deepEqual(readClockLine('@ 2026-01-01T00:00:00Z'), { instantMs: 1767225600000 });
  for (const wrong of ['@', '@ 5s', '@ soon', '@ +5', '@ +5s more'])
    assert.equal(readClockLine(wrong), undefined, wrong);
  for (const [ms, text] of [
    [1, '+1ms'],
    [1500, '+1500ms'],
    [5000, '+5s'],
    [-120_000, '-2m'],
    [86_400_000, '+1d'],
    [0, '+0ms'],
  ]) {
    assert.equal(stepText(ms), text);
  }
});

test('remaining times round up, so that they never promise too little', () => {
  const cases = [
    [0, '0 ms'],
    [-5, '0 ms'],
    [1, '1 ms'],
    [999, '999 ms'],
    [1000, '1.0 s'],
    [1001, '1.1 s'],
    [9999, '10.0 s'],
    [10_000, '10 s'],
    [59_001, '1 m 00 s'],
    [252_000, '4 m 12 s'],
    [3_600_000, '1 h 00 m'],
    [11_100_000, '3 h 05 m'],
    [90_000_000, '1 d 01 h'],
  ];
  for (const [ms, text] of cases) assert.equal(remainingText(ms), text, String(ms));
});

test('instants beyond what a date can show are held at the end', () => {
  assert.deepEqual(instantParts(1767225600123), { date: '2026-01-01', time: '00:00:00', millis: '123' });
  assert.match(instantParts(1e300).date, /^\+275760-09-13$/);
});

test('a session written from the log can be read back', () => {
  const lines = [
    { prompt: 'keylatch>', text: 'SET k v', printed: ['OK'], nowMs: 1767225600000 },
    {
      prompt: 'C2[1](TX)>',
      text: 'GET k',
      printed: ['', 'A> no prompt', '# no comment', 'plain'],
      nowMs: 1767225605000,
    },
    { prompt: 'C2<', text: '', printed: ['1) "message"'], nowMs: 1767225605000 },
  ];
  assert.equal(
    sessionText(lines),
    '@ 2026-01-01T00:00:00.000Z\nkeylatch> SET k v\nOK\n@ +5s\nC2[1](TX)> GET k\n| \n| A> no prompt\n| # no comment\nplain\nC2<\n1) "message"\n',
  );
  assert.equal(sessionText([]), '');
});

test('share links: short, there and back, and refused when they lie', async () => {
  const text = `${'C1> SET lock token NX PX 5000\nOK\n'.repeat(20)}# ü → 🗝`;
  const hash = await encodeShare(text);
  assert.match(hash, /^v1=[\w-]+$/);
  assert.ok(hash.length < text.length / 3);
  assert.equal(await decodeShare(`#${hash}`), text);
  assert.equal(await decodeShare('#commands'), undefined);
  await assert.rejects(decodeShare('#v1=!!!'));
  await assert.rejects(decodeShare('#v1=AAAA'));
  await assert.rejects(decodeShare(`#${await encodeShare('x'.repeat(2 << 20))}`), RangeError);
});
