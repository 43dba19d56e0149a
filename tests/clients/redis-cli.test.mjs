/** redis-cli prints what it prints with a real Redis. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { dial } from './support/raw.mjs';
import { python, redisCli, serveRedis } from './support/redis.mjs';
import { run, serve, until } from './support/server.mjs';

const cleanups = [];
const suite = { after: (work) => cleanups.push(work) };
let ours;
let theirs;

before(async () => {
  [ours, theirs] = [await serve(suite), await serveRedis(suite)];
  for (const { port } of [ours, theirs]) {
    const fill = [
      'MSET a 1 b 22 c 333',
      'SET long "a longer value, with \\"quotes\\" and \\x01"',
      'RPUSH list a b c',
      'SETBIT bits 100 1',
      'SELECT 2',
      'SET elsewhere 1',
    ];
    await run(redisCli, ['-p', String(port)], { input: `${fill.join('\n')}\n` });
  }
});

/** Output of redis-cli, formatted as on a terminal. */
async function printed(port, args, options = {}) {
  const { output, errors } = await run(redisCli, ['-p', String(port), ...args], {
    env: { ...process.env, FAKETTY: '1' },
    ...options,
  });
  return output + errors;
}

const sorted = (text) => text.split('\n').sort().join('\n');

/** Output without the order of keys and without the sizes, in which the servers differ. */
async function same(args, { change = (text) => text, ...options } = {}) {
  const [mine, control] = await Promise.all(
    [ours, theirs].map(async ({ port }) => change(await printed(port, args, options))),
  );
  assert.equal(mine, control, args.join(' '));
  return mine;
}

test('replies of every kind, in both protocols', async () => {
  const lines = [
    'PING',
    'GET a',
    'GET long',
    'GET missing',
    'MGET a missing list',
    'STRLEN a',
    'LRANGE list 0 -1',
    'LPUSH a 1',
    'NOSUCH x y',
    'GET',
    'SET a 1 EX',
    'INCRBYFLOAT b 0.5',
    'BITFIELD bits GET u8 0',
    'TYPE list',
    'OBJECT ENCODING a',
    'CONFIG GET maxmemory',
    'MULTI',
    'SET t 1',
    'INCR t',
    'LPUSH t x',
    'EXEC',
    'MULTI',
    'NOSUCH x',
    'EXEC',
    'COMMAND GETKEYS MSET a 1 b 2',
    'EXISTS a b c',
    'COMMAND INFO nosuch',
    'ECHO "a\\nb\\t\\x00"',
    'SCAN 0 MATCH a COUNT 1000',
    'CLIENT GETNAME',
    'WAIT 0 0',
  ];
  const input = `${lines.join('\n')}\n`;
  await same([], { input });
  await same(['-3'], { input });
  await same(['--csv', 'MGET', 'a', 'missing']);
  await same(['--no-raw', 'LRANGE', 'list', '0', '-1']);
  await same(['--json', 'LRANGE', 'list', '0', '-1']);
  await same(['-n', '2', 'GET', 'elsewhere']);
  await same(['-r', '3', 'INCR', 'repeated']);
  await same(['-x', 'SET', 'piped'], { input: 'from a pipe' });
  await same(['-X', 'mark', 'SET', 'piped', 'mark'], { input: 'from a pipe, at a mark' });
  await same(['-e', 'LPUSH', 'a', 'x']);
  await same(['--quoted-input', 'GET', '"\\x61"']);
  await same(['-D', '|', 'LRANGE', 'list', '0', '-1']);
});

test('--scan, --bigkeys and --memkeys', async () => {
  await same(['--scan'], { change: sorted });
  await same(['--scan', '--pattern', '[ab]*'], { change: sorted });
  const summary = (text) => sorted(text.slice(text.indexOf('-------- summary')));
  const counted = await same(['--bigkeys'], { change: summary });
  assert.match(counted, /Biggest +list found '"list"' has 3 items/);
  const memory = summary(await printed(ours.port, ['--memkeys']));
  assert.match(memory, /Biggest +string found .* has \d+ bytes/);
});

test('--pipe and --stat', async () => {
  const input = Array.from({ length: 10_000 }, (_, index) => `SET pipe:${index} ${index}\r\n`).join('');
  assert.match(await printed(ours.port, ['--pipe'], { input }), /errors: 0, replies: 10000/);
  const shown = await typed(ours.port, '\\x00\\x03', '--stat', '-i', '1');
  assert.match(shown, /keys +mem +clients +blocked +requests +connections[\s\S]*\n1\d{4} +[\d.]+[KM]/);
});

test('--latency measures, --hotkeys needs an LFU policy', async () => {
  const { output } = await run(redisCli, ['-p', String(ours.port), '--latency', '-i', '1', '--raw']);
  assert.match(output, /^\d+ \d+ [\d.]+ [1-9]\d*\n/);
  await same(['--hotkeys']);
});

test('what needs a replica or Lua says that there is none', async () => {
  const { code, output, errors } = await run(redisCli, ['-p', String(ours.port), '--rdb', '/dev/null']);
  assert.equal(code, 1);
  assert.match(output + errors, /SYNC with master failed: -ERR unknown command 'SYNC'/);
  assert.match(await printed(ours.port, ['--eval', '/dev/null']), /needs the build with Lua/);
});

test('MONITOR shows what others do', async (t) => {
  const monitor = spawn(redisCli, ['-p', String(ours.port), 'MONITOR']);
  t.after(() => monitor.kill());
  let seen = '';
  monitor.stdout.on('data', (text) => {
    seen += text;
  });
  await until(() => seen.startsWith('OK\n'), 'the monitor');
  await printed(ours.port, ['-n', '5', 'SET', 'a key', '"\x01é']);
  await until(() => /"SET"/.test(seen), 'the command');
  assert.match(seen, /^\d{10}\.\d{6} \[0 127\.0\.0\.1:\d+\] "SELECT" "5"$/m);
  assert.match(seen, /^\d{10}\.\d{6} \[5 127\.0\.0\.1:\d+\] "SET" "a key" "\\"\\x01\\xc3\\xa9"$/m);
});

test('subscribers print what they hear', async (t) => {
  const subscriber = spawn(redisCli, ['-p', String(ours.port), '--no-raw', 'PSUBSCRIBE', 'n*']);
  t.after(() => subscriber.kill());
  let seen = '';
  subscriber.stdout.on('data', (text) => {
    seen += text;
  });
  await until(() => /3\) \(integer\) 1/.test(seen), 'the subscription');
  assert.equal(await printed(ours.port, ['PUBLISH', 'news', 'hi']), '(integer) 1\n');
  await until(() => /4\) "hi"/.test(seen), 'the message');
});

/** Screen content after typing on a terminal. */
async function typed(port, text, ...args) {
  const { output } = await run(python, [
    join(import.meta.dirname, 'python/typist.py'),
    text,
    redisCli,
    '-p',
    String(port),
    ...args,
  ]);
  return output;
}

test('its own hints come from COMMAND DOCS', async () => {
  const shown = await typed(ours.port, 'set k \\x00v IFEQ x\\r\\x00lpush \\x00\\x03');
  assert.match(shown, /value \[NX\|XX\|IFEQ /, 'no real server of this version knows IFEQ: the hint is ours');
  assert.match(shown, /key element \[element \.\.\.\]/);
});

test('an evening at the prompt: databases, transactions, protocols, help', async () => {
  const words = [
    'select 3',
    'multi',
    'set x 1',
    'exec',
    'hello 3',
    'config get maxmemory',
    'help @transactions',
    'quit',
  ];
  const shown = await typed(ours.port, words.map((line) => `${line}\\r`).join('\\x00'));
  for (const text of ['[3]> ', '[3](TX)> ', 'QUEUED', '1# "maxmemory" => "0"', 'Watches keys: EXEC does nothing']) {
    assert.ok(shown.includes(text), `${text} is missing in ${shown}`);
  }
});

test('passwords and URLs', async (t) => {
  const guarded = await serve(t, '--requirepass', 'secret');
  assert.match(await printed(guarded.port, ['GET', 'k']), /NOAUTH Authentication required/);
  assert.match(await printed(guarded.port, ['-a', 'wrong', '--no-auth-warning', 'GET', 'k']), /WRONGPASS|NOAUTH/);
  assert.equal(await printed(guarded.port, ['-a', 'secret', '--no-auth-warning', 'SET', 'k', 'v']), 'OK\n');
  const url = `redis://default:secret@127.0.0.1:${guarded.port}/4`;
  const { output } = await run(redisCli, ['--no-auth-warning', '-u', url, 'DBSIZE']);
  assert.equal(output, '0\n');
});

test('at the end no client is left connected', async () => {
  const client = await dial(undefined, ours.port);
  await until(
    async () => /connected_clients:1\r/.test(await client.ask('INFO clients\r\n', '\r\n\r\n')),
    'the end of all others',
  );
  client.destroy();
  for (const cleanup of cleanups) await cleanup();
});
