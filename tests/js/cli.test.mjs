// The command `keylatch` as a process: arguments, pipes, exit codes.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { folder } from './support/package.mjs';
import { source } from './support/source.mjs';

const { LATCH_SCRIPT } = await source('locks/generated/latch-script.ts');

const scratch = mkdtempSync(join(tmpdir(), 'keylatch-cli-'));
after(() => rmSync(scratch, { recursive: true }));

function keylatch(args, input) {
  const options = { input, encoding: 'utf8', cwd: scratch, timeout: 30_000 };
  const { status, stdout, stderr } = spawnSync(process.execPath, [`${folder}/cli/keylatch.js`, ...args], options);
  return { status, stdout, stderr };
}

function file(name, text) {
  writeFileSync(join(scratch, name), text);
  return name;
}

test('--version and --help', () => {
  const { version } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  assert.deepEqual(keylatch(['--version']), { status: 0, stdout: `keylatch ${version}\n`, stderr: '' });
  assert.match(keylatch(['--help']).stdout, /keylatch run FILE/);
  for (const wrong of [['nonsense'], ['run'], ['--verbose'], ['-x'], ['--constructor'], ['run', '--quick']]) {
    const { status, stdout, stderr } = keylatch(wrong);
    assert.deepEqual([status, stdout], [2, ''], wrong.join());
    assert.ok(stderr.includes(wrong.at(-1)), 'the message names what is wrong');
    assert.match(stderr, /^keylatch: .*; see keylatch --help\n$/);
  }
});

test('serve: the message names the mistake and the help', () => {
  assert.match(keylatch(['serve', '-h']).stdout, /--requirepass/);
  for (const [words, problem] of [
    [['6379'], 'unexpected argument "6379"'],
    [['-x'], 'unexpected argument "-x"'],
    [['--port', 'x'], '--port expects a number, found "x"'],
    [['--port=1', '--port=-2'], '--port expects a number, found "-2"'],
    [['--PORT', '-12', '3'], '--port expects a number, found "-12 3"'],
  ]) {
    const stderr = `keylatch serve: ${problem}; see keylatch serve --help\n`;
    assert.deepEqual(keylatch(['serve', ...words]), { status: 2, stdout: '', stderr });
  }
});

test('latch.lua: the script of locks, alone or as a library', () => {
  assert.deepEqual(keylatch(['latch.lua']), { status: 0, stdout: LATCH_SCRIPT, stderr: '' });
  const { status, stdout } = keylatch(['latch.lua', '--function']);
  assert.equal(status, 0);
  const [, name] = /^#!lua name=(keylatch_[0-9a-f]{10})\nlocal function latch\(KEYS,ARGV\)\n/.exec(stdout);
  assert.equal(stdout.split(name).length - 1, 3, 'a library and two functions');
  assert.match(keylatch(['latch.lua', '-h']).stdout, /FUNCTION LOAD REPLACE/);
  const wrong = keylatch(['latch.lua', '--functions']);
  assert.equal(wrong.status, 2);
  assert.match(wrong.stderr, /^keylatch latch\.lua: .*--functions/);
});

test('lines from a pipe are run and printed as redis-cli prints them', () => {
  const input =
    'SET k "a b"\nGET k\n\nMGET k no\nINCR n\r\nSELECT 3\nGET k\nKEYS *\nHSET h f 1\nNOSUCH\nGET "k\nPING\n';
  assert.equal(
    keylatch([], input).stdout,
    [
      'OK',
      '"a b"',
      '1) "a b"',
      '2) (nil)',
      '(integer) 1',
      'OK',
      '(nil)',
      '(empty array)',
      '(integer) 1',
      "(error) ERR unknown command 'NOSUCH'",
      'Invalid argument(s): unbalanced quotes: the one opened here is never closed at column 5',
      'PONG',
      '',
    ].join('\n'),
  );
});

test('texts for people are printed as they stand, as redis-cli prints them', () => {
  const input = 'SET k "a\\nb"\nGET k\ninfo keyspace\nCLIENT list\nMULTI\nINFO keyspace\nEXEC\nCLIENT nosuch\n';
  const lines = keylatch([], input).stdout.split(/\r?\n/);
  assert.deepEqual(lines.slice(0, 4), ['OK', '"a\\nb"', '# Keyspace', 'db0:keys=1,expires=0,avg_ttl=0,subexpiry=0']);
  assert.match(lines[5], /^id=1 .* cmd=client\|list /);
  assert.deepEqual(lines.slice(7), [
    'OK',
    'QUEUED',
    '1) "# Keyspace\\r\\ndb0:keys=1,expires=0,avg_ttl=0,subexpiry=0\\r\\n"',
    "(error) ERR unknown subcommand 'nosuch'. Try CLIENT HELP.",
    '',
  ]);
});

test('quit ends, the rest is not run', () => {
  assert.deepEqual(keylatch([], 'PING\nquit\nPING\n'), { status: 0, stdout: 'PONG\n', stderr: '' });
});

test('a blocked command is awaited, unless no other client can serve it', () => {
  assert.deepEqual(keylatch([], 'BLPOP q 0.05\nPING\n'), { status: 0, stdout: '(nil)\nPONG\n', stderr: '' });
  assert.deepEqual(keylatch([], 'PING\nBLPOP q 0\nPING\n'), {
    status: 1,
    stdout: 'PONG\n',
    stderr: 'BLPOP q 0 would block forever: no other client is connected\n',
  });
});

test('messages are printed behind what caused them, and a client that ended itself comes back', () => {
  const input =
    'SUBSCRIBE news\nGET k\nRESET\nHELLO 3\nSUBSCRIBE news\nPUBLISH news "a b"\nCLIENT KILL ID 1\nSELECT 1\nPING\n';
  const { stdout } = keylatch([], input);
  const subscribed = '1) "subscribe"\n2) "news"\n3) (integer) 1\n';
  assert.ok(stdout.startsWith(`${subscribed}(error) ERR Can't execute 'get'`), stdout);
  assert.match(stdout, /^RESET\n1# "server" => "redis"\n/m);
  assert.ok(stdout.includes(`${subscribed}(integer) 1\n1) "message"\n2) "news"\n3) "a b"\n`), stdout);
  assert.match(stdout, /OK\nPONG\n$/);
});

test('help comes from the rows', () => {
  const { stdout } = keylatch([], 'help set\nhelp object encoding\nhelp @transactions\nhelp nosuch\nhelp\n');
  assert.match(stdout, /^ {2}SET key value \[NX\|XX\|IFEQ /m);
  assert.match(stdout, /^ {2}group: string$/m);
  assert.match(stdout, /^ {2}OBJECT ENCODING key$/m);
  assert.match(stdout, /^ {2}WATCH key \[key \.\.\.\]$/m);
  assert.match(stdout, /^unknown command nosuch$/m);
  assert.match(stdout, /groups: .*@string/);
});

test('run: 0 when all match', () => {
  const good = file('good.session', '> SETNX door me\n(integer) 1\n> SETNX door you\n(integer) 0\n');
  assert.deepEqual(keylatch(['run', good]), { status: 0, stdout: 'good.session: 2 checked, all match\n', stderr: '' });
  assert.equal(keylatch(['run', '-'], '> PING\nPONG\n').stdout, '-: 1 checked, all match\n');
});

test('run: 1 with each failing line, what was expected and what was got', () => {
  const bad = file('bad.session', '> SET k v\nOK\n> GET k\n"w"\n> MGET k x\n1) "v"\n> SET k v\n@ +1s\n! expired k\n');
  const { status, stdout } = keylatch(['run', bad]);
  assert.equal(status, 1);
  assert.equal(
    stdout,
    [
      'bad.session:3: > GET k',
      '  expected: "w"',
      '  got:      "v"',
      'bad.session:5: > MGET k x',
      '  expected: 1) "v"',
      '  got:      1) "v"',
      '            2) (nil)',
      'bad.session:8: @ +1s',
      '  expected: ! expired k',
      '  got:      nothing',
      '',
    ].join('\n'),
  );
});

test('run: 2 with line and column for what cannot be read; the others still run', () => {
  const good = file('good.session', '> PING\nPONG\n');
  const syntax = file('syntax.session', '> PING\nPONG\n@ soon\n');
  const { status, stdout, stderr } = keylatch(['run', 'absent.session', syntax, good]);
  assert.equal(status, 2);
  assert.match(stderr, /^absent\.session: ENOENT/);
  assert.match(stderr, /^syntax\.session:3:\d+: ./m);
  assert.match(stdout, /good\.session: 1 checked, all match\n1 of 3 sessions match/);
});

test('run checks races as they are written, and names lines that are not in one', () => {
  const race = file(
    'race.session',
    '@ race\nA> SETNX k a\n(integer) 1\nA+\nB> SETNX k b\n(integer) 1\nB+\n@ join\n> GET k\n"a"\n',
  );
  assert.deepEqual(keylatch(['run', race]), { status: 0, stdout: 'race.session: 2 checked, all match\n', stderr: '' });
  for (const [text, place] of [
    ['> PING\nA+\n', '2:1: expected between `@ race` and `@ join`'],
    ['@ join\n', '1:3: expected between'],
    ['@ race\n> PING\n', '1:3: `@ race` without `@ join` below it'],
  ]) {
    const { status, stderr } = keylatch(['run', file('mark.session', text)]);
    assert.equal(status, 2);
    assert.ok(stderr.startsWith(`mark.session:${place}`), stderr);
  }
});

/** Characters that control a terminal; line feeds and tabs are none. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for.
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/;
const HOSTILE = '\x1b]0;title\x07\x1b[2J\x7f\x9b31m';

test('no text that is printed can control the terminal', () => {
  const session = file('hostile.session', `> GET ${HOSTILE}\n"${HOSTILE}"\n> NOSUCH "\\x1b[2J"\nOK\n`);
  const broken = file('broken.session', `@ ${HOSTILE}\n`);
  for (const [args, input, shown] of [
    [['run', session], '', '\\x1b]0;title\\x07\\x1b[2J\\x7f\\xc2\\x9b31m'],
    [['run', broken], '', ''],
    [[], `NOSUCH "${HOSTILE}"\nGET "${HOSTILE}\nHELP ${HOSTILE}\nBLPOP ${HOSTILE} 0\n`, '\\x1b]0;title'],
    [['nonsense\x1b[2J'], '', '\\x1b[2J'],
    [['serve', '\x9b2J'], '', '\\xc2\\x9b2J'],
    [['check', '\x1b[2J'], '', '\\x1b[2J'],
    [['dump', 'no\x1b[2J'], '', '\\x1b[2J'],
  ]) {
    const { stdout, stderr } = keylatch(args, input);
    const printed = stdout + stderr;
    assert.ok(!CONTROL.test(printed), JSON.stringify(printed));
    assert.ok(printed.includes(shown) && printed !== '', printed);
  }
});

test('a number in front of a command repeats it', () => {
  assert.equal(
    keylatch([], '3 INCR n\n1 GET n\n0 INCR n\n10001 INCR n\n"2" ECHO x\n3\nMULTI\n2 INCR n\nEXEC\n').stdout,
    [
      ...['(integer) 1', '(integer) 2', '(integer) 3', '"3"'],
      ...Array(2).fill('Invalid redis-cli repeat command option value.'),
      ...[
        '"x"',
        '"x"',
        "(error) ERR unknown command '3'",
        'OK',
        'QUEUED',
        'QUEUED',
        '1) (integer) 4',
        '2) (integer) 5',
        '',
      ],
    ].join('\n'),
  );
});
