/** The HTTP interface: accepted and refused requests, and that it responds to the next one. */

import assert from 'node:assert/strict';
import { request } from 'node:http';
import { before, after, test } from 'node:test';

import { start, storageFolder, TOKEN } from './support/host.mjs';

const cleanups = [];
let worker;
before(async () => {
  worker = await start({ after: (cleanup) => cleanups.push(cleanup) });
});
after(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});

/** Posts `body`, expects `status` and a matching error, and a Worker that still responds. */
async function refuses(body, status, pattern, options) {
  const { json, status: got } = await worker.post(body, options);
  assert.equal(got, status);
  assert.match(json.error, pattern);
  assert.equal(await worker.call('PING'), 'PONG');
}

test('a command answers 200 with its result', async () => {
  const { status, headers, json } = await worker.post(['PING']);
  assert.deepEqual([status, json], [200, { result: 'PONG' }]);
  assert.equal(headers.get('content-type'), 'application/json');
  assert.equal(headers.get('cache-control'), 'no-store');
});

test('bodies that are no command', async () => {
  await refuses('', 400, /not JSON/);
  await refuses(undefined, 400, /not JSON/);
  await refuses('["SET","k"', 400, /not JSON/);
  await refuses('['.repeat(200_000), 400, /not JSON/);
  await refuses('['.repeat(100_000) + ']'.repeat(100_000), 400, /^ERR /);
  await refuses(new Uint8Array([0x5b, 0x22, 0xff, 0x22, 0x5d]), 400, /not JSON/);
  await refuses({ command: 'PING' }, 400, /is a JSON array/);
  await refuses('"PING"', 400, /is a JSON array/);
  await refuses('null', 400, /is a JSON array/);
  await refuses([], 400, /is a JSON array/);
  await refuses([['PING'], ['PING']], 400, /argument 0 of the command must be/);
  await refuses(['GET', { key: 'k' }], 400, /argument 1 of the command must be/);
  await refuses(['PING'], 400, /is a JSON array of commands/, { path: '/pipeline' });
  await refuses([['PING'], 'PING'], 400, /is a JSON array of commands/, { path: '/multi-exec' });
  await refuses([['PING'], []], 400, /is a JSON array/, { path: '/pipeline' });
});

test('errors of the engine are 400 and keep their words', async () => {
  await refuses(['NOSUCH', 'x'], 400, /^ERR unknown command 'NOSUCH'/);
  await refuses(['SET', 'k'], 400, /^ERR wrong number of arguments for 'set' command/);
  await refuses([''], 400, /^ERR unknown command ''/);
  await refuses([null], 400, /^ERR unknown command ''/);
});

test('commands that need a connection or a server are refused and leave no state behind', async () => {
  const connection = [
    'MULTI',
    'exec',
    'DISCARD',
    'Watch k',
    'UNWATCH',
    'SELECT 1',
    'HELLO 3',
    'CLIENT SETNAME me',
    'SUBSCRIBE c',
  ];
  for (const line of connection) await refuses(line.split(' '), 400, /is not available over REST/);
  for (const line of ['CONFIG SET maxmemory 1', 'debug reload', 'SHUTDOWN', 'save']) {
    await refuses(line.split(' '), 400, /is about a server/);
    await refuses([['PING'], line.split(' ')], 400, /is about a server/, { path: '/multi-exec' });
    const { json } = await worker.post([line.split(' '), ['PING']], { path: '/pipeline' });
    assert.match(json[0].error, /is about a server/);
    assert.deepEqual(json[1], { result: 'PONG' });
  }
  await refuses('', 400, /is about a server/, { path: '/config/%73et/maxmemory/1' });
  assert.equal(await worker.call('ECHO', 'hello'), 'hello');
});

test('numbers, booleans and null are arguments', async () => {
  assert.equal(await worker.call('SET', 'number', 1.5), 'OK');
  assert.equal(await worker.call('GET', 'number'), '1.5');
  assert.equal(await worker.call('SET', 'boolean', true), 'OK');
  assert.equal(await worker.call('GET', 'boolean'), 'true');
  assert.equal(await worker.call('SET', 'null', null), 'OK');
  assert.equal(await worker.call('GET', 'null'), '');
});

test('integers keep all their digits, coming and going', async () => {
  const { text } = await worker.post('["INCRBY","big",9007199254740993]');
  assert.equal(text, '{"result":9007199254740993}');
  const piped = await worker.post('[["INCRBY","big",1],["GET","big"]]', { path: '/pipeline' });
  assert.equal(piped.text, '[{"result":9007199254740994},{"result":"9007199254740994"}]');
  assert.equal(await worker.call('GET', 'big'), '9007199254740994');
});

test('NUL bytes, emoji and a megabyte are carried; a lone surrogate is refused', async () => {
  for (const value of ['a\u0000b', '😀', '\u2028', 'x'.repeat(1_048_576), '\u0000'.repeat(1_048_576)]) {
    assert.equal(await worker.call('SET', `key ${value.slice(0, 4)}`, value), 'OK');
    assert.equal(await worker.call('GET', `key ${value.slice(0, 4)}`), value);
  }
  await refuses('["SET","k","\\ud800"]', 400, /the body holds half a surrogate/);
  await refuses('[["SET","before","x"],["SET","k","\\ud800"]]', 400, /half a surrogate/, { path: '/pipeline' });
  assert.equal(await worker.call('EXISTS', 'before'), 0);
});

test('a body over the limit is 413, announced or streamed', async () => {
  const limit = 8 * 1024 * 1024;
  assert.deepEqual(await unfinished({ 'content-length': String(limit + 1) }, ''), tooLarge(limit));
  assert.deepEqual(await unfinished({}, `["SET","k","${'x'.repeat(limit)}"]`), tooLarge(limit));
  assert.equal(await worker.call('GET', 'k'), null);
  // A value is shorter than a body: this one has two.
  const half = 'x'.repeat((limit - '["EXISTS","",""]'.length) / 2);
  assert.equal(await worker.call('EXISTS', half, half), 0);
});

const tooLarge = (limit) => ({ status: 413, json: { error: `ERR max request size exceeded. Limit: ${limit} bytes` } });

/**
 * Response to a request that never ends, after `body` was sent. A client that continues to send after the refusal may
 * see its connection reset instead of the response; this one stops and reads.
 */
function unfinished(headers, body) {
  return new Promise((resolve, reject) => {
    const authorization = `Bearer ${TOKEN}`;
    const call = request(worker.url, { method: 'POST', headers: { authorization, ...headers } });
    call.on('error', reject);
    call.on('response', async (response) => {
      const json = JSON.parse((await response.toArray()).join(''));
      call
        .off('error', reject)
        .on('error', () => {})
        .destroy();
      resolve({ status: response.statusCode, json });
    });
    if (body === '') call.flushHeaders();
    else call.write(body);
  });
}

test('other methods are refused; a preflight names no origin', async () => {
  const { status, headers } = await worker.post(undefined, { method: 'DELETE' });
  assert.deepEqual([status, headers.get('allow')], [405, 'GET, HEAD, POST, PUT, OPTIONS']);
  const preflight = await worker.post(undefined, { method: 'OPTIONS', headers: { origin: 'https://a.example' } });
  assert.deepEqual([preflight.status, preflight.headers.get('access-control-allow-origin')], [204, null]);
  await refuses(undefined, 400, /send a command as JSON/, { method: 'GET' });
});

test('a command in the path, with a body and parameters behind it', async () => {
  const ask = async (path, method, body) => (await worker.post(body, { path, method })).json;
  assert.deepEqual(await ask('/set/path/v%20w?EX=100', 'GET'), { result: 'OK' });
  assert.deepEqual(await ask('/get/path', 'GET'), { result: 'v w' });
  assert.deepEqual(await ask('/set/path', 'PUT', 'from the body'), { result: 'OK' });
  assert.deepEqual(await ask('/get/path/', 'GET'), { result: 'from the body' });
  assert.equal((await worker.post(undefined, { path: '/get/path', method: 'HEAD' })).status, 200);
});

test('pipelines go on behind an error, transactions run as a whole or not at all', async () => {
  const piped = await worker.post(
    [
      ['SET', 'p', '1'],
      ['LPUSH', 'p', 'x'],
      ['INCR', 'p'],
    ],
    { path: '/pipeline' },
  );
  assert.equal(piped.status, 200);
  assert.deepEqual(piped.json[0], { result: 'OK' });
  assert.match(piped.json[1].error, /^WRONGTYPE/);
  assert.deepEqual(piped.json[2], { result: 2 });
  const done = await worker.post(
    [
      ['INCR', 'p'],
      ['GET', 'p'],
    ],
    { path: '/multi-exec' },
  );
  assert.deepEqual(done.json, [{ result: 3 }, { result: '3' }]);
  const refused = await worker.post([['INCR', 'p'], ['NOSUCH']], { path: '/multi-exec' });
  assert.deepEqual([refused.status, /^EXECABORT/.test(refused.json.error)], [400, true]);
  assert.equal(await worker.call('GET', 'p'), '3');
});

test('replies in base64 and in RESP', async () => {
  await worker.call('SET', 'é', 'ü');
  const encoded = await worker.post(['GET', 'é'], { headers: { 'upstash-encoding': 'base64' } });
  assert.deepEqual(encoded.json, { result: 'w7w=' });
  const resp = await worker.send(['MGET', 'é', 'none'], { headers: { 'upstash-response-format': 'resp2' } });
  assert.equal(await resp.text(), '*2\r\n$2\r\nü\r\n$-1\r\n');
  await refuses(['PING'], 400, /unknown response format/, { headers: { 'upstash-response-format': 'resp9' } });
});

test('the sync token is the position of the log: writes move it, reads do not', async () => {
  const position = async (...command) => Number((await worker.post(command)).headers.get('upstash-sync-token'));
  const first = await position('SET', 'sync', '1');
  assert.equal(await position('GET', 'sync'), first);
  assert.equal(await position('INCR', 'sync'), first + 1);
});

test('namespaces have 1 to 256 characters', async () => {
  await refuses(['PING'], 400, /namespace has 1 to 256/, { path: '/?namespace=' });
  await refuses(['PING'], 400, /namespace has 1 to 256/, { path: `/?namespace=${'n'.repeat(257)}` });
  await refuses(['PING'], 400, /namespace has 1 to 256/, { path: '/namespace/' });
  await refuses(['PING'], 400, /not percent-encoded/, { path: '/namespace/%ff%' });
  assert.equal((await worker.post(['PING'], { path: `/?namespace=${encodeURIComponent('ключ/☃')}` })).status, 200);
  assert.equal((await worker.post(['PING'], { path: `/namespace/${encodeURIComponent('ключ/☃')}` })).status, 200);
});

test('a keyspace beyond its limit refuses to grow, loses nothing, and can be emptied', async (t) => {
  const folder = await storageFolder(t);
  const { call, stop } = await start(t, { folder, bindings: { KEYLATCH_TOKEN: TOKEN, KEYLATCH_MAXMEMORY: '64kb' } });
  const value = 'x'.repeat(1000);
  let stored = 0;
  await assert.rejects(async () => {
    for (; stored < 200; stored += 1) await call('SET', `key:${stored}`, value);
  }, /^Error: OOM command not allowed/);
  assert.ok(stored > 40 && stored < 66, `${stored} values`);
  assert.equal(await call('DBSIZE'), stored);
  assert.equal(await call('GET', 'key:0'), value);
  assert.equal(await call('DEL', 'key:0', 'key:1'), 2);
  assert.equal(await call('SET', 'key:0', value), 'OK');
  await stop();

  // Data stored under another limit is complete, whatever the limit is now.
  const smaller = await start(t, { folder, bindings: { KEYLATCH_TOKEN: TOKEN, KEYLATCH_MAXMEMORY: '16kb' } });
  assert.equal(await smaller.call('DBSIZE'), stored - 1);
  await assert.rejects(smaller.call('SET', 'another', value), /OOM/);
});
