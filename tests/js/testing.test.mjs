// Entry keylatch/testing: servers with time in hand and faults on demand, over TCP; comparisons that fail with a diff.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { dial, resp } from '../clients/support/raw.mjs';
import { until } from '../clients/support/server.mjs';
import { entry, folder } from './support/package.mjs';

const { Keylatch, ManualClock } = await entry('index');
const { assertSameKeys, assertSession, RedisMemoryServer, reset, startServer } = await entry('testing');

async function start(t, options) {
  const server = await startServer(options);
  t.after(() => server.stop());
  return server;
}

const command = (text) => resp(...text.split(' '));

/** A client with a method for command lines. */
async function client(t, server) {
  const raw = await dial(t, server.port);
  return Object.assign(raw, { say: (text, end) => raw.ask(command(text), end) });
}

test('startServer listens on a free port, and its uri connects', async (t) => {
  const [server, other] = [await start(t), await start(t)];
  assert.equal(server.uri, `redis://127.0.0.1:${server.port}`);
  assert.notEqual(server.port, other.port);
  const [one, two] = [await client(t, server), await client(t, other)];
  assert.equal(await one.say('SET k v'), '+OK\r\n');
  assert.equal(await two.say('GET k'), '$-1\r\n');
  assert.equal(server.db.get('k'), 'v');
  assert.equal(server.connections, 1);
});

test('stop ends connections and frees the port; so does the end of its scope', async (t) => {
  const server = await startServer({ requirepass: 'geh heim' });
  const { port } = server;
  assert.equal(server.uri, `redis://:geh%20heim@127.0.0.1:${port}`);
  assert.match(await (await client(t, server)).say('GET k'), /^-NOAUTH/);
  // Called by `await using`, which Node 20 does not parse.
  await server[Symbol.asyncDispose]();
  await assert.rejects(
    new Promise((resolve, reject) => connect(port, '127.0.0.1', resolve).on('error', reject)),
    /ECONNREFUSED/,
  );
  assert.equal((await start(t, { port })).port, port);
  await assert.rejects(startServer({ port }), /EADDRINUSE/);
});

test('a server that is not stopped keeps no process alive', () => {
  const script = `
    const { startServer } = await import(${JSON.stringify(`${folder}/esm/testing.js`)});
    for (let index = 0; index < 10; index += 1) await startServer();
    console.log('started');
  `;
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  assert.equal(printed, 'started\n');
});

test('the clock expires keys and times out blocked clients of any connection', async (t) => {
  const server = await start(t);
  const [blocked, other] = [await client(t, server), await client(t, server)];
  await other.say('SET k v EX 60');
  blocked.send(command('BLPOP queue 30'));
  await until(() => server.db.info('clients').includes('blocked_clients:1'));
  server.clock.advance(29_000);
  assert.equal(blocked.bytes, 0);
  server.clock.advance(1001);
  assert.equal(await blocked.receive('\r\n'), '*-1\r\n');
  assert.equal(await other.say('GET k', 'v\r\n'), '$1\r\nv\r\n');
  server.clock.advance(30_001);
  assert.equal(await other.say('EXISTS k'), ':0\r\n');
});

test('the clock stands still on request, runs again, and goes to the next expiry', async (t) => {
  const server = await start(t, { time: new Date('2026-06-01T12:00:00Z') });
  const raw = await client(t, server);
  assert.equal(await raw.say('TIME', '\r\n$1\r\n0\r\n'), '*2\r\n$10\r\n1780315200\r\n$1\r\n0\r\n');
  await raw.say('SET k v PX 5000');
  assert.equal(server.clock.advanceToNextExpiry(), Date.parse('2026-06-01T12:00:05.001Z'));
  assert.equal(await raw.say('EXISTS k'), ':0\r\n');
  assert.equal(server.clock.advanceToNextExpiry(), null);
  server.clock.resume();
  assert.equal(server.clock.isPaused, false);
  const before = server.clock.now();
  await until(() => server.clock.now() > before);
  assert.throws(() => server.clock.advance(NaN), /expected a Date or a number of milliseconds, found NaN/);
  server.reset();
  assert.equal(server.clock.now(), Date.parse('2026-06-01T12:00:00Z'), 'reset returns to the time of the start');
});

test('failNext: error replies for the requests that such a server refuses', async (t) => {
  const server = await start(t);
  const raw = await client(t, server);
  const fault = server.failNext('READONLY');
  assert.equal(await raw.say('GET k'), '$-1\r\n');
  assert.equal(await raw.say('SET k v'), "-READONLY You can't write against a read only replica.\r\n");
  assert.equal(fault.hits, 1);
  assert.equal(await raw.say('SET k v'), '+OK\r\n');
  server.failNext('OOM');
  assert.equal(await raw.say('DEL k'), ':1\r\n');
  assert.match(await raw.say('SET k v'), /^-OOM command not allowed/);
  server.failNext('LOADING', { times: 2 });
  assert.equal(await raw.say('CLIENT SETNAME worker'), '+OK\r\n', 'commands of connecting pass');
  assert.match(await raw.say('GET k'), /^-LOADING/);
  assert.match(await raw.say('PING'), /^-LOADING/);
  assert.equal(await raw.say('PING'), '+PONG\r\n');
  server.failNext('ERR not today', { command: ['client', 'auth'] });
  assert.equal(await raw.say('CLIENT ID'), '-ERR not today\r\n');
  server.failNext(new Error('CUSTOM text'), { when: ([, key]) => key === 'user:1' });
  assert.equal(await raw.say('GET user:2'), '$-1\r\n');
  assert.equal(await raw.say('GET user:1'), '-CUSTOM text\r\n');
});

test('failNext: cancelled faults and wrong arguments', async (t) => {
  const server = await start(t);
  const raw = await client(t, server);
  server.failNext('ERR never', { times: Infinity }).cancel();
  const fault = server.failNext('ERR inside', { times: Infinity });
  assert.equal(await raw.say('PING'), '-ERR inside\r\n');
  assert.equal(await raw.say('PING'), '-ERR inside\r\n');
  assert.equal(fault.hits, 2);
  fault[Symbol.dispose]();
  assert.equal(await raw.say('PING'), '+PONG\r\n');
  for (const wrong of ['OMM', 'nonsense', 'ERR a\r\nb', 7, undefined, new Error('no code')]) {
    assert.throws(() => server.failNext(wrong), { name: 'TypeError', message: /OOM, READONLY, LOADING/ });
  }
  assert.throws(
    () => server.failNext('OOM', { time: 2 }),
    /failNext: unknown option 'time'; its options are command, /,
  );
  assert.throws(() => server.latency(5, { times: 2 }), { name: 'TypeError' });
  assert.throws(() => server.failNext('OOM', { times: 0 }), { name: 'RangeError' });
  assert.throws(() => server.latency('5'), { name: 'RangeError' });
});

test('failNext in a transaction: EXEC fails, as with a real server', async (t) => {
  const server = await start(t);
  const raw = await client(t, server);
  await raw.say('MULTI');
  server.failNext('OOM');
  assert.match(await raw.say('SET k v'), /^-OOM/);
  assert.equal(await raw.say('SET k w'), '+QUEUED\r\n');
  assert.match(await raw.say('EXEC'), /^-EXECABORT/);
  await raw.say('MULTI');
  await raw.say('SET k w');
  server.failNext('LOADING', { command: 'EXEC' });
  assert.match(await raw.say('EXEC'), /^-EXECABORT Transaction discarded because of: LOADING/);
  assert.equal(await raw.say('EXISTS k'), ':0\r\n', 'the transaction is over');
});

test('failNext: a lost reply, and connections that end', async (t) => {
  const server = await start(t);
  const raw = await client(t, server);
  server.failNext('ERR lost', { command: 'INCR', afterwards: true });
  assert.equal(await raw.say('INCR n'), '-ERR lost\r\n');
  assert.equal(server.db.get('n'), '1');
  server.failNext('ERR late', { command: 'BLPOP', afterwards: true });
  raw.send(command('BLPOP queue 0'));
  await until(() => server.db.info('clients').includes('blocked_clients:1'));
  server.db.rpush('queue', 'a');
  assert.equal(await raw.receive('\r\n'), '-ERR late\r\n');
  server.failNext('DISCONNECT', { command: 'INCR' });
  raw.send(command('PING'), command('INCR n'), command('PING'));
  assert.equal(await raw.rest(), '+PONG\r\n');
  assert.equal(server.db.get('n'), '1');
  const again = await client(t, server);
  server.failNext('DISCONNECT', { command: 'INCR', afterwards: true });
  again.send(command('INCR n'));
  assert.equal(await again.rest(), '');
  assert.equal(server.db.get('n'), '2');
});

test('replies keep the order of the requests, wherever the stream is cut', async (t) => {
  const server = await start(t);
  const raw = await client(t, server);
  server.failNext('ERR even', { command: 'GET', times: Infinity, when: ([, key]) => Number(key) % 2 === 0 });
  const large = 'x'.repeat(200_000);
  const requests = Buffer.concat([
    ...[1, 2, 3, 4].map((key) => resp('GET', String(key))),
    Buffer.from('PING inline\r\n\r\n*0\r\n'),
    resp('SET', 'large', large),
    resp('STRLEN', 'large'),
    resp('GET', '6'),
  ]);
  const expected = '$-1\r\n-ERR even\r\n$-1\r\n-ERR even\r\n$6\r\ninline\r\n+OK\r\n:200000\r\n-ERR even\r\n';
  assert.equal(await raw.ask(requests, expected), expected);
  raw.socket.setNoDelay(true);
  for (const byte of requests.subarray(0, 200)) raw.send(Buffer.from([byte]));
  raw.send(requests.subarray(200));
  assert.equal(await raw.receive(expected), expected);
  raw.send(resp('BLPOP', 'queue', '0'), resp('GET', '2'), resp('PING'));
  await until(() => server.db.info('clients').includes('blocked_clients:1'));
  server.db.rpush('queue', 'a');
  assert.equal(await raw.receive('+PONG\r\n'), '*2\r\n$5\r\nqueue\r\n$1\r\na\r\n-ERR even\r\n+PONG\r\n');
  raw.send('*1\r\n$x\r\n');
  assert.match(await raw.rest(), /^-ERR Protocol error: invalid bulk length/);
});

test('latency delays requests of one connection, until it is cancelled', async (t) => {
  const server = await start(t);
  const [slow, other] = [await client(t, server), await client(t, server)];
  const latency = server.latency(60, { command: 'GET' });
  const before = performance.now();
  slow.send(command('SET k v'), command('GET k'), command('PING'));
  assert.equal(await slow.receive('+PONG\r\n'), '+OK\r\n$1\r\nv\r\n+PONG\r\n');
  assert.ok(performance.now() - before >= 59);
  latency.cancel();
  const hanging = server.latency(Infinity, { command: 'GET' });
  slow.send(command('GET k'), command('PING'));
  const blocked = [];
  await until(() => server.disconnect((found) => found.isBlocked && !blocked.push(found.id)) === 0 && blocked.length);
  assert.equal(await other.say('PING'), '+PONG\r\n', 'other connections do not wait');
  assert.equal(slow.bytes, 0);
  hanging.cancel();
  assert.equal(await slow.receive('+PONG\r\n'), '$1\r\nv\r\n+PONG\r\n');
});

test('disconnect ends the connections of a filter; down and up', async (t) => {
  const server = await start(t);
  const [worker, web] = [await client(t, server), await client(t, server)];
  await worker.say('CLIENT SETNAME worker');
  await web.say('SELECT 3');
  assert.equal(
    server.disconnect(({ name }) => name === 'worker'),
    1,
  );
  assert.equal(await worker.rest(), '');
  assert.equal(await web.say('PING'), '+PONG\r\n');
  assert.equal(
    server.disconnect(({ db, isListening, inTransaction }) => db === 3 && (isListening || inTransaction)),
    0,
  );
  server.down();
  await web.rest();
  const { port } = server;
  await assert.rejects(dial(t, port), { code: 'ECONNREFUSED' });
  server.up();
  assert.equal(server.port, port);
  assert.equal(await (await client(t, server)).say('PING'), '+PONG\r\n', 'without waiting for up()');
});

test('of down and up, the last call counts', async (t) => {
  const server = await start(t);
  server.down();
  const first = server.up();
  server.down();
  await first;
  await assert.rejects(dial(t, server.port), { code: 'ECONNREFUSED' });
  await server.up();
  assert.equal(await (await client(t, server)).say('PING'), '+PONG\r\n');
  server.down();
  server.reset();
  assert.equal(await (await client(t, server)).say('PING'), '+PONG\r\n');
});

test('up rejects when the port was taken', async (t) => {
  const server = await start(t);
  server.down();
  const other = await start(t, { port: server.port });
  await assert.rejects(server.up(), { code: 'EADDRINUSE' });
  assert.equal(server.isDown, true);
  await other.stop();
  await server.up();
  assert.equal(await (await client(t, server)).say('PING'), '+PONG\r\n');
});

test('more databases than there are is refused, however it is written', async (t) => {
  const reason = /^RangeError: databases must be from 1 to 16, found /;
  for (const options of [{ databases: 64 }, { config: { databases: 64 } }, { config: { DATABASES: '0x10' } }])
    await assert.rejects(async () => startServer(options), reason);
  const args = ['--databases', '64'];
  await assert.rejects(RedisMemoryServer.create({ instance: { args } }), reason);
  await assert.rejects(new RedisMemoryServer({ instance: { args } }).getPort(), reason);
  const raw = await client(t, await start(t, { config: { databases: 4 } }));
  assert.equal(await raw.say('SELECT 3'), '+OK\r\n');
  assert.equal(await raw.say('SELECT 4'), '-ERR DB index is out of range\r\n');
});

test('reset: no keys, settings, faults or moved time; clients stay', async (t) => {
  const server = await start(t, { maxmemory: '50mb' });
  const raw = await client(t, server);
  await raw.say('SET k v');
  await raw.say('SELECT 2');
  await raw.say('CONFIG SET maxmemory 100mb');
  server.failNext('ERR never', { times: Infinity });
  server.latency(Infinity);
  server.clock.advance(1e9);
  reset();
  assert.equal(await raw.say('CONFIG GET maxmemory', '52428800\r\n'), '*2\r\n$9\r\nmaxmemory\r\n$8\r\n52428800\r\n');
  assert.equal(server.db.dbsize(), 0);
  assert.ok(Math.abs(server.clock.now() - Date.now()) < 1000);
  assert.match(await raw.say('CLIENT INFO'), / db=2 /);
  server.down();
  server.reset();
  assert.equal(server.isDown, false);
});

test('RedisMemoryServer has the interface of redis-memory-server', async (t) => {
  const server = await RedisMemoryServer.create({ instance: { args: ['--requirepass', 'secret'] }, binary: {} });
  const raw = await dial(t, await server.getPort());
  assert.equal(await server.getHost(), '127.0.0.1');
  assert.equal(await raw.ask(command('AUTH secret')), '+OK\r\n');
  assert.equal(await server.stop(), true);
  await until(() => raw.closed);
  const lazy = new RedisMemoryServer({ autoStart: false });
  assert.equal(lazy.getInstanceInfo(), false);
  const { ip, port, server: started } = await lazy.ensureInstance();
  assert.deepEqual([await lazy.getIp(), await lazy.getPort()], [ip, port]);
  assert.equal(started.port, port);
  assert.equal(lazy.getInstanceInfo().port, port);
  assert.equal(await lazy.stop(), true);
});

test('assertSession fails with both texts for a diff', () => {
  assertSession('> SET a 1\nOK\n');
  assert.throws(() => assertSession('## Title\n> SET a 1\nOK\n> GET a\n"2"\n@ +5s\n> GET b\n(nil)\n'), {
    name: 'AssertionError',
    code: 'ERR_ASSERTION',
    message: /^the session does not hold\nline 4: > GET a\n/,
    expected: '## Title\n> SET a 1\nOK\n> GET a\n"2"\n@ +5s\n> GET b\n(nil)',
    actual: '## Title\n> SET a 1\nOK\n> GET a\n"1"\n@ +5s\n> GET b\n(nil)',
  });
});

test('assertSameKeys names the keys that differ', () => {
  const [a, b] = [new Keylatch({ clock: new ManualClock(0) }), new Keylatch({ clock: new ManualClock(0) })];
  for (const db of [a, b]) {
    db.set('text', 'v', { px: 5000 });
    db.rpush('list', '1', '2');
    db.sadd('set', 'x', 'y');
    db.zadd('scores', { ann: 1.5 });
    db.hset('hash', { f: 'v', g: 'w' });
    db.call('HPEXPIRE', 'hash', 1000, 'FIELDS', 1, 'f');
  }
  b.sadd('set', 'z');
  b.srem('set', 'z');
  assertSameKeys(a, b);
  assertSameKeys(a, b.snapshot());
  a.set('text', 'v', { px: 6000 });
  assertSameKeys(a, b, { deadlines: false });
  a.set('only a', '1');
  b.client({ db: 1 }).hset('only b', { n: 1 });
  a.zadd('scores', { ann: 2 });
  assert.throws(() => assertSameKeys(a, b), {
    name: 'AssertionError',
    message:
      'the keyspaces differ\n  db1 only b is missing\n  scores differs\n  text differs\n  only a was not expected',
    expected: {
      'db1 only b': { type: 'hash', value: { n: '1' } },
      scores: { type: 'zset', value: { ann: 1.5 } },
      text: { type: 'string', value: 'v', until: '1970-01-01T00:00:05.000Z' },
    },
    actual: {
      'only a': { type: 'string', value: '1' },
      scores: { type: 'zset', value: { ann: 2 } },
      text: { type: 'string', value: 'v', until: '1970-01-01T00:00:06.000Z' },
    },
  });
});

test('without Node and without ioredis, a sentence says what to do', async () => {
  const browser = await entry('testing-browser');
  assert.throws(
    () => browser.startServer(),
    /startServer: servers need the sockets of Node\.js.*@jest-environment node/,
  );
  assert.throws(() => new browser.RedisMemoryServer(), /RedisMemoryServer: servers need/);
  browser.reset();
  browser.assertSession('> PING\nPONG\n');
  const script = `
    const { Redis } = await import(${JSON.stringify(`${folder}/esm/ioredis.js`)});
    try { new Redis(); } catch (error) { console.log(error.message); }
  `;
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: tmpdir(),
    encoding: 'utf8',
  });
  assert.match(
    printed,
    /needs ioredis, which was not found: install it beside keylatch \(npm install --save-dev ioredis\)/,
  );
});
