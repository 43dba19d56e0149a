// The REST protocol of Upstash over fetch's own types, request by request.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entry } from './support/package.mjs';

const { Keylatch } = await entry('index');
const { handleUpstashRequest, upstashRequester } = await entry('upstash');

const TOKEN = 'secret';

/** Sends requests to the handler; the answer's status and JSON. */
function rest(db, options = { token: TOKEN }) {
  return async (path, { headers, ...init } = {}) => {
    const request = new Request(`http://local${path}`, {
      ...init,
      headers: { authorization: `Bearer ${TOKEN}`, ...headers },
    });
    const response = await handleUpstashRequest(db, request, options);
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
}

const post = (body, headers) => ({ method: 'POST', body: JSON.stringify(body), headers });

async function outcome(answer) {
  const { status, body } = await answer;
  return [status, body];
}

test('pages read responses if their origin is in the list, and no others', async () => {
  const PAGE = 'https://page.example';
  const ask = (origins, path, init = {}) => {
    const headers = { origin: PAGE, authorization: `Bearer ${TOKEN}`, ...init.headers };
    const request = new Request(`http://local${path}`, { ...init, headers });
    return handleUpstashRequest(new Keylatch(), request, { token: TOKEN, ...(origins ? { origins } : {}) });
  };
  const streamed = ['/subscribe/news', { signal: AbortSignal.timeout(1) }];
  const requests = [['/get/k'], ['/', post(['PING'])], ['/', post(['NOSUCH'])], ['/', { method: 'PATCH' }], streamed];
  const allowed = async (origins, [path, init]) =>
    (await ask(origins, path, init)).headers.get('access-control-allow-origin');
  for (const request of requests) {
    assert.equal(await allowed(undefined, request), null, request[0]);
    assert.equal(await allowed(['https://other.example'], request), null, request[0]);
    assert.equal(await allowed(['https://other.example', PAGE], request), PAGE, request[0]);
    assert.equal(await allowed('*', request), '*', request[0]);
  }
  assert.equal((await ask([PAGE], '/get/k', { headers: { authorization: '' } })).headers.get('vary'), 'Origin');
  const preflight = { method: 'OPTIONS', headers: { 'access-control-request-headers': 'authorization,x' } };
  const answer = await ask([PAGE], '/pipeline', preflight);
  assert.equal(answer.status, 204);
  assert.equal(answer.headers.get('access-control-allow-headers'), 'authorization,x');
  assert.match(answer.headers.get('access-control-allow-methods'), /POST/);
  const names = [...(await ask(undefined, '/pipeline', preflight)).headers.keys()];
  assert.deepEqual(
    names.filter((name) => name.startsWith('access-control')),
    [],
  );
});

test('texts without a form in UTF-8 are refused, and nothing of their request runs', async () => {
  const db = new Keylatch();
  const ask = rest(db);
  const half = { method: 'POST', body: '[["SET","k","v"],["SET","k","\\ud800"]]' };
  const [status, { error }] = await outcome(ask('/pipeline', half));
  assert.deepEqual([status, /half a surrogate pair/.test(error)], [400, true]);
  const broken = { method: 'POST', body: new Uint8Array([0x5b, 0x22, 0xff, 0x22, 0x5d]) };
  assert.deepEqual(await outcome(ask('/', broken)), [400, { error: 'ERR the body is not JSON' }]);
  assert.equal(db.dbsize(), 0);
});

test('bodies are limited, with and without a declared length', async () => {
  const db = new Keylatch();
  const maxBodyBytes = 1000;
  const send = rest(db, { token: TOKEN, maxBodyBytes });
  const body = (length) => JSON.stringify(['SET', 'k', 'x'.repeat(length - '["SET","k",""]'.length)]);
  const refused = [413, { error: 'ERR max request size exceeded. Limit: 1000 bytes' }];
  assert.deepEqual(await outcome(send('/', { method: 'POST', body: body(1000) })), [200, { result: 'OK' }]);
  for (const path of ['/', '/pipeline', '/multi-exec', '/set/k'])
    assert.deepEqual(await outcome(send(path, { method: 'POST', body: body(1001) })), refused);
  let pulled = 0;
  const endless = new ReadableStream({
    pull(controller) {
      pulled += 1;
      controller.enqueue(new Uint8Array(100));
    },
  });
  assert.deepEqual(await outcome(send('/set/k', { method: 'POST', body: endless, duplex: 'half' })), refused);
  assert.ok(pulled < 20, `${pulled} pieces were read`);
  const byDefault = rest(db);
  assert.equal((await byDefault('/', { method: 'POST', body: body(11 * 1024 * 1024) })).status, 413);
  assert.equal((await byDefault('/', { method: 'POST', body: body(9 * 1024 * 1024) })).status, 200);
  for (const wrong of [0, -1, 1.5, Infinity, '10'])
    await assert.rejects(rest(db, { token: TOKEN, maxBodyBytes: wrong })('/'), { name: 'RangeError' });
});

test('a command in the body, in the path, and in both', async () => {
  const db = new Keylatch();
  const send = rest(db);
  assert.deepEqual(await outcome(send('/', post(['SET', 'k', 'v', 'px', 5000]))), [200, { result: 'OK' }]);
  assert.deepEqual(await outcome(send('/get/k')), [200, { result: 'v' }]);
  assert.deepEqual(await outcome(send('/get/missing/')), [200, { result: null }]);
  assert.deepEqual(await outcome(send('/set/a%2Fb/sp%20ace%ff?EX=100')), [200, { result: 'OK' }]);
  assert.deepEqual(db.bytes.get('a/b'), Uint8Array.of(...Buffer.from('sp ace'), 0xff));
  assert.equal(db.ttl('a/b'), 100);
  const bytes = Uint8Array.of(0, 255, 13, 10);
  assert.deepEqual(await outcome(send('/set/raw?XX', { method: 'POST', body: bytes })), [200, { result: null }]);
  assert.deepEqual(await outcome(send('/set/raw', { method: 'PUT', body: bytes })), [200, { result: 'OK' }]);
  assert.deepEqual(db.bytes.get('raw'), bytes);
  assert.deepEqual(await outcome(send('/incr/n')), [200, { result: 1 }]);
  assert.deepEqual(await outcome(send('/', post(['mset', 'x', 1.5, 'y', true, 'z', null]))), [200, { result: 'OK' }]);
  assert.deepEqual(db.mget('x', 'y', 'z'), ['1.5', 'true', '']);
});

test('replies are those of RESP2, also in base64', async () => {
  const db = new Keylatch();
  db.hset('h', { f: 'é' });
  db.zadd('z', { m: 1.5 });
  const send = rest(db);
  const base64 = { 'upstash-encoding': 'base64' };
  const encoded = (text) => Buffer.from(text).toString('base64');
  const both = async (command) => [
    (await send('/', post(command))).body.result,
    (await send('/', post(command, base64))).body.result,
  ];
  assert.deepEqual(await both(['HGETALL', 'h']), [
    ['f', 'é'],
    [encoded('f'), encoded('é')],
  ]);
  assert.deepEqual(await both(['ZSCORE', 'z', 'm']), ['1.5', encoded('1.5')]);
  assert.deepEqual(await both(['SET', 'k', 'OK']), ['OK', 'OK']);
  assert.deepEqual(await both(['GET', 'k']), ['OK', encoded('OK')]);
  assert.deepEqual(await both(['PING']), ['PONG', encoded('PONG')]);
  assert.deepEqual(await both(['MGET', 'k', 'missing']), [
    ['OK', null],
    [encoded('OK'), null],
  ]);
  assert.deepEqual(await both(['STRLEN', 'k']), [2, 2]);
  const long = 'x'.repeat(100_000);
  db.set('long', long);
  assert.deepEqual(await both(['GET', 'long']), [long, encoded(long)]);
  db.bytes.set('bytes', Uint8Array.of(255));
  assert.deepEqual(await both(['GET', 'bytes']), ['\ufffd', '/w==']);
});

test('a failed command is status 400 with its error', async () => {
  const db = new Keylatch();
  db.lpush('l', 1);
  const send = rest(db);
  const base64 = { 'upstash-encoding': 'base64' };
  const wrongType = { error: 'WRONGTYPE Operation against a key holding the wrong kind of value' };
  assert.deepEqual(await outcome(send('/get/l')), [400, wrongType]);
  assert.deepEqual(await outcome(send('/', post(['GET', 'l'], base64))), [400, wrongType]);
  const refused = [
    ['/', post([]), /a command is a JSON array/],
    ['/', post({ a: 1 }), /a command is a JSON array/],
    ['/', post(['SET', 'k', { a: 1 }]), /argument 2 of the command must be/],
    ['/', { method: 'POST', body: '["GET"' }, /the body is not JSON/],
    ['/', {}, /send a command as JSON with POST/],
    ['/pipeline', post(['GET', 'k']), /a JSON array of commands/],
    ['/get/%zz', {}, /not percent-encoded/],
    ['/select/1', {}, /SELECT is not available over REST/],
    ['/', post(['MULTI']), /MULTI is not available over REST: send the commands to \/multi-exec/],
    ['/nothing', {}, /unknown command/],
  ];
  for (const [path, init, message] of refused) {
    const { status, body } = await send(path, init);
    assert.equal(status, 400, path);
    assert.match(body.error, message);
  }
  assert.deepEqual(await outcome(send('/get/k', { method: 'DELETE' })), [
    405,
    { error: 'ERR the method DELETE is not allowed' },
  ]);
});

test('a pipeline goes on behind an error, a transaction runs as a whole', async () => {
  const db = new Keylatch();
  const send = rest(db);
  const commands = [['SET', 'k', 'v'], ['LPUSH', 'k', 1], ['GET', 'k'], ['nope']];
  const wrongType = { error: 'WRONGTYPE Operation against a key holding the wrong kind of value' };
  const [status, answers] = await outcome(send('/pipeline', post(commands)));
  assert.equal(status, 200);
  assert.deepEqual(answers.slice(0, 3), [{ result: 'OK' }, wrongType, { result: 'v' }]);
  assert.match(answers[3].error, /unknown command/);
  assert.deepEqual(await outcome(send('/multi-exec', post(commands.slice(0, 3)))), [
    200,
    [{ result: 'OK' }, wrongType, { result: 'v' }],
  ]);
  const events = [];
  db.on('*', ({ event }) => events.push([event, db.get('n')]));
  assert.deepEqual(
    await outcome(
      send(
        '/multi-exec',
        post([
          ['INCR', 'n'],
          ['INCR', 'n'],
        ]),
      ),
    ),
    [200, [{ result: 1 }, { result: 2 }]],
  );
  assert.deepEqual(events.at(-1), ['incrby', '2']);
  const [refused, { error }] = await outcome(send('/multi-exec', post([['SET', 'x', 1], ['nope']])));
  assert.equal(refused, 400);
  assert.match(error, /^EXECABORT .*unknown command/);
  assert.equal(
    (
      await send(
        '/multi-exec',
        post([
          ['SET', 'x', 1],
          ['SUBSCRIBE', 'c'],
        ]),
      )
    ).status,
    400,
  );
  assert.equal(db.exists('x'), 0);
  assert.deepEqual(await outcome(send('/pipeline', post([]))), [200, []]);
  assert.deepEqual(await outcome(send('/multi-exec', post([]))), [200, []]);
});

test('the token is asked for', async () => {
  const db = new Keylatch();
  const open = rest(db, { token: false });
  const send = rest(db);
  for (const authorization of ['', 'Bearer wrong', 'Bearer secretsecret', 'Bearer secre', 'Basic secret']) {
    const { status, body } = await send('/get/k', { headers: { authorization } });
    assert.equal(status, 401, authorization);
    assert.match(body.error, /^WRONGPASS/);
    assert.equal((await open('/get/k', { headers: { authorization } })).status, 200);
  }
  assert.equal((await send(`/get/k?_token=${TOKEN}`, { headers: { authorization: '' } })).status, 200);
  assert.equal(db.call('EXISTS', '_token'), 0);
  const request = new Request('http://local/');
  for (const options of [undefined, {}, { token: '' }, { token: 5 }])
    await assert.rejects(handleUpstashRequest(db, request, options), { name: 'TypeError', message: /needs { token/ });
  await assert.rejects(handleUpstashRequest(db, request, { token: 't', Token: 't' }), /no option 'Token'/);
});

test('below a path, and in RESP', async () => {
  const db = new Keylatch();
  db.set('k', 'v');
  const send = rest(db, { token: TOKEN, basePath: '/redis' });
  assert.deepEqual(await outcome(send('/redis/get/k')), [200, { result: 'v' }]);
  assert.equal((await send('/redis2/get/k')).status, 404);
  const ask = (path, init) => handleUpstashRequest(db, new Request(`http://local${path}`, init), { token: TOKEN });
  const headers = { authorization: `Bearer ${TOKEN}`, 'upstash-response-format': 'resp2' };
  const piped = await ask('/pipeline', { method: 'POST', headers, body: '[["GET","k"],["HGETALL","h"],["nope"]]' });
  assert.match(await piped.text(), /^\$1\r\nv\r\n\*0\r\n-ERR unknown command/);
  const mixed = await ask('/get/k', { headers: { ...headers, 'upstash-encoding': 'base64' } });
  assert.equal(mixed.status, 400);
  const token = async (path) => (await ask(path, { headers })).headers.get('upstash-sync-token');
  const first = await token('/incr/n');
  assert.notEqual(await token('/incr/n'), first);
  assert.equal(await token('/get/n'), await token('/get/k'));
  const unknown = await ask('/get/k', { headers: { ...headers, 'upstash-response-format': 'xml' } });
  assert.equal(unknown.status, 400);
  assert.match((await unknown.json()).error, /unknown response format 'xml': it is json, resp2 or resp3/);
});

test('RESP3 keeps the types of replies, in transactions and waiting commands too', async () => {
  const db = new Keylatch();
  const ask = async (path, body, more = {}) => {
    const headers = { authorization: `Bearer ${TOKEN}`, 'upstash-response-format': 'resp3', ...more };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await handleUpstashRequest(db, new Request(`http://local${path}`, init), { token: TOKEN });
    return [response.status, await response.text()];
  };
  const commands = [
    ['ZADD', 'z', '1.5', 'm'],
    ['ZSCORE', 'z', 'm'],
    ['HGETALL', 'h'],
    ['GET', 'none'],
  ];
  const replies = ':1\r\n,1.5\r\n%0\r\n_\r\n';
  assert.deepEqual(await ask('/pipeline', commands), [200, replies]);
  db.del('z');
  assert.deepEqual(await ask('/multi-exec', commands), [200, `*4\r\n${replies}`]);
  assert.equal((await ask('/multi-exec', [['NOSUCH']]))[0], 400);
  db.zadd('z', [['n', 2]]);
  const popped = [200, '*3\r\n$1\r\nz\r\n$1\r\nm\r\n,1.5\r\n'];
  assert.deepEqual(await ask('/pipeline', [['BZPOPMIN', 'z', 1]]), popped);
  const waiting = ask('/pipeline', [
    ['BZPOPMIN', 'later', 5],
    ['HGETALL', 'h'],
  ]);
  setTimeout(() => db.zadd('later', [['m', 1]]), 20);
  assert.deepEqual(await waiting, [200, '*3\r\n$5\r\nlater\r\n$1\r\nm\r\n,1\r\n%0\r\n']);
  const id = { 'keylatch-request-id': 'one' };
  const first = await ask('/pipeline', [['HGETDEL', 'none', 'FIELDS', 1, 'f']], id);
  assert.deepEqual(await ask('/pipeline', [['HGETDEL', 'none', 'FIELDS', 1, 'f']], id), first);
  const other = await ask('/pipeline', [['HGETDEL', 'none', 'FIELDS', 1, 'f']], {
    ...id,
    'upstash-response-format': 'json',
  });
  assert.equal(other[0], 409, 'a reply is kept in its form');
});

test('subscribers read a stream until they go', async () => {
  const db = new Keylatch();
  const end = new AbortController();
  const request = new Request('http://local/subscribe/news%2F1', {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}` },
    signal: end.signal,
  });
  const response = await handleUpstashRequest(db, request, { token: TOKEN });
  assert.equal(response.headers.get('content-type'), 'text/event-stream');
  const reader = response.body.getReader();
  const next = async () => new TextDecoder().decode((await reader.read()).value);
  assert.equal(await next(), 'data: subscribe,news/1,1\n\n');
  assert.equal(db.publish('news/1', '{"a":1}'), 1);
  assert.equal(await next(), 'data: message,news/1,{"a":1}\n\n');
  end.abort();
  assert.equal((await reader.read()).done, true);
  assert.equal(db.publish('news/1', 'nobody'), 0);
  const pattern = await handleUpstashRequest(db, new Request('http://local/psubscribe/n*'), { token: false });
  db.publish('news', 'x');
  const patterned = pattern.body.getReader();
  await patterned.read();
  assert.equal(new TextDecoder().decode((await patterned.read()).value), 'data: pmessage,n*,news,x\n\n');
  await patterned.cancel();
  assert.equal(db.publish('news', 'nobody'), 0);
});

test('a subscriber that does not read is cut off', async () => {
  const db = new Keylatch();
  const gone = new AbortController();
  const request = new Request('http://local/subscribe/c', { signal: gone.signal });
  const response = await handleUpstashRequest(db, request, { token: false });
  for (let index = 0; index < 1100; index += 1) db.publish('c', index);
  assert.equal(db.publish('c', 'late'), 0);
  await assert.rejects(response.text(), /1024 messages unread/);
  gone.abort();
});

test('a closed engine and a wrong database', async () => {
  const db = new Keylatch();
  const send = rest(db);
  await send('/get/k');
  db.close();
  assert.deepEqual(await outcome(send('/get/k')), [500, { error: 'ERR the engine is closed' }]);
  assert.throws(() => upstashRequester({}), /a database is needed/);
  const request = new Request('http://local/get/k');
  await assert.rejects(handleUpstashRequest({}, request, { token: false }), /a database is needed/);
});
