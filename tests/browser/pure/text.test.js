// The page's pure text modules: pasting, clock lines, durations, transcripts, share links.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { processorMs } from '../../js/support/processor-time.mjs';
import { loadModule, loadTexts } from './load.js';

const {
  addressedLine,
  distinctTitles,
  fieldText,
  firstLine,
  isAsPasted,
  linesApart,
  pastedCommands,
  rewritePasted,
  sessionText,
  titleOf,
  transcript,
} = await loadTexts();
const { readClockLine, remainingText, stepText, instantParts } = await loadModule('src/text/durations.ts');
const { encodeLink, decodeLink, isPermalink, linkParts } = await loadModule(
  '../pkg-templates/npm/src/element/permalink.ts',
);
const { pack } = await loadModule('../pkg-templates/npm/src/element/packing.ts');
const { splitReplies } = await loadModule('../pkg-templates/npm/src/resp/split-replies.ts');
const { asHtml, asMarkdown, asScript } = await loadModule('src/share/exports.ts');

const WORDS = new Set(['SET', 'GET', 'PING', 'BLPOP', 'SORT', 'ECHO', 'MULTI', 'EXISTS', 'EXPIRE']);
const NAMES = { isCommand: (word) => WORDS.has(word.toUpperCase()), isBlocking: (word) => /^BLPOP$/i.test(word) };
const pasted = (text) =>
  pastedCommands(text, NAMES).map(({ client, text: command }) => (client ? `${client}: ${command}` : command));

test('paste: plain lines, comments and fences', () => {
  assert.deepEqual(pasted('SET a 1\n\n# why\nGET a\r\n'), ['SET a 1', 'GET a']);
  assert.deepEqual(pasted('```redis\nSET a 1\n```'), ['SET a 1']);
  assert.deepEqual(pasted('SET a "two\nlines"\nGET a'), ['SET a "two\\nlines"', 'GET a']);
});

test('paste: prompts of every kind, their replies left out', () => {
  assert.deepEqual(pasted('redis> GET a\n"GET b"\nvalkey> GET c\n127.0.0.1:6379[2](TX)> GET d\nQUEUED'), [
    'GET a',
    'GET c',
    'GET d',
  ]);
  assert.deepEqual(pasted('redis 127.0.0.1:6379> PING\nPONG'), ['PING']);
  assert.deepEqual(pasted('A> GET a\n(nil)\nB[1]> GET b\n> GET c'), ['A: GET a', 'B: GET b', 'keylatch: GET c']);
  assert.deepEqual(pasted('A> SET a 1 PX 5\nOK\n@ +6ms\nA> GET a'), ['A: SET a 1 PX 5', '@ +6ms', 'A: GET a']);
  assert.deepEqual(pasted('redis>\n'), []);
});

test('paste: prompts of newer versions, of sockets, without a server, and with a no-break space', () => {
  assert.deepEqual(
    pasted('127.0.0.1:6379(subscribed mode)> PING\nPONG\nredis /run/r.sock[3]> GET a\nnot connected> GET b'),
    ['PING', 'GET a', 'GET b'],
  );
  assert.deepEqual(pasted('localhost:6379> GET a\nB> GET b'), ['keylatch: GET a', 'B: GET b']);
  assert.deepEqual(pasted('127.0.0.1:6379>\u00a0SET a 1\nOK\n>\u00a0 GET a\n"1"'), ['SET a 1', 'GET a']);
  const [, { database }] = pastedCommands('> PING\nredis /run/r.sock[3](TX)> GET a', NAMES);
  assert.equal(database, 3);
});

test('paste: a prompted script goes on over the next lines, other quotes do not', () => {
  const script = '127.0.0.1:6379> EVAL "\nlocal a = 1\n\nreturn a" 0\n(integer) 1\n127.0.0.1:6379> PING\nPONG';
  assert.deepEqual(pasted(script), ['EVAL "\\nlocal a = 1\\n\\nreturn a" 0', 'PING']);
  const [{ expected }] = pastedCommands(script, NAMES);
  assert.deepEqual(expected, ['(integer) 1']);
  assert.deepEqual(pasted('> script load \'return "a"\n, 1\'\n> PING'), ['script load "return \\"a\\"\\n, 1"', 'PING']);
  assert.deepEqual(pasted('> SET k "a\nInvalid argument(s)\n> GET "k"'), ['SET k "a', 'GET "k"']);
  assert.deepEqual(pasted('> EVAL "return 1\nInvalid argument(s)\n> GET "k"'), ['EVAL "return 1', 'GET "k"']);
});

test('paste: prompts of other programs mean the active client, and the default one beside named clients', () => {
  assert.deepEqual(pasted('redis> GET a\n127.0.0.1:6379> GET b'), ['GET a', 'GET b']);
  assert.deepEqual(pasted('keylatch> SET a 1\nC2> SELECT 1\nkeylatch> GET a\nredis> GET b'), [
    'keylatch: SET a 1',
    'C2: SELECT 1',
    'keylatch: GET a',
    'keylatch: GET b',
  ]);
  const [{ database }] = pastedCommands('127.0.0.1:6379[2]> GET a', NAMES);
  assert.equal(database, 2);
});

test('paste: a single line keeps its prompt where the active client would run it elsewhere', () => {
  const active = { name: 'C2', database: 1 };
  for (const [line, text] of [
    ['redis> GET a', 'GET a'],
    ['C2[1]> GET a', 'GET a'],
    ['keylatch> GET a', 'keylatch> GET a'],
    ['127.0.0.1:6379[2]> GET a', 'C2[2]> GET a'],
  ])
    assert.equal(fieldText(pastedCommands(line, NAMES)[0], active), text);
});

test('paste: replies of an indented block are compared without its indentation', () => {
  const [command] = pastedCommands('    redis> GET a\n    1) 1) "x"\n       2) "y"', NAMES);
  assert.deepEqual(command.expected, ['1) 1) "x"', '   2) "y"']);
});

const filtered = (text) => rewritePasted(text, NAMES).text;

test('paste filter: each foreign form becomes a line of a session', () => {
  for (const [foreign, session] of [
    ['$ redis-cli SET k "a b"\nOK', '> SET k "a b"\nOK'],
    ['user@host:~$ redis-cli -h 10.0.0.1 -p 7000 SET k \'say "hi"\' # why\nOK', '> SET k "say \\"hi\\""\nOK'],
    ['$ redis-cli -n 2 GET k\n(nil)\n$ redis-cli -n 2 GET l', 'db2> SELECT 2\ndb2> GET k\n(nil)\ndb2> GET l'],
    ['$ redis-cli\n127.0.0.1:6379> PING\nPONG\n127.0.0.1:6379> exit', '127.0.0.1:6379> PING\nPONG'],
    ['$ redis-cli SET “a b” v', '> SET "a b" v'],
    ['$ sleep 1.5', '@ +1500ms'],
    ['$ ls\na.txt\n$ redis-cli GET k', '# $ ls\n# a.txt\n> GET k'],
    ['```\nSET k v\nOK\n```', '> SET k v\nOK'],
    ['get k\n(nil)\nNow set it', '> get k\n(nil)\n# Now set it'],
    ['    SET k "Hello"\n    OK\n    EXISTS k\n    (integer) 1', '> SET k "Hello"\nOK\n> EXISTS k\n(integer) 1'],
    ['SET k v\nOK\nSet it again:\nSET k v\nexit', '> SET k v\nOK\n# Set it again:\n> SET k v'],
    ['SET k v\nSome more prose\nECHO x\nstring', '> SET k v\n# Some more prose\n> ECHO x\nstring'],
    ['root@x:/# redis-cli SET k v\nOK\nroot@x:/# ls\nf', '> SET k v\nOK\n# $ ls\n# f'],
    ['# redis-cli SET k v', '# redis-cli SET k v'],
    ['> GET k\n1) "a" # elem\n2) "b # c"', '> GET k\n1) "a"\n2) "b # c"'],
    ['> SET k "OK"\n"OK"', '> SET k "OK"\nOK'],
    ['> GET k\n"OK"', '> GET k\n"OK"'],
    ['> SET k v GET\n"OK"', '> SET k v GET\n"OK"'],
    ['> SET k v # first\nOK', '# first\n> SET k v\nOK'],
    ['> SET k "v # no"\nOK', '> SET k "v # no"\nOK'],
    ['> SORT k GET # GET x', '> SORT k GET # GET x'],
    ['> GET k\n(nil) # gone', '> GET k\n(nil)'],
    ['> SET k “a b”\nOK', '> SET k "a b"\nOK'],
    ['A> BLPOP q 1\n(nil)\n(1.05s)', 'A> BLPOP q 1\n@ +1050ms\nA<\n(nil)'],
    ['127.0.0.1:6379> BLPOP q 1\n(nil)\n(1.05s)', '127.0.0.1:6379> BLPOP q 1\n@ +1050ms\nredis<\n(nil)'],
    ['> GET k\n…', '> GET k\n...'],
    ['Try this:\n> GET k', '# Try this:\n> GET k'],
  ])
    assert.equal(filtered(foreign), session, foreign);
});

test('paste filter: a session is left alone, and every change is said', () => {
  const session = '## T\n# c\nA[1]> GET k\n(nil)\n@ +1s\n! expired k\nA<\n| x\n...\n\n(0.50s)\n';
  assert.deepEqual(rewritePasted(session, NAMES), { text: session, changes: [] });
  const { changes } = rewritePasted('> SET k ‘v’ # x\n"OK"', NAMES);
  assert.deepEqual(changes, [
    {
      line: 1,
      was: '> SET k ‘v’ # x',
      now: "# x\n> SET k 'v'",
      why: 'typographic quotes were replaced: check the arguments; the comment stands on a line of its own',
    },
    { line: 2, was: '"OK"', now: 'OK', why: 'a status is printed without quotes' },
  ]);
});

test('paste filter: large and hostile text takes no long time', () => {
  const texts = [
    '" '.repeat(50_000),
    ' # '.repeat(30_000),
    '$ '.repeat(50_000),
    "redis-cli '".repeat(10_000),
    '>'.repeat(100_000),
    '@'.repeat(100_000),
  ];
  const ms = processorMs(() => {
    for (const text of texts) rewritePasted(`${text}\n${text}`, NAMES);
    rewritePasted('SET k "\n'.repeat(20_000), NAMES);
  });
  assert.ok(ms < 10_000, `${ms} ms`);
});

test('pasted replies are compared line by line, without order where it means nothing', () => {
  assert.ok(isAsPasted(['1) "a"', undefined], ['1) "a"', '2) "b"'], false));
  assert.ok(!isAsPasted(['1) "b"', undefined], ['1) "a"', '2) "b"'], false));
  assert.ok(isAsPasted([undefined], [], false));
  assert.ok(isAsPasted(['1) "b"', '2) "a"'], ['1) "a"', '2) "b"'], true));
  assert.ok(!isAsPasted(['1) "b"', '2) "a"'], ['1) "a"', '2) "b"'], false));
  assert.ok(isAsPasted(['(empty list or set)'], ['(empty array)'], false));
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
    '@ 2026-01-01T00:00:00.000Z\nkeylatch> SET k v\nOK\n@ +5s\nC2[1](TX)> GET k\n|\n| A> no prompt\n| # no comment\nplain\nC2<\n1) "message"\n',
  );
  assert.equal(sessionText([]), '');
});

test('lines that vary are left out behind three dots, and real dots get a bar', () => {
  const line = { prompt: '>', text: 'LRANGE k 0 -1', printed: ['1) "a"', '...'], gap: 1, nowMs: 1767225600000 };
  assert.match(sessionText([line]), /> LRANGE k 0 -1\n1\) "a"\n\.\.\.\n\| \.\.\.\n$/);
});

test('titles: the first heading, else the first command; equal ones are numbered', () => {
  assert.equal(titleOf('# note\n## A  door \n> GET k'), 'A door');
  assert.equal(titleOf('OK\nA[1]> GET k\n'), 'GET k');
  assert.equal(titleOf(''), 'Untitled');
  assert.equal(titleOf(`## ${'x'.repeat(80)}`).length, 60);
  assert.deepEqual(distinctTitles(['a', 'b', 'a']), ['a', 'b', 'a (2)']);
});

const decode = (hash) => decodeLink(linkParts(`#${hash}`));

test('links: short, there and back with all they hold', async () => {
  const text = `${'C1> SET lock token NX PX 5000\nOK\n'.repeat(20)}# ü → 🗝`;
  const start = new Uint8Array([0, 255, 1]);
  const link = { text, title: 'A & B = "C"', step: 3, view: 'line', theme: 'dark', start };
  const hash = await encodeLink(link);
  assert.match(hash, /^size=\d+&v1=[\w-]+&title=/);
  assert.ok(hash.length < text.length / 2);
  assert.deepEqual(await decode(hash), link);
  assert.equal(isPermalink(linkParts('#commands')), false);
  assert.equal((await decode(`v1=${await pack(new TextEncoder().encode('> PING'))}`)).text, '> PING');
});

test('links written by hand: percent-encoded or as they are', async () => {
  assert.equal((await decode('s=%3E%20SET%20k%20v%0AOK&step=1')).text, '> SET k v\nOK');
  const { text, title, step } = await decode('s=> SET k a&b=c&title=Mine&step=no&theme=pink&view=nowhere');
  assert.deepEqual([text, title, step], ['> SET k a&b=c', 'Mine', undefined]);
  assert.equal((await decode('s=100%')).text, '100%');
});

test('damaged links say what is wrong', async () => {
  const whole = await encodeLink({ text: '> PING\nPONG\n'.repeat(50), title: 'x' });
  const packed = linkParts(whole).get('v1');
  await assert.rejects(decode(whole.slice(0, 20)), /cut short: \d+ of \d+ characters/);
  await assert.rejects(decode(`v1=${packed.slice(0, -9)}`), /damaged or cut short/);
  await assert.rejects(decode(`v1=${packed}%20`), /the character “%” does not belong/);
  await assert.rejects(decode('v1=AB\u202ECD'), /U\+202E/);
  await assert.rejects(decode('v2=AAAA'), /newer version/);
  await assert.rejects(decode(`v1=${await pack(new TextEncoder().encode('x'.repeat(2 << 20)))}`), /more than 1 MiB/);
  await assert.rejects(decode(`v1=${await pack(new Uint8Array([0xff, 0xfe]))}`), /does not hold a text/);
  await assert.rejects(decode('s=x&start=AAAA'), /The key data in this link is damaged/);
});

test('messages that arrived together are told apart', () => {
  const parts = [
    '*2\r\n$1\r\na\r\n*-1\r\n',
    '$-1\r\n',
    '+OK\r\n',
    '%1\r\n+k\r\n:1\r\n',
    '|1\r\n+a\r\n+b\r\n>1\r\n_\r\n',
  ];
  const split = splitReplies(new TextEncoder().encode(parts.join('')));
  assert.deepEqual(
    split.map((part) => new TextDecoder().decode(part)),
    parts,
  );
  assert.deepEqual(splitReplies(new TextEncoder().encode('$9\r\nab')).length, 1);
});

test('copies: Markdown, HTML and a script keep hostile text as text', () => {
  const text = '> SET k "<script>alert(1)</script>"\n```\n';
  assert.equal(
    asMarkdown('A [b]', text, 'https://x/#s=1'),
    '### A \\[b\\]\n\n````text\n> SET k "<script>alert(1)</script>"\n```\n````\n\n[Open in the playground](https://x/#s=1)\n',
  );
  assert.doesNotMatch(asHtml('<b>', text, 'https://x/"><script>'), /<script|<b>/);
});

test('copies: a script groups the commands of a client, and waits where the clock moved', () => {
  const step = (kind, text, nowMs, client = '') => ({ kind, text, nowMs, client });
  const steps = [
    step('heading', 'Title', 0),
    step('command', 'SET k "$HOME"', 0),
    step('command', 'GET k', 0),
    step('clock', '+1500ms', 1500),
    step('command', 'GET k', 1500, 'A'),
    step('command', 'GET k', 1500),
  ];
  const script = asScript('Mine', steps);
  assert.match(script, /^#!\/bin\/sh\n# Mine\n/);
  assert.match(
    script,
    /redis-cli "\$@" <<'END_OF_COMMANDS'\nSET k "\$HOME"\nGET k\nEND_OF_COMMANDS\nsleep 1\.5 # @ \+1500ms\n/,
  );
  assert.match(script, /# the default client: several connections here/);
});

test('typed lines go to the client of their prompt', () => {
  const parts = (line) => {
    const { client, database, skipped, command } = addressedLine(line);
    return [client, database, skipped, command];
  };
  assert.deepEqual(parts('  C2[1]>  GET k'), ['C2', 1, 10, 'GET k']);
  assert.deepEqual(parts('keylatch> EVAL "\n> x" 0'), ['keylatch', undefined, 10, 'EVAL "\n> x" 0']);
  assert.deepEqual(parts('redis> GET k'), [undefined, undefined, 7, 'GET k']);
  for (const line of ['GET k', '> GET k', 'C2>', 'EVAL "if a > b" 0', ''])
    assert.deepEqual(parts(line), [undefined, undefined, 0, line]);
});

test('lines of foreign text are read one by one', () => {
  const kinds = (text) => linesApart(text).map(({ kind }) => kind);
  assert.deepEqual(kinds('Try this:\n    A> GET k\n  (nil)\n\n A<'), [
    'reply',
    'command',
    'reply',
    'ignored',
    'receive',
  ]);
  assert.deepEqual(pasted('Try this:\n    A> GET k\n    (nil)'), ['A: GET k']);
});

test('lines of a race have kinds of their own, and replies of their form stand behind a bar', () => {
  assert.deepEqual(
    ['A+', ' c_1.x- ', 'A<', 'A +', '@ race', '+'].map((line) => firstLine(line).kind),
    ['enter', 'leave', 'receive', 'reply', 'race', 'reply'],
  );
  assert.equal(firstLine('redis+').client, '');
  const line = { prompt: '>', text: 'ACL WHOAMI', printed: ['A+', 'a-'], nowMs: 0 };
  assert.match(sessionText([line]), /\n\| A\+\n\| a-\n$/);
});

test('a movement of the clock is a line of its own in a recording', () => {
  const line = (prompt, text, nowMs) => ({ prompt, text, printed: [], nowMs });
  const lines = [
    line('>', 'PING', 0),
    line('@', '', 1000),
    line('@', '', 1000),
    line('@', '', 3000),
    line('A>', 'PING', 3000),
  ];
  const { text, at } = transcript(lines);
  assert.equal(text, '@ 1970-01-01T00:00:00.000Z\n> PING\n@ +1s\n@ +2s\nA> PING\n');
  assert.deepEqual(at, [2, 3, 3, 4, 5]);
});
