/** Signed tokens on sockets: what each claim admits there, and how a socket ends with its token, awake or asleep. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { template } from './support/build.mjs';
import { objectFiles, start, storageFolder } from './support/host.mjs';
import { connect, encode, protocolsOf, refused } from './support/sockets.mjs';

const { signToken } = await import(pathToFileURL(`${template}/node_modules/keylatch/esm/upstash.js`).href);

const TOKEN = 'full token';
const SECRETS = { k1: 'one secret of 32 bytes or of more', k2: 'another secret, 32 bytes or more.' };
const nowSeconds = () => Math.floor(Date.now() / 1000);
const LATER = nowSeconds() + 3600;
const ENDED = { code: 4401, reason: 'the token has expired' };
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const signed = (claims, keyId = 'k1') => signToken({ exp: LATER, ...claims }, { keyId, secret: SECRETS[keyId] });

async function started(t, { folder, ...options } = {}) {
  const bindings = { OPTIONS: JSON.stringify({ token: TOKEN, secrets: SECRETS, revoked: ['lost'], ...options }) };
  const worker = await start(t, { bundle: 'sleeping', folder, bindings });
  const post = (path) => worker.send(undefined, { path });
  return {
    ...worker,
    call: async (...command) => (await worker.post(command, { token: TOKEN })).json.result,
    evict: () => post('/evict'),
    /** Moves the clock of the Worker and its objects; no timer fires by it. */
    moveClock: (ms) => post(`/clock?offset=${ms}`),
    constructed: async () => (await (await worker.send(undefined, { path: '/constructed' })).json()).result,
  };
}

/** Bytes of the replies to some requests. */
async function replies(peer, count) {
  const found = [];
  for (let index = 0; index < count; index += 1) found.push(await peer.reply());
  return found;
}

test('signed tokens by several secrets connect, in the header and in a subprotocol', async (t) => {
  const worker = await started(t);
  for (const keyId of ['k1', 'k2']) {
    const token = await signed({ write: true }, keyId);
    for (const options of [{ token }, { token: null, protocols: protocolsOf(token) }]) {
      const peer = await connect(t, worker, options);
      assert.equal(await peer.ask('SET', 'k', keyId), '+OK\r\n');
    }
  }
  const reader = await connect(t, worker, { token: await signed({}) });
  assert.equal(await reader.ask('GET', 'k'), '$2\r\nk2\r\n');
  reader.send(['DEL', 'k'], ['MULTI'], ['SET', 'k', 'x'], ['EXEC']);
  const [del, multi, queued, exec] = await replies(reader, 4);
  assert.equal(multi, '+OK\r\n');
  for (const reply of [del, queued]) assert.match(reply, /^-NOPERM this token may only read/);
  assert.match(exec, /^-EXECABORT/);
});

test('cut, altered, foreign, expired and revoked tokens connect to no object', async (t) => {
  const folder = await storageFolder(t);
  const worker = await started(t, { folder });
  const good = await signed({ write: true, ns: ['one'] });
  const [version, keyId, claims, mac] = good.split('.');
  const other = Buffer.from(JSON.stringify({ exp: LATER, write: true })).toString('base64url');
  const forged = await signToken({ exp: LATER, write: true }, { keyId: 'k1', secret: 'x'.repeat(32) });
  for (const token of [
    good.slice(0, -1),
    `${good}A`,
    [version, keyId, claims].join('.'),
    [version, 'k2', claims, mac].join('.'),
    ['kl2', keyId, claims, mac].join('.'),
    [version, keyId, other, mac].join('.'),
    forged,
  ]) {
    for (const options of [{ token }, { token: null, protocols: protocolsOf(token) }]) {
      const { status, error } = await refused(worker, { ...options, path: '/namespace/one' });
      assert.deepEqual([status, error], [401, 'WRONGPASS invalid or missing auth token'], token);
    }
  }
  const expired = await refused(worker, { token: await signed({ exp: nowSeconds() - 1 }) });
  assert.deepEqual(expired, { status: 401, error: 'WRONGPASS the token has expired' });
  const revoked = await refused(worker, { token: await signed({ id: 'lost' }) });
  assert.deepEqual(revoked, { status: 401, error: 'WRONGPASS the token was revoked' });
  const inAddress = await refused(worker, { token: null, path: `/?_token=${good}` });
  assert.equal(inAddress.status, 401);
  for (const path of ['/', '/namespace/two', '/?namespace=two']) {
    const foreign = await refused(worker, { token: good, path });
    assert.deepEqual(foreign, { status: 403, error: 'NOPERM this token is not for this namespace' });
  }
  assert.deepEqual(await objectFiles(folder), []);
  const peer = await connect(t, worker, { token: good, path: '/namespace/one' });
  assert.equal(await peer.ask('SET', 'k', 'v'), '+OK\r\n');
});

test('a header of the client says nothing about its access', async (t) => {
  const worker = await started(t);
  const access = encodeURIComponent(JSON.stringify({ writes: true, expiresAtMs: 9e15 }));
  for (const header of ['full', access]) {
    const headers = { 'keylatch-access': header };
    const peer = await connect(t, worker, { token: await signed({ keys: ['mine:*'] }), headers });
    assert.match(await peer.ask('SET', 'mine:1', 'x'), /^-NOPERM/);
    assert.match(await peer.ask('GET', 'other'), /^-NOPERM/);
    assert.equal((await refused(worker, { token: null, headers })).status, 401);
  }
});

test('a token for keys touches no other, by any way', async (t) => {
  const worker = await started(t);
  await worker.call('MSET', 'mine:1', 'a', 'other', 'b', 'keylatch:x', 'c');
  const peer = await connect(t, worker, { token: await signed({ write: true, keys: ['mine:*', 'keylatch:*'] }) });
  assert.equal(await peer.ask('RENAME', 'mine:1', 'mine:2'), '+OK\r\n');
  for (const words of [
    ['GET', 'other'],
    ['get', 'other'],
    ['MGET', 'mine:2', 'other'],
    ['RENAME', 'mine:2', 'other'],
    ['COPY', 'other', 'mine:3'],
    ['SORT', 'mine:2', 'BY', 'other*'],
    ['SORT', 'mine:2', 'STORE', 'other'],
    ['SINTERCARD', 2, 'mine:2', 'other'],
    ['OBJECT', 'ENCODING', 'other'],
    ['LATCH.ACQUIRE', 'mine:l', 'o', 'TTL', 1000, 'ALSO', 1, 'other'],
    ['GET', 'keylatch:x'],
    ['WATCH', 'mine:2', 'other'],
    ['BLPOP', 'mine:q', 'other', 1],
    ['EVAL', "return redis.call('GET', 'other')", 1, 'mine:2'],
    ['FCALL', 'f', 1, 'mine:2'],
    ['SCAN', 0],
    ['KEYS', 'mine:*'],
    ['DBSIZE'],
    ['RANDOMKEY'],
    ['FLUSHALL'],
    ['SWAPDB', 0, 1],
    ['INFO'],
    ['SUBSCRIBE', 'mine:1'],
    ['PSUBSCRIBE', '*'],
    ['PUBLISH', 'mine:1', 'x'],
    ['MONITOR'],
    ['CLIENT', 'LIST'],
    ['CLIENT', 'TRACKING', 'ON', 'BCAST'],
    ['CLIENT', 'TRACKING', 'ON', 'REDIRECT', 1],
    ['NOSUCH', 'mine:1'],
  ]) {
    const refusal = /^-NOPERM|is about a server/;
    assert.match(await peer.ask(...words), refusal, words.join(' '));
    // Cut in two frames, in a pipeline, as text and in a transaction.
    const bytes = encode(words, ['GET', 'mine:2']);
    peer.write(bytes.subarray(0, 9));
    peer.write(bytes.subarray(9));
    const [cut, behind] = await replies(peer, 2);
    assert.match(cut, refusal, words.join(' '));
    assert.equal(behind, '$1\r\na\r\n');
    peer.text(words.map((word) => JSON.stringify(String(word))).join(' '));
    assert.match(await peer.reply(), refusal, words.join(' '));
    peer.send(['MULTI'], ['SET', 'mine:2', 'never'], words, ['EXEC']);
    const [, , queued, exec] = await replies(peer, 4);
    assert.match(queued, refusal, words.join(' '));
    assert.match(exec, /^-EXECABORT/, words.join(' '));
  }
  peer.send(['MULTI'], ['GET', 'mine:2'], ['EXEC']);
  assert.deepEqual(await replies(peer, 3), ['+OK\r\n', '+QUEUED\r\n', '*1\r\n$1\r\na\r\n']);
  assert.deepEqual(await worker.call('MGET', 'mine:2', 'other', 'keylatch:x'), ['a', 'b', 'c']);
});

test('a token for keys has a connection: its state, its tracked keys, and commands that wait', async (t) => {
  const worker = await started(t);
  const peer = await connect(t, worker, { token: await signed({ write: true, keys: ['mine:*'] }) });
  assert.match(await peer.ask('HELLO', '3', 'SETNAME', 'bcast'), /^%/);
  for (const words of [
    ['CLIENT', 'SETNAME', 'redirect'],
    ['CLIENT', 'TRACKING', 'ON'],
    ['SELECT', '1'],
    ['WATCH', 'mine:1'],
    ['UNWATCH'],
    ['SELECT', '0'],
  ])
    assert.equal(await peer.ask(...words), '+OK\r\n', words.join(' '));
  peer.send(['BLPOP', 'mine:q', '20'], ['GET', 'other']);
  await sleep(100);
  await worker.call('RPUSH', 'mine:q', 'x');
  assert.match(await peer.reply(), /^\*2.*mine:q/s);
  assert.match(await peer.reply(), /^-NOPERM/);
});

test('a token for channels subscribes and publishes there, and nowhere else', async (t) => {
  const worker = await started(t);
  const peer = await connect(t, worker, { token: await signed({ write: true, channels: ['news:*', 'one'] }) });
  for (const words of [
    ['SUBSCRIBE', 'other'],
    ['SUBSCRIBE', 'news:1', 'other'],
    ['SSUBSCRIBE', 'other'],
    ['PSUBSCRIBE', '*'],
    ['PSUBSCRIBE', 'news:1*'],
    ['PUBLISH', 'other', 'x'],
    ['GET', 'news:1'],
    ['PUBSUB', 'CHANNELS'],
  ]) {
    assert.match(await peer.ask(...words), /^-NOPERM/, words.join(' '));
    peer.text(words.join(' '));
    assert.match(await peer.reply(), /^-NOPERM/, words.join(' '));
  }
  peer.send(['SUBSCRIBE', 'news:1', 'one'], ['PSUBSCRIBE', 'news:*'], ['UNSUBSCRIBE', 'other']);
  for (const reply of await replies(peer, 4)) assert.match(reply, /^\*3/);
  assert.equal(await worker.call('PUBLISH', 'other', 'x'), 0);
  await worker.evict();
  assert.equal(await worker.call('PUBLISH', 'news:1', 'after the sleep'), 2);
  assert.match(await peer.reply(), /after the sleep/);
  assert.match(await peer.reply(), /after the sleep/);
  assert.match(await peer.ask('SUBSCRIBE', 'other'), /^-NOPERM/, 'limits are carried through the sleep');
});

test('a socket ends with its token; commands that waited are not served, and those behind do not run', async (t) => {
  const worker = await started(t);
  const exp = nowSeconds() + 6;
  const peer = await connect(t, worker, { token: await signed({ write: true, exp }) });
  const reader = await connect(t, worker, { token: await signed({ exp }) });
  const other = await connect(t, worker, { token: await signed({ write: true }) });
  await reader.ask('SUBSCRIBE', 'news');
  peer.send(['BLPOP', 'q', '0'], ['SET', 'behind', 'x']);
  assert.deepEqual(await peer.closed(), ENDED);
  assert.ok(Date.now() >= exp * 1000, 'not before its end');
  assert.deepEqual(await reader.closed(), ENDED);
  assert.equal(await worker.call('RPUSH', 'q', 'x'), 1);
  assert.equal(await worker.call('PUBLISH', 'news', 'x'), 0);
  assert.deepEqual(await worker.call('MGET', 'behind'), [null]);
  assert.equal(await other.ask('PING'), '+PONG\r\n');
  assert.equal((await refused(worker, { token: await signed({ exp }) })).status, 401);
});

test('nothing runs behind the end of a token, though no timer has fired', async (t) => {
  const worker = await started(t);
  const token = await signed({ write: true });
  const [peer, waiting] = [await connect(t, worker, { token }), await connect(t, worker, { token })];
  await peer.ask('SET', 'k', 'before');
  waiting.send(['BLPOP', 'q', '0']);
  await sleep(100);
  await worker.moveClock(3_600_000);
  peer.send(['SET', 'k', 'behind'], ['RPUSH', 'q', 'x']);
  assert.deepEqual(await peer.closed(), ENDED);
  assert.deepEqual(await waiting.closed(), ENDED);
  assert.equal(await worker.call('GET', 'k'), 'before');
  assert.equal(await worker.call('LLEN', 'q'), 0);
  // Back in time a new socket is as good as before, and the ended one stays closed.
  await worker.moveClock(0);
  const again = await connect(t, worker, { token });
  assert.equal(await again.ask('GET', 'k'), '$6\r\nbefore\r\n');
});

test('a socket ends with its token while the object sleeps', async (t) => {
  const worker = await started(t);
  const token = await signed({ write: true, exp: nowSeconds() + 16 });
  const [peer, other] = [await connect(t, worker, { token }), await connect(t, worker, { token: await signed({}) })];
  await peer.ask('SUBSCRIBE', 'news');
  await other.ask('SUBSCRIBE', 'news');
  await worker.evict();
  const before = await worker.constructed();
  assert.deepEqual(await peer.closed(), ENDED);
  assert.equal(await worker.constructed(), before + 1, 'the alarm woke it');
  assert.equal(await worker.call('PUBLISH', 'news', 'x'), 1);
  assert.match(await other.reply(), /news/);
});

test('the alarm of a token is set once, however often the object wakes until then', async (t) => {
  const worker = await started(t);
  const alarms = async () => (await (await worker.send(undefined, { path: '/alarms' })).json()).result;
  const peer = await connect(t, worker, { token: await signed({}) });
  await peer.ask('SUBSCRIBE', 'news');
  assert.equal(await alarms(), 1);
  for (let round = 0; round < 3; round += 1) {
    await worker.evict();
    const before = await worker.constructed();
    assert.equal(await worker.call('PUBLISH', 'news', `message ${round}`), 1);
    assert.match(await peer.reply(), /message/);
    assert.equal(await worker.constructed(), before + 1);
  }
  assert.equal(await alarms(), 1);
  // An earlier end is another matter.
  await connect(t, worker, { token: await signed({ exp: LATER - 1800 }) });
  assert.equal(await alarms(), 2);
});

test('a socket that is adopted after the end of its token is closed, and its message does not run', async (t) => {
  const worker = await started(t);
  const token = await signed({ write: true });
  const [peer, waiting] = [await connect(t, worker, { token }), await connect(t, worker, { token })];
  await peer.ask('SET', 'k', 'before');
  waiting.send(['BLPOP', 'q', '0']);
  await sleep(100);
  await worker.evict();
  await worker.moveClock(3_600_000);
  peer.send(['SET', 'k', 'behind'], ['RPUSH', 'q', 'x']);
  assert.deepEqual(await peer.closed(), ENDED);
  assert.deepEqual(await waiting.closed(), ENDED);
  assert.equal(await worker.call('GET', 'k'), 'before');
  assert.equal(await worker.call('LLEN', 'q'), 0);
});

test('tokens that end in the far future, and long ones, are as good as others', async (t) => {
  const worker = await started(t);
  const far = await connect(t, worker, { token: await signed({ write: true, exp: Number.MAX_SAFE_INTEGER }) });
  assert.equal(await far.ask('SET', 'k', 'v'), '+OK\r\n');
  const keys = Array.from({ length: 200 }, (_, index) => `ключ:${index}`);
  const token = await signed({ write: true, keys });
  assert.ok(token.length > 3500);
  const long = await connect(t, worker, { token });
  const channels = Array.from({ length: 100 }, (_, index) => `mine:${'x'.repeat(90)}${index}`);
  const listener = await connect(t, worker, { token: await signed({ channels: ['mine:*'] }) });
  listener.send(['SUBSCRIBE', ...channels]);
  await replies(listener, channels.length);
  assert.equal(await long.ask('SET', 'ключ:7', 'v'), '+OK\r\n');
  await worker.evict();
  assert.equal(await long.ask('GET', 'ключ:7'), '$1\r\nv\r\n');
  assert.match(await long.ask('GET', 'k'), /^-NOPERM/);
  assert.equal(await far.ask('GET', 'k'), '$1\r\nv\r\n');
  assert.equal(await worker.call('PUBLISH', channels[99], 'x'), 1);
});
