/**
 * Bad input: clients that break the protocol get Redis' error or a clean close, memory stays bounded, and other clients
 * are not affected. KEYLATCH_LONG=1 makes the rounds longer.
 */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { availableParallelism, loadavg } from 'node:os';
import { after, before, test } from 'node:test';
import { dial, resp } from './support/raw.mjs';
import { serve, sleep, until } from './support/server.mjs';

const LONG = process.env.KEYLATCH_LONG === '1';
const MB = 1024;
let server;
let other;
const cleanups = [];

before(async () => {
  server = await serve({ after: (work) => cleanups.push(work) }, '--requirepass', 'secret');
  other = await dial(undefined, server.port);
  await other.ask('AUTH secret\r\n');
});

after(async () => {
  other.destroy();
  for (const cleanup of cleanups) await cleanup();
  assert.equal(server.errors(), '');
});

/** Connects a client and authenticates it. */
async function friend(t) {
  const client = await dial(t, server.port);
  await client.ask('AUTH secret\r\n');
  return client;
}

/** Limit of a wait that should take less than `limitMs`: longer when more processes run than there are cores. */
const patienceMs = (limitMs) => limitMs * Math.max(1, loadavg()[0] / availableParallelism());

/** Checks that the other client is served immediately, by an engine in a consistent state. */
async function unharmed() {
  const startedMs = performance.now();
  assert.equal(await other.ask('PING\r\n'), '+PONG\r\n');
  const tookMs = performance.now() - startedMs;
  assert.ok(tookMs < patienceMs(5000), `the other client waited ${tookMs} ms`);
}

/** Waits until only the other client is connected. */
const alone = () =>
  until(
    async () => /connected_clients:1\r/.test(await other.ask('INFO clients\r\n', '\r\n\r\n')),
    'the end of all others',
  );

/** Resident memory of the server in megabytes. */
const heldMb = () => (server.status('VmRSS') ?? 0) / MB;

/** Seeded generator of bytes. */
function bytesFrom(seed) {
  let state = seed;
  return (length) =>
    Buffer.from(
      Array.from({ length }, () => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return state >>> 24;
      }),
    );
}

test('garbage is answered with an error or nothing, and closed or waited for', async (t) => {
  const random = bytesFrom(7);
  for (let round = 0; round < (LONG ? 2000 : 150); round += 1) {
    const client = await friend(t);
    // The first byte decides how the rest is read.
    client.send(
      Buffer.concat([Buffer.from(round % 2 ? '*' : ''), random(1 + ((round * 37) % 3000)), Buffer.from('\r\n')]),
    );
    client.socket.end();
    for (const line of (await client.rest()).split('\r\n').filter(Boolean)) assert.match(line, /^-ERR /);
    client.destroy();
  }
  await unharmed();
  await alone();
});

test('protocol errors are worded as Redis words them, then the connection ends', async (t) => {
  for (const [bytes, problem] of [
    ['*abc\r\n', 'invalid multibulk length'],
    ['*2147483648\r\n', 'invalid multibulk length'],
    ['*1\r\n+x\r\n', "expected '$', got '+'"],
    ['*1\r\n$-5\r\n', 'invalid bulk length'],
    ['*1\r\n$536870913\r\n', 'invalid bulk length'],
    ['SET k "unbalanced\r\n', 'unbalanced quotes in request'],
    ['x'.repeat(70_000), 'too big inline request'],
    [`*${'1'.repeat(70_000)}`, 'too big mbulk count string'],
    [`*1\r\n$${'1'.repeat(70_000)}`, 'too big bulk count string'],
  ]) {
    const client = await friend(t);
    client.send(`PING\r\n${bytes}`);
    assert.equal(await client.rest(), `+PONG\r\n-ERR Protocol error: ${problem}\r\n`);
  }
  const stranger = await dial(t, server.port);
  assert.equal(await stranger.send('*11\r\n').rest(), '-ERR Protocol error: unauthenticated multibulk length\r\n');
  const another = await dial(t, server.port);
  assert.equal(
    await another.send('*2\r\n$4\r\nAUTH\r\n$20000\r\n').rest(),
    '-ERR Protocol error: unauthenticated bulk length\r\n',
  );
  await unharmed();
});

test('counts and lengths that are announced and never sent take no memory', async (t) => {
  const before = heldMb();
  const clients = [];
  for (let count = 0; count < 100; count += 1) {
    const client = await friend(t);
    client.send(count % 2 ? '*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$536870912\r\nabc' : '*2147483647\r\n$3\r\nDEL\r\n');
    clients.push(client);
  }
  await unharmed();
  assert.ok(heldMb() - before < 100, `${before} MB grew to ${heldMb()} MB`);
  clients.forEach((client) => client.destroy());
  await alone();
});

test('half a request and then the end leaves nothing behind', async (t) => {
  const whole = resp('SET', 'half', 'x'.repeat(100));
  for (let cut = 1; cut < whole.length; cut += LONG ? 1 : 7) {
    const client = await friend(t);
    client.send(whole.subarray(0, cut));
    client.socket.end();
    assert.equal(await client.rest(), '');
  }
  assert.equal(await other.ask('EXISTS half\r\n'), ':0\r\n');
  await alone();
});

test('10,000 connections opened and dropped in waves', { timeout: 300_000 }, async () => {
  const total = LONG ? 50_000 : 10_000;
  const wave = 500;
  let firstMb;
  for (let opened = 0; opened < total; opened += wave) {
    const clients = await Promise.all(Array.from({ length: wave }, () => dial(undefined, server.port)));
    for (const [index, client] of clients.entries()) {
      if (index % 3 === 0) client.send('AUTH secret\r\nSUBSCRIBE c\r\nPING\r\n');
      if (index % 3 === 1) client.send('AUTH secret\r\nWATCH k\r\nMULTI\r\nSET k v\r\nBLPOP q 0\r\n');
    }
    await unharmed();
    // Some connections are closed, some are reset.
    clients.forEach((client, index) => (index % 2 ? client.destroy() : client.socket.resetAndDestroy()));
    await alone();
    if (opened === wave) firstMb = heldMb();
  }
  assert.equal(await other.ask('PUBLISH c m\r\n'), ':0\r\n');
  assert.ok(heldMb() < firstMb + 100, `${firstMb} MB grew to ${heldMb()} MB`);
});

test('a client that sends and never reads is read no further', { timeout: 120_000 }, async (t) => {
  const deaf = await friend(t);
  await other.ask(resp('SET', 'big', 'v'.repeat(1_000_000)));
  deaf.socket.pause();
  const before = heldMb();
  const pipeline = Buffer.from('GET big\r\n'.repeat(4_000_000));
  let taken = false;
  deaf.socket.write(pipeline, () => {
    taken = true;
  });
  for (let round = 0; round < 20; round += 1) {
    await sleep(50);
    await unharmed();
  }
  assert.ok(heldMb() - before < 100, `${before} MB grew to ${heldMb()} MB`);
  assert.equal(taken, false, 'the server took in requests worth terabytes of replies');
  // The client can be ended all the same, by others and by itself.
  assert.equal(await other.ask('CLIENT KILL TYPE normal\r\n'), ':1\r\n');
  await alone();
  const second = await friend(t);
  second.socket.pause();
  second.send(pipeline);
  await sleep(200);
  second.destroy();
  await alone();
});

test('a client that waits takes in only so much behind that', async (t) => {
  const client = await friend(t);
  const before = heldMb();
  client.send('BLPOP nothing 0\r\n');
  let taken = false;
  client.socket.write(Buffer.alloc(64 * 1024 * MB, 'PING\r\n'), () => {
    taken = true;
  });
  await sleep(500);
  await unharmed();
  assert.ok(!taken && heldMb() - before < 50, `${before} MB grew to ${heldMb()} MB`);
  await other.ask('RPUSH nothing e\r\n');
  await until(() => client.bytes > 10_000_000, 'the replies behind the wait');
  client.destroy();
  await alone();
});

test('pipelines of a million commands are answered in order', { timeout: 120_000 }, async (t) => {
  const client = await friend(t);
  const count = 1_000_000;
  await other.ask('DEL n\r\n');
  const before = heldMb();
  client.send(Buffer.from('INCR n\r\n'.repeat(count)));
  let expected = 1;
  let rest = '';
  client.socket.removeAllListeners('data');
  client.socket.on('data', (chunk) => {
    const lines = (rest + chunk.toString('latin1')).split('\r\n');
    rest = lines.pop();
    for (const line of lines) {
      if (line !== `:${expected}`) assert.fail(`:${expected} was ${line}`);
      expected += 1;
    }
  });
  let served = 0;
  let mostMb = 0;
  for (; expected <= count; served += 1) {
    assert.equal(await other.ask('PING\r\n'), '+PONG\r\n');
    mostMb = Math.max(mostMb, heldMb() - before);
    await sleep(20);
  }
  t.diagnostic(`${served} commands of another client between them, the server grew by ${mostMb.toFixed(0)} MB`);
  assert.ok(served > 5 && mostMb < 100, `${served} commands, ${mostMb} MB`);
});

test('keys of a megabyte are keys like any other', async (t) => {
  const client = await friend(t);
  const key = Buffer.alloc(1_000_000, 'k');
  assert.equal(
    await client.ask(Buffer.concat([resp('SET', key, 'v'), resp('GET', key)]), '$1\r\nv\r\n'),
    '+OK\r\n$1\r\nv\r\n',
  );
  const page = await client.ask(resp('SCAN', '0', 'MATCH', 'kkkk*', 'COUNT', '1000'), 'k\r\n');
  assert.ok(page.includes('$1000000\r\n'));
  assert.equal(await client.ask(resp('DEL', key)), ':1\r\n');
  const before = heldMb();
  for (let round = 0; round < 50; round += 1)
    await client.ask(Buffer.concat([resp('SET', key, key), resp('DEL', key)]), ':1\r\n');
  assert.ok(heldMb() - before < 50, `${before} MB grew to ${heldMb()} MB`);
});

test('deep nesting and endless lists of arguments are refused or run, never fatal', async (t) => {
  const client = await friend(t);
  assert.match(
    await client.ask(resp(...Array.from({ length: 50_000 }, () => 'x')), '\r\n'),
    /^-ERR unknown command 'x'/,
  );
  const pairs = Array.from({ length: 100_000 }, (_, index) => `m${index >> 1}`);
  assert.equal(await client.ask(resp('MSET', ...pairs)), '+OK\r\n');
  assert.equal(await client.ask(resp('DEL', ...pairs)), ':50000\r\n');
  client.send('MULTI\r\n');
  await client.receive('+OK\r\n');
  for (let round = 0; round < 100; round += 1) client.send('INCR deep\r\n'.repeat(1000));
  client.send('DISCARD\r\n');
  await until(() => client.text.endsWith('+OK\r\n'), 'the end of the transaction', 60_000);
  await unharmed();
});

test('a browser that was made to talk to the port is hung up on', async (t) => {
  const post = request({ port: server.port, host: '127.0.0.1', method: 'POST', path: '/' });
  t.after(() => post.destroy());
  const failed = new Promise((resolve) => post.on('error', resolve));
  post.end('SET stolen 1\r\nFLUSHALL\r\n');
  assert.match((await failed).code ?? (await failed).message, /HPE|ECONNRESET|socket hang up/);
  const get = await dial(t, server.port);
  get.send('GET / HTTP/1.1\r\nHost: localhost\r\nUser-Agent: x\r\n\r\nSET stolen 1\r\n');
  assert.match(await get.rest(), /^-/);
  assert.equal(await other.ask('EXISTS stolen\r\n'), ':0\r\n');
  await alone();
});

test('thousands of wrong passwords change nothing', async (t) => {
  const client = await dial(t, server.port);
  const attempts = 5000;
  client.send(Buffer.from('AUTH nonsense\r\n'.repeat(attempts)));
  const line = '-WRONGPASS invalid username-password pair or user is disabled.\r\n';
  await until(() => client.bytes >= line.length * attempts, 'all refusals');
  assert.equal(client.text, line.repeat(attempts));
  client.clear();
  assert.equal(await client.ask('AUTH secret\r\n'), '+OK\r\n');
});
