// Every session file of the project runs in the built package, through runSession and through `keylatch run`.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { entry, folder } from './support/package.mjs';

const { Keylatch, ManualClock } = await entry('index');
const { assertSession, describeMismatches, runSession, runSessionOn } = await entry('testing');

const root = fileURLToPath(new URL('../..', import.meta.url));
const files = ['tests/sessions', 'www/lessons'].flatMap((under) =>
  readdirSync(`${root}/${under}`, { recursive: true })
    // Sessions of scripts need the build with Lua.
    .filter((name) => name.endsWith('.session') && !/^scripting\/|-scripting-/.test(name))
    .map((name) => `${under}/${name}`),
);

test('there are sessions to run', () => assert.ok(files.length > 20, String(files.length)));

for (const file of files) {
  test(file, () => {
    const report = runSession(readFileSync(`${root}/${file}`, 'utf8'));
    assert.equal(describeMismatches(report), '');
    const again = runSession(report.text);
    assert.equal(describeMismatches(again), '', 'what is printed reads back');
  });
}

test('`keylatch run` checks them all', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [`${folder}/cli/keylatch.js`, 'run', ...files], {
    cwd: root,
    encoding: 'utf8',
  });
  assert.equal(stderr, '');
  assert.equal(status, 0, stdout);
  assert.match(stdout, new RegExp(`^${files.length} of ${files.length} sessions match$`, 'm'));
});

test('a report says everything about every step', () => {
  const report = runSession(
    '## Two clients\nA> SET k v PX 1000\nOK\nB> MULTI\nB(TX)> GET k\nQUEUED\n@ +2s\n! expired k\nB> EXEC\n1) "v"\n',
  );
  assert.deepEqual(
    report.steps.map(({ line, kind, client, verdict }) => [line, kind, client, verdict]),
    [
      [1, 'heading', '', 'ran'],
      [2, 'command', 'A', 'matched'],
      [4, 'command', 'B', 'ran'],
      [5, 'command', 'B', 'matched'],
      [7, 'clock', '', 'matched'],
      [9, 'command', 'B', 'mismatched'],
    ],
  );
  assert.deepEqual(report.steps[4].events, ['expired k']);
  assert.equal(report.nowMs, Date.UTC(2026, 0, 1) + 2000);
  assert.deepEqual(report.failures, [
    { line: 9, command: 'B(TX)> EXEC', expected: ['1) "v"'], got: ['1) (nil)'], message: null },
  ]);
  assert.deepEqual(
    report.clients.map(({ name, database, inTransaction }) => [name, database, inTransaction]),
    [
      ['A', 0, false],
      ['B', 0, false],
    ],
  );
  assert.equal(report.mismatches, 1);
  assert.throws(() => assertSession('> PING\nPANG\n'), /line 1: > PING\n {2}expected: PANG\n {2}got: {6}PONG/);
});

test('a session can run on an engine that goes on', () => {
  const clock = new ManualClock(0);
  const db = new Keylatch({ clock });
  const heard = [];
  db.on('*', ({ event, key }) => heard.push(`${event} ${key}`));
  runSessionOn(db, '> SET k v PX 1000\n> SET later 1\n', { untilLine: 1 });
  assert.equal(clock.now(), Date.UTC(2026, 0, 1));
  assert.equal(db.get('k'), 'v');
  assert.equal(db.get('later'), null);
  clock.advance(1001);
  assert.deepEqual(heard, ['expired k'], 'the session heard its own events');
  assert.throws(() => runSessionOn(new Keylatch(), '> PING'), /ManualClock/);
});

test('three dots stand for any lines of a reply', () => {
  const text = '> TIME\n...\n> RPUSH l a b c\n(integer) 3\n> LRANGE l 0 -1\n1) "a"\n...\n';
  const report = runSession(text);
  assert.equal(report.mismatches, 0);
  assert.equal(report.text, text, 'what varies is not written down');
  assert.deepEqual(report.steps[0].expected, [{ line: 2, text: '...', anything: true }]);
  assert.equal(runSession('> LRANGE l 0 -1\n1) "a"\n...\n').mismatches, 1);
  assert.equal(runSession('> PING\n| ...\n').mismatches, 1, 'behind a bar the dots are a line');
});

test('a brief report has no steps, and the session ran all the same', () => {
  const db = new Keylatch({ clock: new ManualClock(0) });
  const report = runSessionOn(db, 'A> SET k v\nOK\nB> GET k\n(nil)\n', { brief: true, untilLine: 3 });
  assert.deepEqual({ ...report, nowMs: 0 }, { ...runSession('', { brief: true }), nowMs: 0, clients: report.clients });
  assert.deepEqual(
    report.clients.map(({ name }) => name),
    ['A', 'B'],
  );
  assert.equal(db.get('k'), 'v');
});
