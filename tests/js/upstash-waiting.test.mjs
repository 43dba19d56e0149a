// The REST protocol over node:http: commands that wait, streams of events, requests with an id, and what makes a turn durable.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import { connect } from 'node:net';
import { test } from 'node:test';
import { failure, stub } from './support/file-system.mjs';
import { entry } from './support/package.mjs';
import { temporaryFolder } from './support/folders.mjs';
import { until } from './support/until.mjs';

const { Keylatch } = await entry('index');
const { open } = await entry('persist');
const { handleUpstashRequest, upstashListener } = await entry('upstash');

const TOKEN = 'secret';

async function serve(t, db, options = {}) {
  const server = createServer(upstashListener(db, { token: TOKEN, ...options })).listen(0, '127.0.0.1');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return server.address().port;
}

/** A request, and the response when its head has come. */
async function ask(port, path, { body, headers, method = body === undefined ? 'GET' : 'POST' } = {}) {
  const asked = send({
    port,
    host: '127.0.0.1',
    path,
    method,
    headers: { authorization: `Bearer ${TOKEN}`, ...headers },
  });
  asked.end(typeof body === 'string' || body === undefined ? body : JSON.stringify(body));
  const [response] = await once(asked, 'response');
  return { asked, response, status: response.statusCode, headers: response.headers };
}

async function textOf(response) {
  let text = '';
  for await (const piece of response) text += piece;
  return text;
}

async function outcome(port, path, options) {
  const { response, status } = await ask(port, path, options);
  return [status, JSON.parse(await textOf(response))];
}

test('commands, pipelines and bytes, as by the handler of fetch', async (t) => {
  const db = new Keylatch();
  const port = await serve(t, db);
  assert.deepEqual(await outcome(port, '/', { body: ['SET', 'k', 'é'] }), [200, { result: 'OK' }]);
  assert.deepEqual(await outcome(port, '/get/k'), [200, { result: 'é' }]);
  assert.deepEqual(await outcome(port, '/set/a%2Fb?EX=100', { body: 'raw' }), [200, { result: 'OK' }]);
  assert.equal(db.get('a/b'), 'raw');
  assert.deepEqual(await outcome(port, '/get/k', { headers: { 'upstash-encoding': 'base64' } }), [
    200,
    { result: 'w6k=' },
  ]);
  assert.deepEqual(await outcome(port, '/pipeline', { body: [['GET', 'k'], ['NOPE'], ['INCR', 'n']] }), [
    200,
    [{ result: 'é' }, { error: "ERR unknown command 'NOPE'" }, { result: 1 }],
  ]);
  assert.deepEqual(
    await outcome(port, '/multi-exec', {
      body: [
        ['INCR', 'n'],
        ['GET', 'k'],
      ],
    }),
    [200, [{ result: 2 }, { result: 'é' }]],
  );
  assert.equal((await outcome(port, '/get/k', { headers: { authorization: 'Bearer x' } }))[0], 401);
  assert.equal((await outcome(port, '/get/k?_token=secret', { headers: { authorization: '' } }))[0], 200);
  assert.equal((await outcome(port, '/', { body: '{' }))[0], 400);
  const head = await ask(port, '/get/k', { method: 'HEAD' });
  assert.deepEqual([head.status, await textOf(head.response)], [200, '']);
  const deleted = await ask(port, '/get/k', { method: 'DELETE' });
  assert.deepEqual([deleted.status, deleted.headers.allow], [405, 'GET, HEAD, POST, PUT, OPTIONS']);
});

test('a body that is too long is refused while it is read', async (t) => {
  const port = await serve(t, new Keylatch(), { maxBodyBytes: 1000 });
  assert.equal((await outcome(port, '/set/k', { body: 'x'.repeat(1001) }))[0], 413);
  const socket = connect(port, '127.0.0.1');
  t.after(() => socket.destroy());
  socket.on('error', () => {});
  socket.write(
    `POST /set/k HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TOKEN}\r\nTransfer-Encoding: chunked\r\n\r\n`,
  );
  let received = '';
  socket.on('data', (data) => (received += data));
  for (let count = 0; count < 3; count += 1) socket.write(`200\r\n${'x'.repeat(0x200)}\r\n`);
  await until(() => received.startsWith('HTTP/1.1 413'), 'the refusal, before the end of the body');
});

test('a command that waits is answered when there is something', async (t) => {
  const db = new Keylatch();
  const port = await serve(t, db);
  const waiting = outcome(port, '/', { body: ['BLPOP', 'q', 10] });
  await until(() => db.info('clients').includes('blocked_clients:1'), 'the wait');
  db.rpush('q', 'a');
  assert.deepEqual(await waiting, [200, { result: ['q', 'a'] }]);
  db.rpush('q', 'b');
  assert.deepEqual(await outcome(port, '/blpop/q/10'), [200, { result: ['q', 'b'] }]);
  assert.deepEqual(await outcome(port, '/', { body: ['BLPOP', 'q', '0.05'] }), [200, { result: null }]);
  assert.deepEqual(
    await outcome(port, '/pipeline', {
      body: [
        ['INCR', 'n'],
        ['BLPOP', 'q', '0.05'],
        ['INCR', 'n'],
      ],
    }),
    [200, [{ result: 1 }, { result: null }, { result: 2 }]],
  );
  // Its status is 200 from the moment it waits.
  const failing = outcome(port, '/', { body: ['BLPOP', 'q', 10] });
  await until(() => db.info('clients').includes('blocked_clients:1'), 'the wait');
  const [, id] = /id=(\d+) [^\n]*cmd=blpop/.exec(db.call('CLIENT', 'LIST'));
  db.call('CLIENT', 'UNBLOCK', id, 'ERROR');
  const [status, { error }] = await failing;
  assert.equal(status, 200);
  assert.match(error, /^UNBLOCKED/);
  assert.equal(db.call('CLIENT', 'LIST').includes('blpop'), false);
});

test('a client that goes waits no longer, and takes nothing', async (t) => {
  const db = new Keylatch();
  const port = await serve(t, db);
  const { asked } = await ask(port, '/blpop/q/0');
  await until(() => db.info('clients').includes('blocked_clients:1'), 'the wait');
  asked.on('error', () => {});
  asked.destroy();
  await until(() => db.info('clients').includes('blocked_clients:0'), 'the end of the wait');
  db.rpush('q', 'a');
  assert.equal(db.llen('q'), 1);
});

test('a stream that is cancelled ends its wait, and nothing is written to it', async () => {
  const db = new Keylatch();
  const gone = new AbortController();
  const ask = (signal) =>
    new Request('http://local/blpop/q/0', { headers: { authorization: `Bearer ${TOKEN}` }, signal });
  const cancelled = await handleUpstashRequest(db, ask(), { token: TOKEN });
  const aborted = await handleUpstashRequest(db, ask(gone.signal), { token: TOKEN });
  await cancelled.body.cancel();
  gone.abort();
  assert.equal(await aborted.text(), '');
  // An error in a callback would be an unhandled rejection, which fails the test.
  await until(() => db.info('clients').includes('blocked_clients:0'), 'the end of both waits');
  await new Promise((resolve) => setImmediate(resolve));
  db.rpush('q', 'a');
  assert.equal(db.llen('q'), 1);
});

test('a command waits 25 seconds at most, with a blank each 5', async (t) => {
  const db = new Keylatch();
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const request = new Request('http://local/blpop/q/0', { headers: { authorization: `Bearer ${TOKEN}` } });
  const response = await handleUpstashRequest(db, request, { token: TOKEN });
  assert.equal(response.status, 200);
  const text = response.text();
  for (let count = 0; count < 25; count += 1) t.mock.timers.tick(1000);
  assert.match(await text, /^ {4,5}\{"result":null\}$/);
  db.rpush('q', 'a');
  assert.equal(db.llen('q'), 1);
});

test('subscribers and monitors read events, with a comment each 15 seconds', async (t) => {
  const db = new Keylatch();
  t.mock.timers.enable({ apis: ['setInterval'] });
  const subscribe = async (path) => {
    const request = new Request(`http://local${path}`, { headers: { authorization: `Bearer ${TOKEN}` } });
    const reader = (await handleUpstashRequest(db, request, { token: TOKEN })).body.getReader();
    return { reader, next: async () => new TextDecoder().decode((await reader.read()).value) };
  };
  const news = await subscribe('/subscribe/news');
  assert.equal(await news.next(), 'data: subscribe,news,1\n\n');
  t.mock.timers.tick(15_000);
  assert.equal(await news.next(), ': ping\n\n');
  await news.reader.cancel();
  assert.deepEqual(db.pubsubChannels(), []);
  const lines = await subscribe('/monitor');
  assert.equal(await lines.next(), 'data: "OK"\n\n');
  db.set('k', 'a b');
  assert.match(await lines.next(), /^data: \d+\.\d+ \[0 [^\]]*\] "SET" "k" "a b"\n\n$/);
  await lines.reader.cancel();
  assert.equal(db.call('CLIENT', 'LIST').includes('cmd=monitor'), false);
});

test('a request with an id has one effect, however often it is sent', async (t) => {
  const db = new Keylatch();
  const port = await serve(t, db);
  const once = (path, options, id = 'id-1') =>
    outcome(port, path, { ...options, headers: { 'keylatch-request-id': id, ...options?.headers } });
  assert.deepEqual(await once('/', { body: ['INCR', 'n'] }), [200, { result: 1 }]);
  assert.deepEqual(await once('/', { body: ['INCR', 'n'] }), [200, { result: 1 }]);
  assert.equal(db.get('n'), '1');
  assert.ok(db.pttl('keylatch:reply:id-1') > 100_000);
  assert.equal((await once('/', { body: ['INCR', 'other'] }))[0], 409);
  assert.equal(db.exists('other'), 0);
  // Errors are replies.
  db.set('text', 'x');
  assert.equal((await once('/', { body: ['INCR', 'text'] }, 'id-2'))[0], 400);
  db.set('text', '1');
  assert.equal((await once('/', { body: ['INCR', 'text'] }, 'id-2'))[0], 400);
  // Reads keep nothing.
  assert.deepEqual(await once('/get/n', {}, 'id-3'), [200, { result: '1' }]);
  db.set('n', '5');
  assert.deepEqual(await once('/get/n', {}, 'id-3'), [200, { result: '5' }]);
  assert.equal(db.exists('keylatch:reply:id-3'), 0);
  const pipeline = {
    body: [
      ['INCR', 'a'],
      ['GET', 'a'],
      ['INCR', 'a'],
    ],
  };
  const first = [200, [{ result: 1 }, { result: '1' }, { result: 2 }]];
  assert.deepEqual(await once('/pipeline', pipeline, 'id-4'), first);
  assert.deepEqual(await once('/pipeline', pipeline, 'id-4'), [200, [{ result: 1 }, { result: '2' }, { result: 2 }]]);
  const transaction = {
    body: [
      ['INCR', 'b'],
      ['INCR', 'b'],
    ],
  };
  for (let count = 0; count < 2; count += 1)
    assert.deepEqual(await once('/multi-exec', transaction, 'id-5'), [200, [{ result: 1 }, { result: 2 }]]);
  assert.deepEqual(
    await Promise.all(Array.from({ length: 5 }, () => once('/incr/c', {}, 'id-6'))),
    Array(5).fill([200, { result: 1 }]),
  );
  for (const id of ['a b', 'x'.repeat(129), 'é']) {
    const wrong = await once('/incr/d', {}, Buffer.from(id).toString('latin1')).catch((error) => error);
    assert.ok(wrong instanceof TypeError || wrong[0] === 400, id);
  }
  assert.equal(db.exists('d'), 0);
});

test('a repeated request joins one that still waits', async (t) => {
  const db = new Keylatch();
  const port = await serve(t, db);
  const pop = (path = '/blpop/q/20') => ask(port, path, { headers: { 'keylatch-request-id': 'w' } });
  const first = await pop();
  const second = await pop();
  assert.equal((await outcome(port, '/blpop/r/20', { headers: { 'keylatch-request-id': 'w' } }))[0], 409);
  first.asked.on('error', () => {});
  first.asked.destroy();
  db.rpush('q', 'a', 'b');
  assert.deepEqual(JSON.parse(await textOf(second.response)), { result: ['q', 'a'] });
  assert.deepEqual(JSON.parse(await textOf((await pop()).response)), { result: ['q', 'a'] });
  assert.deepEqual(db.lrange('q', 0, -1), ['b']);
});

test('the reply of an id is in the log together with its effects', async (t) => {
  const dir = temporaryFolder();
  const db = await open({ dir, fsync: 'always' });
  const port = await serve(t, db);
  const headers = { 'keylatch-request-id': 'x' };
  assert.deepEqual(await outcome(port, '/incr/n', { headers }), [200, { result: 1 }]);
  await db.close();
  const again = await open({ dir });
  t.after(() => again.close());
  const other = await serve(t, again);
  assert.deepEqual(await outcome(other, '/incr/n', { headers }), [200, { result: 1 }]);
  assert.equal(again.get('n'), '1');
});

test('the response to a write waits until it is durable, and says if that fails', async (t) => {
  const db = new Keylatch();
  const calls = [];
  let fails = false;
  const durable = async () => {
    calls.push(db.get('n'));
    if (fails) throw new Error('the disk is full');
  };
  const port = await serve(t, db, { durable, position: () => `p${calls.length}` });
  assert.deepEqual(await outcome(port, '/incr/n'), [200, { result: 1 }]);
  assert.equal((await ask(port, '/get/n')).headers['upstash-sync-token'], 'p1');
  assert.deepEqual(
    await outcome(port, '/pipeline', {
      body: [
        ['INCR', 'n'],
        ['INCR', 'n'],
      ],
    }),
    [200, [{ result: 2 }, { result: 3 }]],
  );
  await outcome(port, '/multi-exec', { body: [['INCR', 'n']] });
  assert.deepEqual(calls, ['1', '3', '4']);
  fails = true;
  const [status, { error }] = await outcome(port, '/incr/n');
  assert.equal(status, 503);
  assert.match(error, /may have run: the disk is full/);
  assert.deepEqual(await outcome(port, '/get/n'), [200, { result: '5' }]);
});

test('on a full disk one write may have run, later ones are refused, and reads go on', async (t) => {
  for (const fsync of ['always', 'everysec']) {
    const db = await open({ dir: temporaryFolder(), fsync, onFailure: 'refuse' });
    db.onPersistence(() => {});
    const port = await serve(t, db, { durable: () => db.flush() });
    assert.equal((await outcome(port, '/set/n/1'))[0], 200);
    const restore = stub(t, 'writeSync', () => {
      throw failure('ENOSPC');
    });
    const error = 'ERR the change could not be made durable, and may have run: the disk is full';
    assert.deepEqual(await outcome(port, '/incr/n'), [503, { error }]);
    const [status, refused] = await outcome(port, '/incr/n');
    assert.equal(status, 400);
    assert.match(refused.error, /^MISCONF /);
    const body = [
      ['GET', 'n'],
      ['INCR', 'n'],
    ];
    assert.deepEqual(await outcome(port, '/pipeline', { body }), [200, [{ result: '2' }, refused]]);
    const headers = { 'upstash-response-format': 'resp2' };
    const resp = await ask(port, '/incr/n', { headers });
    assert.equal(resp.status, 200);
    assert.match(await textOf(resp.response), /^-MISCONF /);
    restore();
    await until(() => db.persistence.state === 'running', 'writing');
    assert.deepEqual(await outcome(port, '/incr/n'), [200, { result: 3 }]);
    await db.close();
  }
});
