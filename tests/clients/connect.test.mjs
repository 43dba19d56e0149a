/** `keylatch connect`: the prompt of a keylatch elsewhere, over WebSockets: lines of a pipe, a terminal, refusals. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { WebSocketServer } from 'ws';
import { python } from './support/redis.mjs';
import { entry, freePort, program, run, until } from './support/server.mjs';
import { serveSockets } from './support/socket-server.mjs';

const { createServer: createKeylatch } = await entry('server');

const TOKEN = 'correct horse+/=é';

/** A server behind WebSockets. */
async function start(t, options = {}) {
  const server = await createKeylatch({ port: 0 }).listen();
  t.after(() => server.close());
  const sockets = await serveSockets(t, server.port, { token: TOKEN, ...options });
  return { engine: server.db, sockets, url: `http://127.0.0.1:${sockets.port}` };
}

/** Runs `keylatch connect` to its end. */
function connect(url, { args = [], token = TOKEN, input = '' } = {}) {
  const { KEYLATCH_TOKEN: _, ...env } = process.env;
  const variables = token === null ? env : { ...env, KEYLATCH_TOKEN: token };
  return run(process.execPath, [program, 'connect', url, ...args], { input, env: variables });
}

test('lines from a pipe are run in order and printed as those of an engine in the process', async (t) => {
  const { url, sockets } = await start(t);
  const input = [
    'SET k "a b"',
    'GET k',
    '2 INCR n',
    'MULTI',
    'INCR n',
    'SELECT 3',
    'EXEC',
    'GET k',
    'SELECT 0',
    'SUBSCRIBE a b',
    'PING',
    'GET k',
    'UNSUBSCRIBE',
    'UNSUBSCRIBE',
    'MULTI',
    'PSUBSCRIBE p*',
    'EXEC',
    'RESET',
    'HELLO 3',
    'SUBSCRIBE a',
    'PUBLISH a hello',
    'HGETALL none',
    'UNSUBSCRIBE',
    'LPUSH k x',
    'BLPOP none 0.01',
    'GET "k',
    'quit',
    'SET k not-run',
  ];
  const local = await run(process.execPath, [program], { input: `${input.join('\n')}\n` });
  const remote = await connect(url, { input: `${input.join('\n')}\n`, args: ['--namespace', 'a b'] });
  const withoutIds = (text) => text.replace(/"id" => \(integer\) \d+/, '"id"');
  assert.equal(withoutIds(remote.output), withoutIds(local.output));
  assert.deepEqual([remote.code, remote.errors], [0, '']);
  assert.deepEqual(sockets.paths, ['/namespace/a%20b']);
});

test('what is lost ends a pipe with an error that says whether it has run; the rest is not run', async (t) => {
  const { url, sockets, engine } = await start(t);
  const lost = connect(url, { input: 'SET k 1\nBLPOP q 0\nSET k 2\n' });
  await until(() => engine.call('CLIENT', 'LIST').includes('cmd=blpop'));
  sockets.close(4401);
  const { code, errors, output } = await lost;
  assert.deepEqual([code, output], [1, 'OK\n']);
  assert.match(
    errors,
    /^BLPOP q 0 may have run: the token has ended \(closed by the test\): set the variable KEYLATCH_/,
  );
  assert.equal(engine.get('k'), '1');
  const listening = connect(url, { input: 'SUBSCRIBE news\n' });
  await until(() => engine.call('PUBSUB', 'NUMSUB', 'news')[1] === 1);
  const { sentBytes } = sockets;
  engine.publish('news', 'hello');
  await until(() => sockets.sentBytes > sentBytes);
  sockets.close(1012);
  const heard = await listening;
  assert.match(heard.output, /3\) "hello"\n$/);
  assert.deepEqual(
    [heard.code, heard.errors],
    [1, 'the subscriptions have ended: closed by the test, close code 1012\n'],
  );
});

/** A server that answers each request with a status. */
async function refusing(t, status, body) {
  const server = createServer((_, response) => response.writeHead(status).end(body)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return `http://127.0.0.1:${server.address().port}`;
}

test('servers that refuse, are missing, or are no keylatch: the error says so, and what to do', async (t) => {
  const { url } = await start(t);
  const { upstashListener } = await entry('upstash');
  const { Keylatch } = await entry('index');
  const rest = createServer(upstashListener(new Keylatch(), { token: 'plain token' })).listen(0, '127.0.0.1');
  await once(rest, 'listening');
  t.after(() => rest.close());
  const foreign = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => false });
  await once(foreign, 'listening');
  t.after(() => foreign.close());
  for (const [address, token, message] of [
    [url, 'wrong', /the server refuses the token \(status 401\): set the variable KEYLATCH_TOKEN, or name a file/],
    [url, null, /the server refuses the token/],
    [await refusing(t, 401, '{"error":"WRONGPASS no"}'), TOKEN, /refuses the token \(WRONGPASS no\)/],
    [await refusing(t, 429, '{"error":"OVERLOADED many"}'), TOKEN, /no more connections now \(OVERLOADED many\): try/],
    [await refusing(t, 503, ''), TOKEN, /cannot be used now \(status 503\): try again later/],
    [await refusing(t, 404, '<html>'), TOKEN, /has no WebSocket of keylatch \(status 404\): expected the address/],
    [
      `http://127.0.0.1:${rest.address().port}`,
      'plain token',
      /has no WebSocket of keylatch \(ERR send a command as JSON/,
    ],
    [`http://127.0.0.1:${foreign.address().port}`, TOKEN, /is no keylatch/],
    [`http://127.0.0.1:${await freePort()}`, TOKEN, /no connection to ws:.*ECONNREFUSED/],
  ]) {
    const { code, output, errors } = await connect(address, { token, input: 'PING\n' });
    assert.deepEqual([code, output], [1, '']);
    assert.match(errors, message);
    assert.match(errors, /^keylatch connect: /);
  }
});

test('a token in the URL, and other mistakes, are refused before anything is sent', async (t) => {
  const { url, sockets } = await start(t);
  const withToken = url.replace('//', '//user:secret@');
  for (const [address, args, message] of [
    [withToken, [], /must not have a token or parameters.*set KEYLATCH_TOKEN, or name a file with --token-file/],
    [`${url}/?_token=secret`, [], /must not have a token/],
    ['localhost:80', [], /expected the URL of a server that begins with https:/],
    [url, ['more'], /expected one URL, found "more" as well/],
    [url, ['--nonsense'], /nonsense/],
    [url, ['--namespace', ''], /--namespace expects a name/],
    [url, ['--token-file', '/nowhere'], /ENOENT/],
  ]) {
    const { code, output, errors } = await connect(address, { args });
    assert.deepEqual([code, output], [2, ''], errors);
    assert.match(errors, message);
    assert.doesNotMatch(errors, /secret/);
    assert.match(errors, /; see keylatch connect --help\n$/);
  }
  assert.equal(sockets.opened, 0);
  const file = join(tmpdir(), `keylatch-token-${process.pid}`);
  writeFileSync(file, `${TOKEN}\n`);
  const { output } = await connect(url, { args: ['--token-file', file], token: null, input: 'PING\n' });
  assert.equal(output, 'PONG\n');
  assert.match((await connect('-h')).output, /^keylatch connect URL /);
});

/** Types texts on a terminal, each once another one is shown: `[awaited, typed]`. */
async function terminal(url, steps) {
  const script = join(import.meta.dirname, 'python/dialogue.py');
  const env = { ...process.env, KEYLATCH_TOKEN: TOKEN, KEYLATCH_HISTORY: '/dev/null' };
  const args = [script, JSON.stringify(steps), process.execPath, program, 'connect', url];
  const { code, output } = await run(python, args, { env, timeoutMs: 120_000 });
  return { isWhole: code === 0, shown: output };
}

const CTRL_C = '\x03';

const isBlocked = (engine) => until(() => engine.call('CLIENT', 'LIST').includes('cmd=blpop'), 'the wait', 60_000);

test('the prompt: state, completion, hints, messages, a wait that Ctrl-C ends', async (t) => {
  const { url, engine } = await start(t);
  const place = url.replace('http://', '');
  engine.set('door:front', 'closed');
  const dialogue = terminal(url, [
    [`${place}> `, 'get do\t'],
    ['door:front ', '\r'],
    ['"closed"', 'select 2\r'],
    [`${place}[2]> `, 'multi\r'],
    [`${place}[2](TX)> `, 'exec\r'],
    [`${place}[2]> `, 'lpush k '],
    ['element [element ...]', 'v\r'],
    ['(integer) 1', 'subscribe news\r'],
    [`${place}[2](subscribed mode)> `, 'unsubscribe\r'],
    [`${place}[2]> `, 'hello 3\r'],
    [`${place}[2]> `, 'subscribe news\r'],
    [`${place}[2]> `, 'blpop q 0\r'],
    ['a message', CTRL_C],
    ['(error) BLPOP was given up with its connection: it may have run', ''],
    [`${place}[2]> `, 'ping again\r'],
    ['"again"', 'quit\r'],
  ]);
  await isBlocked(engine);
  engine.publish('news', 'a message');
  const { isWhole, shown } = await dialogue;
  assert.ok(isWhole, shown);
  await until(() => engine.call('CLIENT', 'LIST').split('\n').length === 2);
});

test('a prompt that loses its connection says what became of the command, and goes on with another one', async (t) => {
  const { url, engine, sockets } = await start(t);
  const place = url.replace('http://', '');
  const dialogue = terminal(url, [
    [`${place}> `, 'hello 3\r'],
    [`${place}> `, 'select 2\r'],
    [`${place}[2]> `, 'blpop q 0\r'],
    ['(error) BLPOP may have run: closed by the test, close code 1012', ''],
    [`${place}[2]> `, 'multi\r'],
    [`(error) the transaction is discarded: closed by the test, close code 1012`, ''],
    [`${place}[2]> `, 'set k v\r'],
    ['OK', 'hgetall none\r'],
    ['(empty hash)', CTRL_C],
  ]);
  await isBlocked(engine);
  sockets.close(1012);
  await until(() => / flags=\S*x/.test(engine.call('CLIENT', 'LIST')), 'the transaction', 60_000);
  sockets.close(1012);
  const { isWhole, shown } = await dialogue;
  assert.ok(isWhole, shown);
  assert.equal(engine.client({ db: 2 }).get('k'), 'v');
});

test('a server that has gone silent delays no typing, and a line that was not sent says so', async (t) => {
  const { url, sockets, engine } = await start(t);
  const place = url.replace('http://', '');
  sockets.lastWord = 'farewell';
  const dialogue = terminal(url, [
    [`${place}> `, 'echo farewell\r'],
    ['"farewell"', 'get do\t'],
    ['do', '\x15set k v\r'],
    ['(error) SET has not run: no sign of life within', ''],
    [`${place}> `, 'quit\r'],
  ]);
  const { isWhole, shown } = await dialogue;
  assert.ok(isWhole, shown);
  assert.equal(engine.get('k'), null);
});
