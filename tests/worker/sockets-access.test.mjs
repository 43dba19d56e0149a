/** Tokens and origins of sockets: without a valid token no object is woken, and a token's limits hold for each request. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { objectFiles, start, storageFolder, TOKEN } from './support/host.mjs';
import { connect, protocolsOf, refused } from './support/sockets.mjs';

test('a token that is missing, wrong, cut or in the address is refused, and no object is made', async (t) => {
  const folder = await storageFolder(t);
  const worker = await start(t, { folder });
  const encoded = Buffer.from(TOKEN).toString('base64url');
  const without = { token: null };
  for (const options of [
    without,
    { token: 'wrong' },
    { token: TOKEN.slice(0, -1) },
    { token: `${TOKEN}x` },
    { ...without, protocols: ['keylatch'] },
    { ...without, protocols: protocolsOf('wrong') },
    { ...without, protocols: ['keylatch', `keylatch.token.${encoded.slice(0, -2)}`] },
    { ...without, protocols: ['keylatch', 'keylatch.token.a'] },
    { ...without, path: `/?_token=${encodeURIComponent(TOKEN)}` },
    { path: `/?_token=${encodeURIComponent(TOKEN)}` },
    { ...without, headers: { 'keylatch-access': 'full' } },
  ]) {
    const { status, error } = await refused(worker, options);
    assert.equal(status, 401, JSON.stringify(options));
    assert.match(error, /^WRONGPASS /);
  }
  assert.deepEqual(await objectFiles(folder), []);
  const closed = await start(t, { bindings: {} });
  assert.match((await refused(closed)).error, /KEYLATCH_TOKEN/);
});

test('a token in a subprotocol is as good as in the header; the response selects keylatch', async (t) => {
  const worker = await start(t, { bindings: { KEYLATCH_TOKEN: 'grüße=/+?' } });
  const peer = await connect(t, worker, { token: null, protocols: protocolsOf('grüße=/+?') });
  assert.equal(peer.socket.protocol, 'keylatch');
  assert.equal(await peer.ask('PING'), '+PONG\r\n');
});

test('paths, namespaces and methods', async (t) => {
  const worker = await start(t);
  const peer = await connect(t, worker, { path: '/namespace/a%2Fb' });
  await peer.ask('SET', 'k', 'v');
  const again = await connect(t, worker, { path: '/?namespace=a%2Fb' });
  assert.equal(await again.ask('GET', 'k'), '$1\r\nv\r\n');
  assert.equal((await refused(worker, { path: '/get/k' })).status, 404);
  assert.equal((await refused(worker, { path: '/namespace/' })).status, 400);
});

test('pages of other origins are refused', async (t) => {
  const worker = await start(t, { bundle: 'sleeping' });
  const from = (origin, path) => ({ path, headers: { origin } });
  assert.equal((await refused(worker, from('https://app.example', '/'))).status, 403);
  assert.equal((await refused(worker, from('https://evil.example', '/shared'))).status, 403);
  assert.equal((await refused(worker, from('null', '/shared'))).status, 403);
  const peer = await connect(t, worker, from('https://app.example', '/shared/namespace/one'));
  assert.equal(await peer.ask('PING'), '+PONG\r\n');
});

test('a token that only reads', async (t) => {
  const worker = await start(t, { bindings: { KEYLATCH_TOKEN: TOKEN, KEYLATCH_READ_ONLY_TOKEN: 'reader' } });
  await worker.call('SET', 'k', 'v');
  const peer = await connect(t, worker, { token: 'reader' });
  for (const words of [
    ['GET', 'k'],
    ['SELECT', '0'],
    ['CLIENT', 'SETNAME', 'reader'],
    ['WATCH', 'k'],
    ['TTL', 'k'],
  ])
    assert.doesNotMatch(await peer.ask(...words), /^-/, words.join(' '));
  for (const words of [
    ['SET', 'k', 'x'],
    ['KEYS', '*'],
    ['EVAL', 'return 1', '0'],
    ['PUBLISH', 'c', 'x'],
    ['SCAN', '0'],
  ])
    assert.match(await peer.ask(...words), /^-NOPERM this token may only read/, words.join(' '));
  peer.write("\"SET\" k x\r\n'se''t' k x\r\n");
  assert.match(await peer.reply(), /^-NOPERM/);
  peer.text('"s\\x65t" k x');
  assert.match(await peer.reply(), /^-/);
  const other = await connect(t, worker, { token: 'reader' });
  other.text('"s\\x65t" k x');
  assert.match(await other.reply(), /^-NOPERM/);
  other.send(['MULTI'], ['GET', 'k'], ['DEL', 'k'], ['EXEC']);
  assert.equal(await other.reply(), '+OK\r\n');
  assert.equal(await other.reply(), '+QUEUED\r\n');
  assert.match(await other.reply(), /^-NOPERM/);
  assert.match(await other.reply(), /^-EXECABORT/);
  assert.match(await other.ask('SUBSCRIBE', 'c'), /subscribe/);
  assert.equal(await worker.call('GET', 'k'), 'v');
});

test('commands about a server are refused, as over REST', async (t) => {
  const peer = await connect(t, await start(t));
  for (const words of [['CONFIG', 'GET', '*'], ['client', 'list'], ['MONITOR'], ['SHUTDOWN'], ['DEBUG', 'RELOAD']])
    assert.match(await peer.ask(...words), /^-ERR .* is about a server/, words.join(' '));
  assert.match(await peer.ask('CLIENT', 'ID'), /^:\d+/);
});
