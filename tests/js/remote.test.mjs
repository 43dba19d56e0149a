// keylatch/remote over REST: the methods, batches, and answers that are lost, late or refused.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { test } from 'node:test';
import { FaultProxy } from './support/fault-proxy.mjs';
import { entry } from './support/package.mjs';
import { until } from './support/until.mjs';

const { Keylatch } = await entry('index');
const { upstashListener } = await entry('upstash');
const { locks } = await entry('locks');
const { AccessRefused, connect, MayHaveRun, Overloaded, ReplyError, Unavailable } = await entry('remote');

const TOKEN = 'correct horse';

async function listening(t, handler) {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return server.address().port;
}

/** An engine behind REST, and a database that is connected to it, through a proxy if `isProxied`. */
async function start(t, options = {}, { isProxied = false } = {}) {
  const engine = new Keylatch();
  const requests = [];
  const listener = upstashListener(engine, { token: TOKEN, maxBodyBytes: 1 << 20 });
  const port = await listening(t, (request, response) => {
    requests.push(request);
    listener(request, response);
  });
  const proxy = isProxied ? await FaultProxy.start(t, port) : undefined;
  const db = connect(`http://127.0.0.1:${proxy?.port ?? port}`, { token: TOKEN, transport: 'rest', ...options });
  t.after(() => db.close());
  return { engine, db, requests, proxy, port };
}

test('results have the types of an engine, and errors their class, message and code', async (t) => {
  const { db } = await start(t);
  assert.equal(await db.set('k', 'v'), 'OK');
  assert.deepEqual([await db.get('k'), await db.get('none'), await db.bytes.get('k')], ['v', null, Uint8Array.of(118)]);
  await db.hset('h', { one: 1 });
  assert.deepEqual(await db.hgetall('h'), new Map([['one', '1']]));
  await db.sadd('s', 'x');
  assert.deepEqual(await db.smembers('s'), new Set(['x']));
  await db.zadd('z', [['m', 1.5]]);
  assert.equal(await db.zscore('z', 'm'), 1.5);
  assert.equal(await db.incrby('n', 2n ** 62n, { bigint: true }), 2n ** 62n);
  await db.json.set('j', { a: [1] });
  assert.deepEqual(await db.json.get('j'), { a: [1] });
  const view = db.prefix('p:');
  await view.set('x', 1);
  assert.deepEqual([await db.get('p:x'), await view.keys('*')], ['1', ['x']]);
  await assert.rejects(db.lpush('k', 1), (error) => {
    assert.ok(error instanceof ReplyError);
    assert.deepEqual([error.code, error.command], ['WRONGTYPE', 'LPUSH']);
    return true;
  });
  await assert.rejects(db.set('k', Number.NaN), /argument 2 of SET is NaN/);
  await assert.rejects(db.call('MULTI'), /MULTI: over a connection use multi\(\)/);
});

test('commands of one turn are one request, in their order; a wrong argument spoils none of the others', async (t) => {
  const { db, requests } = await start(t);
  const results = await Promise.allSettled([
    db.set('a', 1),
    db.incr('a'),
    db.set('b', Number.NaN),
    db.get('a'),
    db.lpush('a', 'x'),
    db.incr('a'),
  ]);
  assert.deepEqual(
    results.map(({ value, reason }) => value ?? reason.name),
    ['OK', 2, 'TypeError', '2', 'ReplyError', 3],
  );
  assert.equal(requests.length, 1);
  assert.equal(requests[0].url, '/pipeline');
});

test('bytes that are not UTF-8 go through, and those of the turn keep their order', async (t) => {
  const { db, engine } = await start(t);
  const bytes = Uint8Array.of(0, 255, 13, 10, 47, 37);
  const [, , , found] = await Promise.all([
    db.set('k', 'old'),
    db.set('k', bytes),
    db.set(bytes, ''),
    db.bytes.get('k'),
  ]);
  assert.deepEqual(found, bytes);
  assert.deepEqual(engine.bytes.get(bytes), new Uint8Array());
  await db.call('MSET', bytes, '', '', bytes);
  assert.deepEqual(engine.bytes.mget([bytes, '']), [new Uint8Array(), bytes]);
  await assert.rejects(db.multi().set('k', bytes).exec(), /must be UTF-8/);
});

test('transactions are one step, with results as the methods have them', async (t) => {
  const { db, requests } = await start(t);
  await db.set('text', 'x');
  requests.length = 0;
  assert.deepEqual(await db.multi().incr('n').hset('h', { f: 1 }).hgetall('h').exec(), [1, 1, new Map([['f', '1']])]);
  assert.deepEqual(
    requests.map(({ url }) => url),
    ['/multi-exec'],
  );
  await assert.rejects(db.multi().incr('n').lpush('text', 1).exec(), { name: 'ExecError' });
  await assert.rejects(db.multi().call('NOSUCH').incr('n').exec(), { name: 'ReplyError', code: 'EXECABORT' });
  assert.equal(await db.get('n'), '2');
  await assert.rejects(db.client().watch('n'), /WATCH is not available over REST/);
});

test('a command that waits is served, ends in time, and ends by a signal', async (t) => {
  const { db, engine } = await start(t);
  const popped = db.blpop('q', 10);
  await until(() => engine.call('CLIENT', 'LIST').includes('cmd=blpop'));
  assert.equal(await db.get('none'), null);
  engine.rpush('q', 'x');
  assert.deepEqual(await popped, ['q', 'x']);
  assert.equal(await db.blpop('q', 0.05), null);
  const controller = new AbortController();
  const aborted = db.blpop('q', 0, { signal: controller.signal });
  controller.abort(new Error('enough'));
  await assert.rejects(aborted, /enough/);
  const ended = db.blpop('q', 0);
  await db.close();
  await assert.rejects(ended, { name: 'ClosedError' });
  await assert.rejects(db.get('k'), { name: 'ClosedError' });
});

test('subscriptions bring messages of channels and patterns, also behind a cut connection', async (t) => {
  const { db, engine, proxy } = await start(t, {}, { isProxied: true });
  const got = [];
  const end = await db.subscribe('a,b', (message, channel) => got.push([channel, message]));
  await db.psubscribe('n*', (message, channel, pattern) => got.push([pattern, channel, message]));
  engine.publish('a,b', 'one\ntwo,three');
  engine.publish('news', 'x,y');
  await until(() => got.length === 2);
  assert.deepEqual(got.sort(), [
    ['a,b', 'one\ntwo,three'],
    ['n*', 'news', 'x,y'],
  ]);
  proxy.cut();
  await until(() => engine.publish('a,b', 'again') > 0 && got.some(([, message]) => message === 'again'));
  end();
  await until(() => engine.call('PUBSUB', 'NUMSUB', 'a,b')[1] === 0);
  const messages = await db.messages('m');
  engine.publish('m', 'first');
  assert.deepEqual(await messages.next(), { done: false, value: 'first' });
  await messages.return();
  await assert.rejects(
    db.ssubscribe('s', () => {}),
    /no shard channels/,
  );
});

test('an answer that is cut at any byte: reads are repeated, writes may have run', async (t) => {
  const { db, engine, proxy } = await start(t, { retryMs: 5000 }, { isProxied: true });
  engine.set('k', 'value');
  const answer = await (
    await fetch(`http://127.0.0.1:${proxy.port}/pipeline`, {
      method: 'POST',
      body: '[["GET","k"]]',
      headers: { authorization: `Bearer ${TOKEN}`, 'upstash-response-format': 'resp3' },
    })
  ).text();
  for (let kept = 0; kept < answer.length; kept += 1) {
    Object.assign(proxy, { cutAfter: answer.length - kept - 1, faulty: 1 });
    proxy.cut();
    assert.equal(await db.get('k'), 'value', `${kept}`);
  }
  // The headers of an answer take a few hundred bytes.
  for (let passed = 0; passed < 400; passed += 7) {
    Object.assign(proxy, { cutAfter: passed, faulty: 1 });
    proxy.cut();
    const before = Number(engine.get('n'));
    const outcome = await db.incr('n').catch((error) => error);
    if (outcome instanceof MayHaveRun) assert.equal(outcome.command, 'INCR');
    else assert.equal(outcome, before + 1);
    assert.equal(Number(engine.get('n')), before + 1);
  }
});

test('with ids a write whose answer was lost is sent again, and runs once', async (t) => {
  const { db, engine, proxy } = await start(t, { requestIds: true, retryMs: 5000 }, { isProxied: true });
  for (let passed = 0; passed < 400; passed += 19) {
    Object.assign(proxy, { cutAfter: passed, faulty: 1 });
    proxy.cut();
    const before = Number(engine.get('n'));
    const [first, second, map] = await Promise.all([db.incr('n'), db.get('n'), db.hgetall('none')]);
    assert.deepEqual([first, second, map], [before + 1, String(before + 1), new Map()]);
    assert.deepEqual(await db.multi().incr('m').exec(), [passed / 19 + 1]);
  }
});

test('of commands that were sent together, only those that read are repeated', async (t) => {
  const { db, engine, proxy } = await start(t, {}, { isProxied: true });
  Object.assign(proxy, { cutAfter: 0, faulty: 1 });
  const [write, read] = await Promise.allSettled([db.incr('n'), db.get('n')]);
  assert.deepEqual([write.reason.name, write.reason.command, read.value], ['MayHaveRun', 'INCR', '1']);
  assert.equal(engine.get('n'), '1');
});

test('a silent server, a slow one, and one that is down: each call ends by its own clock', async (t) => {
  const { db, engine, proxy } = await start(t, { timeoutMs: 200, retryMs: 300 }, { isProxied: true });
  proxy.isSilent = true;
  const [write, read, exec, wait] = await Promise.allSettled([
    db.incr('n'),
    db.get('n'),
    db.multi().incr('n').exec(),
    db.blpop('q', 0.1),
  ]);
  assert.ok(write.reason instanceof MayHaveRun);
  assert.ok(read.reason instanceof Unavailable);
  assert.deepEqual([exec.reason.name, exec.reason.command], ['MayHaveRun', 'EXEC']);
  assert.deepEqual([wait.reason.name, wait.reason.command], ['MayHaveRun', 'BLPOP']);
  assert.equal(engine.get('n'), '2');
  Object.assign(proxy, { isSilent: false, delayMs: 50 });
  proxy.cut();
  assert.equal(await db.get('n'), '2');
  proxy.close();
  await assert.rejects(db.incr('n'), Unavailable);
  await assert.rejects(db.get('n'), Unavailable);
  await assert.rejects(db.blpop('q', 1), Unavailable);
  await assert.rejects(
    db.subscribe('c', () => {}),
    /ECONNREFUSED|fetch failed/,
  );
});

test('401, 429, 503 and pages of a proxy have errors that say what to do', async (t) => {
  const answers = [];
  const port = await listening(t, (request, response) => {
    request.resume();
    const [status, body] = answers.shift() ?? [503, '{"error":"UNAVAILABLE starting"}'];
    response.writeHead(status).end(body);
  });
  const db = connect(`http://127.0.0.1:${port}`, { token: 'x', transport: 'rest', retryMs: 150 });
  answers.push([401, '{"error":"WRONGPASS invalid or missing auth token"}']);
  await assert.rejects(db.get('k'), (error) => error instanceof AccessRefused && /pass { token }/.test(error.message));
  answers.push([429, '{"error":"OVERLOADED many"}']);
  await assert.rejects(db.incr('n'), (error) => error instanceof Overloaded && /send fewer/.test(error.message));
  assert.equal(answers.length, 0, 'neither is repeated');
  await assert.rejects(db.get('k'), (error) => error instanceof Unavailable && /try again later/.test(error.message));
  await assert.rejects(db.incr('n'), (error) => error instanceof MayHaveRun && /UNAVAILABLE/.test(error.message));
  await db.close();
  const patient = connect(`http://127.0.0.1:${port}`, { token: 'x', transport: 'rest' });
  answers.push([502, '<html>bad gateway</html>'], [200, 'nonsense'], [200, '$1\r\nv\r\n']);
  assert.equal(await patient.get('k'), 'v');
  answers.push([400, '{"error":"ERR unknown response format"}']);
  await assert.rejects(patient.get('k'), { name: 'ReplyError', command: 'GET' });
});

test('a token may be a function, which is asked for each request; its error is the call’s', async (t) => {
  const tokens = ['wrong', TOKEN];
  const { db } = await start(t, { token: async () => tokens.shift() ?? Promise.reject(new Error('no token')) });
  await assert.rejects(db.get('k'), AccessRefused);
  assert.equal(await db.get('k'), null);
  await assert.rejects(db.incr('n'), /no token/);
});

test('locks work over a remote database, unchanged', async (t) => {
  const { db, engine } = await start(t);
  const manager = locks(db);
  const lock = await manager.acquire('job', { ttl: 10_000 });
  await assert.rejects(manager.acquire('job', { wait: 0 }), { name: 'NeverAcquired' });
  const second = manager.acquire('job', { ttl: 10_000, wait: 5000 });
  await until(() => engine.call('CLIENT', 'LIST').includes('cmd=latch.acquire'));
  await lock.release();
  await (await second).release();
  assert.equal(await manager.once('task', () => 'done'), 'done');
});

test('wrong options and addresses are refused before anything is sent', () => {
  for (const [target, options, message] of [
    ['ftp://x', {}, /must be a URL/],
    ['https://user:pass@x', {}, /must not have a token/],
    ['https://x/?_token=t', {}, /must not have a token/],
    ['https://x', { token: '' }, /token must be a text/],
    ['https://x', { tokens: 't' }, /did you mean "token"/],
    ['https://x', { timeoutMs: 0 }, /timeoutMs must be greater than 0/],
    [{}, {}, /expected an address, or the binding/],
  ])
    assert.throws(() => connect(target, { transport: 'rest', ...options }), message);
});
