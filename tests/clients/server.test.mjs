/** The server: options, addresses, limits, shutdown. */
import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../js/support/folders.mjs';
import { dial, resp } from './support/raw.mjs';
import { entry, freePort, program, run, serve, sleep, until } from './support/server.mjs';

const node = process.execPath;
const keylatch = (...words) => run(node, [program, ...words], { timeoutMs: 10_000 });

test('options are explained, and mistakes are named', async () => {
  const help = await keylatch('serve', '--help');
  assert.equal(help.code, 0);
  assert.match(help.output, /--requirepass/);
  for (const [words, problem] of [
    [['--port', 'x'], /--port expects a number/],
    [['--port', '70000'], /port must be from 0 to 65535, found 70000/],
    [['--nosuchthing', '1'], /nosuchthing: unknown parameter/],
    [['--maxmemory-samples', '0'], /maxmemory-samples: argument must be between/],
    [['--databases', '99'], /databases must be from 1 to 16/],
  ]) {
    const { code, errors } = await keylatch('serve', '--port', '0', ...words);
    assert.deepEqual([code, problem.test(errors)], [2, true], errors);
  }
  assert.match((await keylatch('serve', '6379')).errors, /unexpected argument "6379"; see keylatch serve --help/);
});

test('an address that others reach needs a password', async (t) => {
  const refused = await keylatch('serve', '--port', '0', '--bind', '0.0.0.0');
  assert.equal(refused.code, 1);
  assert.match(refused.errors, /refusing to listen on 0\.0\.0\.0 without a password/);
  const guarded = await serve(t, '--bind', '0.0.0.0', '--requirepass', 'secret');
  const outside = Object.values(networkInterfaces())
    .flat()
    .find(({ internal, family }) => !internal && family === 'IPv4');
  const local = await dial(t, guarded.port);
  assert.equal(await local.ask('AUTH secret\r\n'), '+OK\r\n');
  await local.ask('CONFIG SET requirepass ""\r\n');
  if (outside === undefined) return t.diagnostic('this machine has no address but loopback');
  const stranger = await dial(t, guarded.port, { host: outside.address });
  assert.match(await stranger.rest(), /^-DENIED .*\r\n$/);
  assert.equal(await local.ask('CONFIG SET protected-mode no\r\n'), '+OK\r\n');
  const welcome = await dial(t, guarded.port, { host: outside.address });
  assert.equal(await welcome.ask('PING\r\n'), '+PONG\r\n');
  await serve(t, '--bind', '0.0.0.0', '--protected-mode', 'no');
});

test('a password is asked for, and a wrong one refused', async (t) => {
  const { port } = await serve(t, '--requirepass', 'secret');
  const client = await dial(t, port);
  assert.equal(await client.ask('GET k\r\n'), '-NOAUTH Authentication required.\r\n');
  for (const words of ['AUTH wrong', 'AUTH default wrong', 'AUTH somebody secret', 'AUTH secre', 'AUTH secret2']) {
    assert.equal(
      await client.ask(`${words}\r\n`),
      '-WRONGPASS invalid username-password pair or user is disabled.\r\n',
    );
  }
  assert.match(await client.ask('HELLO 3\r\n'), /^-NOAUTH HELLO must be called/);
  assert.equal(await client.ask('AUTH secret\r\nGET k\r\n', '$-1\r\n'), '+OK\r\n$-1\r\n');
});

test('addresses show in CLIENT LIST, and CLIENT KILL closes', async (t) => {
  const { port, addresses } = await serve(t);
  assert.equal(addresses[0], `127.0.0.1:${port}`);
  const [first, second] = [await dial(t, port), await dial(t, port)];
  await second.ask('PING\r\n');
  const list = await first.ask('CLIENT LIST\r\n', '\n\r\n');
  const own = `addr=127.0.0.1:${first.socket.localPort} laddr=127.0.0.1:${port} `;
  assert.ok(list.includes(own) && list.includes(`addr=127.0.0.1:${second.socket.localPort} `), list);
  assert.equal(await first.ask(`CLIENT KILL ADDR 127.0.0.1:${second.socket.localPort}\r\n`), ':1\r\n');
  assert.equal(await second.rest(), '');
  assert.equal(await first.ask('CLIENT KILL TYPE normal SKIPME no\r\n'), ':1\r\n');
  assert.equal(await first.rest(), '');
});

test('a Unix socket serves too, and an abandoned one is taken over', async (t) => {
  const path = join(temporaryFolder(), 'kl.sock');
  const first = await serve(t, '--unixsocket', path);
  assert.deepEqual([first.port, first.addresses], [0, [path]]);
  const client = await dial(t, path);
  assert.match(await client.ask('CLIENT LIST\r\n', '\n\r\n'), new RegExp(`addr=${path}:0 laddr=${path}:0 `));
  const second = await keylatch('serve', '--port', '0', '--unixsocket', path);
  assert.deepEqual([second.code, /EADDRINUSE/.test(second.errors)], [1, true], second.errors);
  await first.stop('SIGKILL');
  const third = await serve(t, '--unixsocket', path);
  assert.equal(await (await dial(t, path)).ask('PING\r\n'), '+PONG\r\n');
  assert.equal(await third.stop(), 0);
});

test('a taken port is an error, and nothing is left listening', async (t) => {
  const { createServer } = await entry('server');
  const port = await freePort();
  const server = await createServer({ port, bind: '127.0.0.1' }).listen();
  t.after(() => server.close());
  const path = join(temporaryFolder(), 'kl.sock');
  await assert.rejects(createServer({ port, unixSocket: path }).listen(), { code: 'EADDRINUSE' });
  await assert.rejects(dial(t, path), { code: 'ENOENT' });
});

test('more clients than allowed are turned away', async (t) => {
  const { port } = await serve(t, '--maxclients', '2');
  const clients = [await dial(t, port), await dial(t, port)];
  for (const client of clients) await client.ask('PING\r\n');
  assert.equal(await (await dial(t, port)).rest(), '-ERR max number of clients reached\r\n');
  clients[1].destroy();
  await until(async () => /connected_clients:1\r/.test(await clients[0].ask('INFO clients\r\n', '\r\n\r\n')));
  assert.equal(await (await dial(t, port)).ask('PING\r\n'), '+PONG\r\n');
  await clients[0].ask('CONFIG SET maxclients 5\r\n');
  assert.equal(await (await dial(t, port)).ask('PING\r\n'), '+PONG\r\n');
});

test('parameters of redis.conf are taken from the command line', async (t) => {
  const { port } = await serve(t, '--databases', '4', '--maxmemory', '64mb', '--save', '900', '1', '--appendonly=no');
  const client = await dial(t, port);
  assert.equal(await client.ask('SELECT 3\r\n'), '+OK\r\n');
  assert.equal(await client.ask('SELECT 4\r\n'), '-ERR DB index is out of range\r\n');
  assert.equal(
    await client.ask('CONFIG GET maxmemory\r\n', '67108864\r\n'),
    '*2\r\n$9\r\nmaxmemory\r\n$8\r\n67108864\r\n',
  );
  assert.match(await client.ask('CONFIG GET port\r\n', `${port}\r\n`), /port/);
  assert.match(await client.ask('INFO server\r\n', '\r\n\r\n'), new RegExp(`tcp_port:${port}\r`));
});

test('silent clients are hung up on when asked for, but not those that wait for something', async (t) => {
  const { port } = await serve(t);
  const [active, idle, subscriber, blocked] = await Promise.all([1, 2, 3, 4].map(() => dial(t, port)));
  await idle.ask('PING\r\n');
  await subscriber.ask('SUBSCRIBE c\r\n', ':1\r\n');
  blocked.send('BLPOP q 0\r\n');
  await active.ask('CONFIG SET timeout 1\r\n');
  const busy = setInterval(() => active.send('PING\r\n'), 200);
  t.after(() => clearInterval(busy));
  await until(() => idle.ended, 'the end of the idle client');
  await sleep(1500);
  assert.ok(!active.ended && !subscriber.ended && !blocked.ended);
});

test('SIGTERM and SIGINT end it cleanly', async (t) => {
  for (const signal of ['SIGTERM', 'SIGINT']) {
    const server = await serve(t);
    const client = await dial(t, server.port);
    client.send(resp('SET', 'k', 'v'), resp('GET', 'k'));
    await client.receive('$1\r\nv\r\n');
    assert.equal(await server.stop(signal), 0);
    assert.equal(await client.rest(), '');
    await assert.rejects(dial(t, server.port), { code: 'ECONNREFUSED' });
  }
});

test('what is due happens in time, and an idle server sleeps', async (t) => {
  const server = await serve(t, '--notify-keyspace-events', 'KEA');
  const [client, subscriber] = [await dial(t, server.port), await dial(t, server.port)];
  await subscriber.ask('SUBSCRIBE __keyevent@0__:expired\r\n', ':1\r\n');
  const startedMs = performance.now();
  await client.ask('SET far v EX 10000\r\nSET soon v PX 100\r\n', '+OK\r\n+OK\r\n');
  await subscriber.receive('$4\r\nsoon\r\n');
  const tookMs = performance.now() - startedMs;
  assert.ok(tookMs > 98 && tookMs < 5000, `${tookMs} ms`);
  const blocked = await dial(t, server.port);
  assert.equal(await blocked.ask('BLPOP q 0.1\r\n'), '*-1\r\n');
  await sleep(300);
  const wakeUps = () => server.status('voluntary_ctxt_switches');
  const before = wakeUps();
  await sleep(1000);
  if (before !== undefined) assert.ok(wakeUps() - before < 10, `woke up ${wakeUps() - before} times`);
});

test('clients in the process and on sockets are clients of one engine', async (t) => {
  const { createServer, Server } = await entry('server');
  const { Keylatch } = await entry('index');
  const db = new Keylatch();
  await using(createServer({ port: 0, db, requirepass: 'secret' }), async (server) => {
    assert.ok(server instanceof Server && server.db === db);
    const client = await dial(t, server.port);
    await client.ask('AUTH secret\r\n');
    client.send('BLPOP q 0\r\n');
    await until(() => /blocked_clients:1/.test(String(db.call('INFO', 'clients'))));
    db.call('RPUSH', 'q', 'e');
    await client.receive('$1\r\ne\r\n');
    await client.ask('SUBSCRIBE c\r\n', ':1\r\n');
    assert.equal(db.call('PUBLISH', 'c', 'hello'), 1);
    await client.receive('$5\r\nhello\r\n');
    assert.equal(server.connections, 1);
  });
  assert.equal(db.call('PING'), 'PONG');
  db.close();
});

async function using(server, work) {
  await server.listen();
  try {
    await work(server);
  } finally {
    await server.close();
  }
}

test('a subscriber that does not read is disconnected, without effect on others', async (t) => {
  const server = await serve(t);
  const [deaf, other] = [await dial(t, server.port), await dial(t, server.port)];
  await other.ask('CONFIG SET client-output-buffer-limit "pubsub 4mb 1mb 5"\r\n');
  await deaf.ask('SUBSCRIBE c\r\n', ':1\r\n');
  deaf.socket.pause();
  const message = 'm'.repeat(100_000);
  for (let count = 0; ; count += 1) {
    assert.ok(count < 1000, 'it was never let go');
    if ((await other.ask(resp('PUBLISH', 'c', message))) === ':0\r\n') break;
  }
  deaf.socket.resume();
  await until(() => deaf.closed, 'the end of the deaf subscriber');
});

test('a closed engine disconnects its clients, and later clients are reported', async (t) => {
  const { createServer } = await entry('server');
  const errors = [];
  const server = createServer({ port: 0, onError: (error) => errors.push(error.name) });
  t.after(() => server.close());
  await server.listen();
  const client = await dial(t, server.port);
  await client.ask('PING\r\n');
  server.db.close();
  assert.equal(await client.rest(), '');
  assert.deepEqual(errors, []);
  assert.equal(await (await dial(t, server.port)).rest(), '');
  assert.deepEqual(errors, ['ClosedError']);
});

test('DEBUG is refused unless it is enabled, also in a transaction; the program itself may use it', async (t) => {
  const refusal = /^-ERR DEBUG command not allowed\. If the enable-debug-command option is set to "local", /;
  const first = async (server, ...argv) => (await dial(t, server.port)).ask(resp(...argv));
  const closed = await serve(t);
  assert.match(await first(closed, 'DEBUG', 'SET-ACTIVE-EXPIRE', '1'), refusal);
  assert.match(await first(closed, 'DEBUG', 'NOSUCH'), refusal);
  assert.match(await first(closed, 'CONFIG', 'GET', 'enable-debug-command'), /\r\nno\r\n$/);
  const client = await dial(t, closed.port);
  assert.equal(await client.ask(resp('MULTI')), '+OK\r\n');
  assert.match(await client.ask(resp('DEBUG', 'RELOAD')), refusal);
  assert.match(await client.ask(resp('EXEC')), /^-EXECABORT/);
  for (const value of ['local', 'yes'])
    assert.equal(await first(await serve(t, '--enable-debug-command', value), 'DEBUG', 'RELOAD'), '+OK\r\n');
  const { code, errors } = await keylatch('serve', '--port', '0', '--enable-debug-command', 'maybe');
  assert.deepEqual([code, /enable-debug-command/.test(errors)], [2, true], errors);
  const { createServer } = await entry('server');
  const server = await createServer({ port: 0 }).listen();
  t.after(() => server.close());
  assert.equal(server.db.call('DEBUG', 'RELOAD'), 'OK');
  assert.match(await first(server, 'DEBUG', 'RELOAD'), refusal);
});
