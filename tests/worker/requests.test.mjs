/** The HTTP interface: accepted and refused requests, and that it responds to the next one. */

import assert from 'node:assert/strict';
import { request } from 'node:http';
import { before, after, test } from 'node:test';

import { start, storageFolder } from './support/host.mjs';

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
  await refuses('', 400, /not valid JSON/);
  await refuses(undefined, 400, /not valid JSON/);
  await refuses('["SET","k"', 400, /not valid JSON/);
  await refuses('['.repeat(200_000), 400, /not valid JSON/);
  await refuses('['.repeat(100_000) + ']'.repeat(100_000), 400, /^ERR /);
  await refuses(new Uint8Array([0x5b, 0x22, 0xff, 0x22, 0x5d]), 400, /not valid JSON/);
  await refuses({ command: 'PING' }, 400, /must be a JSON array/);
  await refuses('"PING"', 400, /must be a JSON array/);
  await refuses('null', 400, /must be a JSON array/);
  await refuses([], 400, /empty command/);
  await refuses([['PING'], ['PING']], 400, /argument 0 is neither/);
  await refuses(['GET', { key: 'k' }], 400, /argument 1 is neither/);
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
  for (const line of connection) await refuses(line.split(' '), 400, /needs a connection that lasts/);
  for (const line of ['CONFIG SET maxmemory 1', 'debug reload']) {
    await refuses(line.split(' '), 400, /is about a server/);
  }
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
  assert.equal(await worker.call('GET', 'big'), '9007199254740993');
});

test('NUL bytes, emoji and a megabyte are carried; a lone surrogate is refused', async () => {
  for (const value of ['a\u0000b', '😀', '\u2028', 'x'.repeat(1_048_576), '\u0000'.repeat(1_048_576)]) {
    assert.equal(await worker.call('SET', `key ${value.slice(0, 4)}`, value), 'OK');
    assert.equal(await worker.call('GET', `key ${value.slice(0, 4)}`), value);
  }
  await refuses('["SET","k","\\ud800"]', 400, /argument 2 has a lone surrogate/);
});

test('a body over the limit is 413, announced or streamed', async () => {
  const limit = 8 * 1024 * 1024;
  assert.deepEqual(await unfinished({ 'content-length': String(limit + 1) }, ''), tooLarge(limit));
  assert.deepEqual(await unfinished({}, `["SET","k","${'x'.repeat(limit)}"]`), tooLarge(limit));
  assert.equal(await worker.call('GET', 'k'), null);
  const largest = 'x'.repeat(limit - '["STRLEN",""]'.length);
  assert.equal(await worker.call('STRLEN', largest), 0);
});

const tooLarge = (limit) => ({ status: 413, json: { error: `ERR the body is larger than ${limit} bytes` } });

/**
 * Response to a request that never ends, after `body` was sent. A client that continues to send after the refusal may
 * see its connection reset instead of the response; this one stops and reads.
 */
function unfinished(headers, body) {
  return new Promise((resolve, reject) => {
    const call = request(worker.url, { method: 'POST', headers });
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

test('other methods and paths', async () => {
  for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS']) {
    const { status, headers } = await worker.post(undefined, { method });
    assert.deepEqual([status, headers.get('allow')], [405, 'POST']);
  }
  await refuses(['PING'], 404, /no such path/, { path: '/pipeline' });
});

test('namespaces have 1 to 256 characters', async () => {
  await refuses(['PING'], 400, /namespace has 1 to 256/, { path: '/?namespace=' });
  await refuses(['PING'], 400, /namespace has 1 to 256/, { path: `/?namespace=${'n'.repeat(257)}` });
  assert.equal((await worker.post(['PING'], { path: `/?namespace=${encodeURIComponent('ключ/☃')}` })).status, 200);
});

test('with a secret set only its bearer comes in', async (t) => {
  const { post } = await start(t, { bindings: { KEYLATCH_TOKEN: 'correct horse' } });
  const status = async (authorization) => {
    const { status, json, headers } = await post(['PING'], { headers: authorization ? { authorization } : {} });
    if (status === 401) assert.deepEqual([headers.get('www-authenticate'), 'error' in json], ['Bearer', true]);
    return status;
  };
  assert.equal(await status(undefined), 401);
  assert.equal(await status('Bearer wrong'), 401);
  assert.equal(await status('Bearer '), 401);
  assert.equal(await status('Basic correct horse'), 401);
  assert.equal(await status('Bearer correct horse'), 200);
  assert.equal(await status('bearer correct horse'), 200);
});

test('an empty secret locks the door instead of opening it', async (t) => {
  const { post } = await start(t, { bindings: { KEYLATCH_TOKEN: '' } });
  assert.equal((await post(['PING'])).status, 401);
  assert.equal((await post(['PING'], { headers: { authorization: 'Bearer ' } })).status, 401);
});

test('a keyspace beyond its limit refuses to grow, loses nothing, and can be emptied', async (t) => {
  const folder = await storageFolder(t);
  const { call, stop } = await start(t, { folder, bindings: { KEYLATCH_MAXMEMORY: '64kb' } });
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
  const smaller = await start(t, { folder, bindings: { KEYLATCH_MAXMEMORY: '16kb' } });
  assert.equal(await smaller.call('DBSIZE'), stored - 1);
  await assert.rejects(smaller.call('SET', 'another', value), /OOM/);
});
