/** RESP over WebSockets: pipelines, transactions, messages, commands that wait, frames cut anywhere, bad input. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { start, TOKEN } from './support/host.mjs';
import { connect, encode } from './support/sockets.mjs';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function until(isTrue, ms = 10_000) {
  for (const end = Date.now() + ms; Date.now() < end; await sleep(50)) if (await isTrue()) return;
  assert.fail('it did not happen in time');
}

test('requests, pipelines and transactions; sockets and REST see the same namespace', async (t) => {
  const worker = await start(t);
  const peer = await connect(t, worker);
  assert.equal(await peer.ask('SET', 'k', 'grüße\u0000'), '+OK\r\n');
  assert.equal(await worker.call('GET', 'k'), 'grüße\u0000');
  peer.send(['INCR', 'n'], ['NOSUCH'], ['MULTI'], ['INCR', 'n'], ['GET', 'n'], ['EXEC'], ['SELECT', '1'], ['DBSIZE']);
  assert.equal(await peer.reply(), ':1\r\n');
  assert.match(await peer.reply(), /^-ERR unknown command 'NOSUCH'/);
  for (const reply of ['+OK', '+QUEUED', '+QUEUED', '*2\r\n:2\r\n$1\r\n2', '+OK', ':0'])
    assert.equal(await peer.reply(), `${reply}\r\n`);
  const other = await connect(t, worker, { path: '/namespace/other' });
  assert.equal(await other.ask('GET', 'k'), '$-1\r\n');
  assert.equal(await other.ask('HELLO', '3').then((hello) => hello[0]), '%');
});

test('text frames: ping, and inline commands', async (t) => {
  const peer = await connect(t, await start(t));
  peer.text('ping');
  assert.equal(await peer.nextText(), 'pong');
  peer.text('SET greeting "hello world"');
  assert.equal(await peer.reply(), '+OK\r\n');
  peer.text('get greeting');
  assert.equal(await peer.reply(), '$11\r\nhello world\r\n');
  peer.text('  ');
  peer.write('PING\r\n\r\n*0\r\n*-1\r\necho "a\\x00b"\r\n');
  assert.equal(await peer.reply(), '+PONG\r\n');
  assert.equal(await peer.reply(), '$3\r\na\0b\r\n');
});

test('inline commands in frames cut at every byte, and text between the parts of a request', async (t) => {
  const peer = await connect(t, await start(t));
  const lines = Buffer.from('SET key one\r\nset  key "t w o"\n\r\nAPPEND key !\r\nGET key\r\n');
  for (let cut = 1; cut < lines.length; cut += 1) {
    peer.write(lines.subarray(0, cut));
    peer.write(lines.subarray(cut));
    for (const reply of ['+OK\r\n', '+OK\r\n', ':6\r\n', '$6\r\nt w o!\r\n'])
      assert.equal(await peer.reply(), reply, `cut at ${cut}`);
  }
  const request = encode(['SET', 'key', 'value']);
  for (let cut = 1; cut < request.length; cut += 1) {
    peer.write(request.subarray(0, cut));
    peer.text('PING');
    assert.equal(await peer.reply(), '+PONG\r\n', `cut at ${cut}`);
    peer.write(request.subarray(cut));
    assert.equal(await peer.reply(), '+OK\r\n', `cut at ${cut}`);
  }
});

test('frames cut at every byte, and such with many requests', async (t) => {
  const peer = await connect(t, await start(t));
  const request = encode(['SET', 'key', 'a\r\n*1\r\n$4\r\nPING\r\n'], ['STRLEN', 'key']);
  for (let cut = 1; cut < request.length; cut += 1) {
    peer.write(request.subarray(0, cut));
    peer.write(request.subarray(cut));
    assert.equal(await peer.reply(), '+OK\r\n', `cut at ${cut}`);
    assert.equal(await peer.reply(), ':17\r\n', `cut at ${cut}`);
  }
  for (const byte of request) peer.write(Buffer.of(byte));
  assert.equal(await peer.reply(), '+OK\r\n');
  assert.equal(await peer.reply(), ':17\r\n');
  const many = encode(...Array.from({ length: 1000 }, (_, index) => ['RPUSH', 'list', index]));
  for (let at = 0, size = 1; at < many.length; at += size, size = 1 + ((size * 7) % 61))
    peer.write(many.subarray(at, at + size));
  for (let index = 1; index <= 1000; index += 1) assert.equal(await peer.reply(), `:${index}\r\n`);
});

test('clients wait in their order, and requests behind a wait run after it', async (t) => {
  const worker = await start(t);
  const [first, second, pusher] = [await connect(t, worker), await connect(t, worker), await connect(t, worker)];
  first.send(['BLPOP', 'q', '0'], ['INCR', 'behind']);
  await until(async () => (await pusher.ask('CLIENT', 'INFO')).includes('cmd=client|info'));
  await sleep(100);
  second.send(['BLPOP', 'q', '0']);
  await sleep(100);
  assert.equal(await worker.call('EXISTS', 'behind'), 0);
  assert.equal(await pusher.ask('RPUSH', 'q', 'x', 'y'), ':2\r\n');
  assert.equal(await first.reply(), '*2\r\n$1\r\nq\r\n$1\r\nx\r\n');
  assert.equal(await first.reply(), ':1\r\n');
  assert.equal(await second.reply(), '*2\r\n$1\r\nq\r\n$1\r\ny\r\n');
  assert.equal(await first.ask('BLPOP', 'none', '0.1'), '*-1\r\n');
});

test('a latch is granted when its lease ends, or when its holder has gone', async (t) => {
  const worker = await start(t);
  const [holder, waiting] = [await connect(t, worker), await connect(t, worker)];
  assert.match(await holder.ask('LATCH.ACQUIRE', 'l', 'one', 'TTL', '300'), /^:\d{16}/);
  assert.match(await waiting.ask('LATCH.ACQUIRE', 'l', 'two', 'TTL', '60000', 'WAIT', '20000'), /^:\d{16}/);
  holder.send(['LATCH.ACQUIRE', 'l', 'one', 'TTL', '60000', 'WAIT', '60000']);
  await sleep(100);
  const third = await connect(t, worker);
  third.send(['LATCH.ACQUIRE', 'l', 'three', 'TTL', '60000', 'WAIT', '60000']);
  await sleep(100);
  holder.socket.terminate();
  await sleep(200);
  assert.equal(await waiting.ask('LATCH.RELEASE', 'l', 'two'), ':1\r\n');
  assert.match(await third.reply(), /^:\d{16}/);
});

test('subscriptions and tracking', async (t) => {
  const worker = await start(t);
  const peer = await connect(t, worker);
  await peer.ask('HELLO', '3');
  assert.match(await peer.ask('SUBSCRIBE', 'news'), /^>3\r\n\$9\r\nsubscribe/);
  assert.equal(await peer.ask('CLIENT', 'TRACKING', 'ON'), '+OK\r\n');
  assert.equal(await peer.ask('GET', 'k'), '_\r\n');
  assert.equal(await worker.call('PUBLISH', 'news', 'hello'), 1);
  assert.equal(await peer.reply(), '>3\r\n$7\r\nmessage\r\n$4\r\nnews\r\n$5\r\nhello\r\n');
  await worker.call('SET', 'k', 'v');
  assert.equal(await peer.reply(), '>2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\nk\r\n');
  peer.socket.close();
  await until(async () => (await worker.call('PUBLISH', 'news', 'x')) === 0);
});

test('bytes that are no requests are answered, and end the connection', async (t) => {
  const worker = await start(t);
  for (const bytes of [
    '*1\r\n!bad\r\n',
    '*2\r\n$x\r\n',
    '*99999999999\r\n',
    'SET "k\r\n',
    '*1\r\n$-5\r\n',
    '"\xff"\r\n',
  ]) {
    const peer = await connect(t, worker);
    peer.write(Buffer.from(`*2\r\n$4\r\nINCR\r\n$1\r\nn\r\n${bytes}`, 'latin1'));
    assert.match(await peer.reply(), /^:\d+\r\n$/);
    assert.match(await peer.reply(), /^-ERR Protocol error/, bytes);
    assert.equal((await peer.closed()).code, 1002, bytes);
  }
  const peer = await connect(t, worker);
  peer.send(['PING'], ['QUIT'], ['INCR', 'n']);
  assert.equal(await peer.reply(), '+PONG\r\n');
  assert.equal(await peer.reply(), '+OK\r\n');
  assert.equal((await peer.closed()).code, 1000);
  assert.equal(await worker.call('GET', 'n'), '6');
});

test('too many bytes behind a request end the connection', async (t) => {
  const worker = await start(t);
  const peer = await connect(t, worker);
  const part = Buffer.alloc(1024 * 1024, 'x');
  peer.write(`*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$${16 * part.length}\r\n`);
  for (let sent = 0; sent < 10; sent += 1) peer.write(part);
  assert.equal((await peer.closed()).code, 1009);
  assert.equal(await worker.call('EXISTS', 'k'), 0);
});

test('large replies come whole; one that does not read is ended, and others are served', async (t) => {
  const worker = await start(t);
  const [reader, slow] = [await connect(t, worker), await connect(t, worker)];
  const value = 'v'.repeat(1_000_000);
  await reader.ask('SET', 'large', value);
  reader.send(...Array.from({ length: 20 }, () => ['GET', 'large']));
  for (let index = 0; index < 20; index += 1) assert.equal((await reader.reply()).length, value.length + 12);
  await slow.ask('SUBSCRIBE', 'news');
  slow.socket.pause();
  await until(async () => {
    assert.equal(await reader.ask('PING'), '+PONG\r\n');
    return (await reader.ask('PUBLISH', 'news', value)) === ':0\r\n';
  }, 60_000);
  slow.socket.resume();
  assert.equal((await slow.closed()).code, 1008);
});

test('where unsent bytes are not counted, those since the last message of a client are', async (t) => {
  const bindings = { KEYLATCH_TOKEN: TOKEN, UNCOUNTED: 'yes' };
  const worker = await start(t, { bundle: 'sleeping', bindings });
  const [asking, pinging] = [await connect(t, worker), await connect(t, worker)];
  const [slow, silent] = [await connect(t, worker), await connect(t, worker)];
  const value = 'v'.repeat(1_000_000);
  await asking.ask('SET', 'large', value);
  for (const peer of [pinging, slow, silent]) await peer.ask('SUBSCRIBE', 'news');
  slow.socket.pause();
  let reached = 0;
  for (let sent = 0; sent < 80; sent += 1) {
    // A reply is read, and another message shows it.
    assert.equal((await asking.ask('GET', 'large')).length, value.length + 12);
    pinging.text('ping');
    assert.equal(await pinging.nextText(), 'pong');
    reached = await worker.call('PUBLISH', 'news', value);
    assert.match(await pinging.reply(), /^\*3/);
    if (sent < 32) assert.equal(reached, 3, `${sent} megabytes are not too many`);
  }
  assert.equal(reached, 1, 'clients that sent nothing are gone, whether they read or not');
  slow.socket.resume();
  for (const peer of [slow, silent])
    assert.deepEqual(await peer.closed(), { code: 1008, reason: 'SLOW the client does not read its replies' });
  assert.equal(await pinging.ask('UNSUBSCRIBE').then((reply) => reply[0]), '*');
});
