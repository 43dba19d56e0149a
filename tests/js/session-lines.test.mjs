// Kinds of lines, which editors and pages show before a text runs, agree with what the parser makes of each line.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { entry } from './support/package.mjs';

const { Keylatch, ManualClock, SessionError } = await entry('index');
const { replyLines, runSessionOn, sessionLines } = await entry('hints');

const root = fileURLToPath(new URL('../..', import.meta.url));
const files = ['tests/sessions', 'www/lessons'].flatMap((under) =>
  readdirSync(`${root}/${under}`, { recursive: true })
    .filter((name) => name.endsWith('.session'))
    .map((name) => `${under}/${name}`),
);

/** Kinds of lines that the parser refuses where they have no place or no meaning. */
const REFUSED = ['reply', 'literal', 'anything', 'event', 'clock', 'race', 'join', 'enter', 'leave'];
/** Kinds of lines that a report does not have. */
const UNREPORTED = ['prompt', 'script', 'ignored'];
/** Reports do not say which replies stood behind a bar. */
const reported = (kind) => (kind === 'literal' ? 'reply' : kind);

/** A text as the engine has it: half of a pair of surrogates is no character. */
const utf8 = (text) => Buffer.from(text).toString().trim();

/** The kind, client and text of each line by the steps of a report. */
function linesOfReport({ steps }) {
  const lines = new Map();
  for (const { line, kind, client, text, expected, expectedEvents } of steps) {
    lines.set(line, { kind, client, text: kind === 'command' ? text : undefined });
    for (const { line: at, anything } of expected) lines.set(at, { kind: anything ? 'anything' : 'reply', client: '' });
    for (const { line: at } of expectedEvents) lines.set(at, { kind: 'event', client: '' });
  }
  return lines;
}

/** Runs a text without the lines that are refused, and checks their kinds. Returns what was left, and its report. */
function run(db, text) {
  const lines = text.split('\n');
  for (;;) {
    const whole = lines.join('\n');
    try {
      return { whole, report: runSessionOn(db, whole) };
    } catch (error) {
      assert.ok(error instanceof SessionError, `${error}`);
      const { kind } = sessionLines(db, whole)[error.line - 1];
      assert.ok(REFUSED.includes(kind), `${kind} was refused: ${error.message} in ${JSON.stringify(whole)}`);
      lines[error.line - 1] = '';
    }
  }
}

const engine = () => new Keylatch({ clock: new ManualClock() });

/** Compares the kinds of a text's lines with its report. Returns the kinds. */
function check(name, text, db) {
  const { whole, report } = run(db, text);
  const read = sessionLines(db, whole);
  const steps = linesOfReport(report);
  assert.equal(read.length, whole.split('\n').length, name);
  for (const [index, line] of read.entries()) {
    const where = `${name}:${index + 1}: ${JSON.stringify(whole)}`;
    assert.equal(line.head + line.rest, whole.split('\n')[index], where);
    const step = steps.get(index + 1);
    if (!step) assert.ok(UNREPORTED.includes(line.kind), `${line.kind} at ${where}`);
    else assert.deepEqual([reported(line.kind), line.client], [step.kind, step.client], where);
    const isOneLine = read[index + 1]?.kind !== 'script';
    if (step?.text !== undefined && isOneLine) assert.equal(utf8(line.rest), step.text.trim(), where);
  }
  return new Set([...read, ...sessionLines(db, text)].map(({ kind }) => kind));
}

test('every session and lesson', () => {
  const kinds = new Set(files.flatMap((file) => [...check(file, readFileSync(`${root}/${file}`, 'utf8'), engine())]));
  assert.ok(files.length > 300, String(files.length));
  for (const kind of [...REFUSED, 'command', 'receive', 'heading', 'comment', 'ignored'])
    assert.ok(kinds.has(kind), kind);
});

const PIECES = [
  ...['> ', '>', 'A', 'redis', 'h:1', '[1]', '(TX)', '(subscribed mode)', 'redis /s.sock', 'not connected', '\u00a0'],
  ...['<', '+', '-', '@ ', '@', '@ race\n', '@ join\n', '+1s', '# ', '## ', '#', '! ', 'set k', '| ', '|', '...', '…'],
  ...['EVAL "return', "script load '", '"', "'", '\\', '\\x', ' 0', 'PING', 'OK', '(nil)', '(0.50s)', '1) "a"'],
  ...['\nA+\n', '\nA-\n', '\nB<\n', '\n> EVAL "return\n1" 0\n'],
  ...[' ', '  ', '\t', '\r', '\n', '\n\n', '\ufeff', 'é', '🗝', '\ud800', '\u2028', 'Reading messages...'],
];

test('hostile lines', () => {
  let seed = 7;
  const random = (below) => (seed = (seed * 48271) % 2147483647) % below;
  const kinds = new Set();
  const db = engine();
  for (let round = 0; round < 2000; round += 1) {
    const text = Array.from({ length: random(14) }, () => PIECES[random(PIECES.length)]).join('');
    for (const kind of check(`round ${round}`, text, db)) kinds.add(kind);
  }
  assert.deepEqual(
    [...kinds].sort(),
    [...new Set([...REFUSED, ...UNREPORTED, 'command', 'receive', 'heading', 'comment'])].sort(),
  );
});

test('printed lines read back as they are', () => {
  const db = engine();
  const printed = [
    '',
    'OK',
    '  2) "x"',
    '| x',
    'A> x',
    'EVAL "',
    '> EVAL "',
    '"',
    '# x',
    '@ +1s',
    '! x',
    'A<',
    '...',
    '(0.50s)',
  ];
  const lines = replyLines(db, printed);
  assert.deepEqual(lines.slice(0, 4), ['|', 'OK', '|   2) "x"', '| | x']);
  const [{ expected }] = runSessionOn(db, ['> PING', ...lines].join('\n')).steps;
  assert.deepEqual(
    expected.map(({ text, anything }) => [text, anything]),
    printed.map((line) => [line, false]),
  );
  assert.deepEqual(replyLines(db, []), []);
});

test('prompts name a client and a database', () => {
  const db = new Keylatch();
  const parts = (line) => {
    const [{ kind, client, name, database, head }] = sessionLines(db, line);
    return [kind, client, name, database, head];
  };
  assert.deepEqual(parts('  A[2](TX)> GET k'), ['command', 'A', 'A', 2, '  A[2](TX)>']);
  assert.deepEqual(parts('keylatch> GET k'), ['command', '', 'keylatch', undefined, 'keylatch>']);
  assert.deepEqual(parts('redis 127.0.0.1:6379[3]>'), [
    'prompt',
    '',
    'redis 127.0.0.1:6379',
    3,
    'redis 127.0.0.1:6379[3]>',
  ]);
  assert.deepEqual(parts('A+ '), ['enter', 'A', 'A', undefined, 'A+']);
  assert.deepEqual(parts('(nil)'), ['reply', '', '', undefined, '']);
});

test('a text without an engine is refused as by its neighbours', () => {
  assert.throws(() => sessionLines(undefined, '> PING'), { name: 'TypeError', message: /must be a Keylatch/ });
  const db = new Keylatch();
  db.close();
  assert.throws(() => sessionLines(db, '> PING'), { name: 'ClosedError' });
});
