/** Scripts that run for long: other clients are served and may end them, with the replies of a real redis-server. */
import assert from 'node:assert/strict';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../js/support/folders.mjs';
import { dial, resp } from './support/raw.mjs';
import { serveRedis } from './support/redis.mjs';
import { folder, serveBuild, sleep } from './support/server.mjs';

const scripting = resolve(folder, '../keylatch-scripting');
const { createServer } = await import(join(scripting, 'esm', 'server.js'));

const BUSY_MS = 100;
const THRESHOLD = ['--busy-reply-threshold', String(BUSY_MS)];
const ENDLESS = resp('EVAL', 'while true do end', '0');
const BUSY = '-BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.\r\n';
const KILLED = /^-ERR Script killed by user with SCRIPT KILL\.\.\. script: [0-9a-f]{40}, on @user_script:1\.\r\n$/;
const LIBRARY = `#!lua name=lib
redis.register_function('spin', function() while true do end end)`;

const servers = {
  'redis-server': (t) => serveRedis(t, ...THRESHOLD),
  keylatch: (t) => serveBuild(t, scripting, ...THRESHOLD),
};

/** Lets a script run until others are refused. */
const becomeBusy = () => sleep(2 * BUSY_MS);

for (const [name, start] of Object.entries(servers)) {
  test(`${name}: most commands are refused while a script runs, a few are not`, async (t) => {
    const { port } = await start(t);
    const [own, other, queueing] = [await dial(t, port), await dial(t, port), await dial(t, port)];
    await queueing.ask('MULTI\r\n');
    own.send(ENDLESS);
    await becomeBusy();
    assert.equal(await other.ask('GET k\r\n'), BUSY);
    assert.equal(await other.ask('PING\r\n'), BUSY);
    assert.equal(await other.ask('FUNCTION STATS\r\n'), BUSY);
    assert.equal(await other.ask('FUNCTION KILL\r\n'), BUSY);
    assert.equal(await other.ask('WATCH k\r\n'), '+OK\r\n');
    assert.equal(await other.ask('UNWATCH\r\n'), '+OK\r\n');
    assert.equal(await other.ask('MULTI\r\n'), '+OK\r\n');
    assert.equal(await other.ask('DISCARD\r\n'), '+OK\r\n');
    assert.equal(await other.ask('RESET\r\n'), '+RESET\r\n');
    assert.match(await other.ask('HELLO 2\r\n'), /^\*14\r\n/);
    assert.equal(await other.ask('GET\r\n'), "-ERR wrong number of arguments for 'get' command\r\n");
    assert.equal(await queueing.ask('SET k v\r\n'), BUSY);
    assert.match(await queueing.ask('EXEC\r\n'), /^-EXECABORT Transaction discarded because of: BUSY /);
    assert.equal(await other.ask('SCRIPT KILL\r\n'), '+OK\r\n');
    assert.match(await own.receive('\r\n'), KILLED);
    assert.equal(await other.ask('SCRIPT KILL\r\n'), '-NOTBUSY No scripts in execution right now.\r\n');
    assert.equal(await other.ask('GET k\r\n'), '$-1\r\n');
    assert.equal(await own.ask(resp('EVAL', 'return 1', '0')), ':1\r\n');
  });

  test(`${name}: requests wait until the script counts as slow`, async (t) => {
    const { port } = await start(t);
    const [own, other] = [await dial(t, port), await dial(t, port)];
    own.send(resp('EVAL', 'for i = 1, 2e5 do end return 1', '0'));
    assert.equal(await other.ask('PING\r\n'), '+PONG\r\n');
    assert.equal(await own.receive('\r\n'), ':1\r\n');
  });

  test(`${name}: a function is shown and killed by its own commands`, async (t) => {
    const { port } = await start(t);
    const [own, other] = [await dial(t, port), await dial(t, port)];
    assert.equal(await own.ask(resp('FUNCTION', 'LOAD', LIBRARY), 'lib\r\n'), '$3\r\nlib\r\n');
    own.send(resp('FCALL', 'spin', '0', 'x'));
    await becomeBusy();
    assert.equal(await other.ask('PING\r\n'), BUSY.replace('SCRIPT KILL', 'FUNCTION KILL'));
    assert.equal(await other.ask('SCRIPT KILL\r\n'), BUSY.replace('SCRIPT KILL', 'FUNCTION KILL'));
    const stats = await other.ask('FUNCTION STATS\r\n', ':1\r\n');
    const shown =
      /^\*4\r\n\$14\r\nrunning_script\r\n\*6\r\n\$4\r\nname\r\n\$4\r\nspin\r\n\$7\r\ncommand\r\n\*4\r\n(?<command>.*)\$11\r\nduration_ms\r\n:(?<ms>\d+)\r\n\$7\r\nengines\r\n/s;
    const { command, ms } = shown.exec(stats).groups;
    assert.equal(command, '$5\r\nFCALL\r\n$4\r\nspin\r\n$1\r\n0\r\n$1\r\nx\r\n');
    assert.ok(Number(ms) >= BUSY_MS && Number(ms) < 10_000, ms);
    assert.equal(await other.ask('FUNCTION KILL\r\n'), '+OK\r\n');
    assert.equal(
      await own.receive('\r\n'),
      '-ERR Script killed by user with SCRIPT KILL... script: spin, on @user_function:2.\r\n',
    );
  });

  test(`${name}: a script in a transaction is killed, and the transaction goes on`, async (t) => {
    const { port } = await start(t);
    const [own, other] = [await dial(t, port), await dial(t, port)];
    own.send('MULTI\r\nSET q 1\r\n', ENDLESS, 'INCR q\r\nEXEC\r\n');
    await becomeBusy();
    assert.equal(await other.ask('GET q\r\n'), BUSY);
    assert.equal(await other.ask('SCRIPT KILL\r\n'), '+OK\r\n');
    const replies = await own.receive(':2\r\n');
    assert.match(replies, /^\+OK\r\n(\+QUEUED\r\n){3}\*3\r\n\+OK\r\n-ERR Script killed by user .*\r\n:2\r\n$/);
  });

  test(`${name}: loops in protected calls and coroutines are killed, too`, async (t) => {
    const { port } = await start(t);
    const [own, other] = [await dial(t, port), await dial(t, port)];
    for (const script of [
      // Redis' own `pcall` catches it.
      ...(name === 'keylatch' ? ['pcall(function() while true do end end)'] : []),
      'local f = coroutine.wrap(function() while true do end end) f()',
      'local t = setmetatable({}, { __index = function() while true do end end }) return t.x',
    ]) {
      own.send(resp('EVAL', script, '0'));
      await becomeBusy();
      assert.equal(await other.ask('SCRIPT KILL\r\n'), '+OK\r\n', script);
      assert.match(await own.receive('\r\n'), KILLED, script);
    }
  });
}

test('a script that waited for the end of a pause is suspended, too', async (t) => {
  const { port } = await serveBuild(t, scripting, ...THRESHOLD);
  const [own, other] = [await dial(t, port), await dial(t, port)];
  for (const [pause, unpause] of [
    ['CLIENT PAUSE 50', undefined],
    ['CLIENT PAUSE 100000 WRITE', 'CLIENT UNPAUSE'],
  ])
    for (const request of [ENDLESS, 'EXEC\r\n']) {
      if (request !== ENDLESS) {
        assert.equal(await own.ask('MULTI\r\n'), '+OK\r\n');
        assert.equal(await own.ask(ENDLESS), '+QUEUED\r\n');
      }
      assert.equal(await other.ask(`${pause}\r\n`), '+OK\r\n');
      own.send(request);
      if (unpause !== undefined) assert.equal(await other.ask(`${unpause}\r\n`), '+OK\r\n');
      else await sleep(1000);
      await becomeBusy();
      assert.equal(await other.ask('GET k\r\n'), BUSY);
      assert.equal(await other.ask('SCRIPT KILL\r\n'), '+OK\r\n');
      assert.match(await own.receive(' on @user_script:1.\r\n'), /^(\*1\r\n)?-ERR Script killed by user/);
    }
  assert.equal(await own.ask('PING\r\n'), '+PONG\r\n');
});

test('a script that has written is not killed, and its effects are one', async (t) => {
  const { port } = await serveBuild(t, scripting, ...THRESHOLD);
  const [own, other, listener] = [await dial(t, port), await dial(t, port), await dial(t, port)];
  await other.ask('CONFIG SET notify-keyspace-events KEA\r\n');
  await listener.ask('SUBSCRIBE __keyspace@0__:w\r\n', ':1\r\n');
  own.send(resp('EVAL', "redis.call('SET', 'w', 1) for i = 1, 1e7 do end return redis.call('INCR', 'w')", '0'));
  await becomeBusy();
  assert.match(await other.ask('SCRIPT KILL\r\n'), /^-UNKILLABLE Sorry the script already executed write commands/);
  assert.equal(listener.text, '');
  assert.equal(await own.receive('\r\n'), ':2\r\n');
  assert.match(await listener.receive('incrby\r\n'), /\r\nset\r\n.*\r\nincrby\r\n$/s);
  assert.equal(await other.ask('GET w\r\n', '2\r\n'), '$1\r\n2\r\n');
});

test('a script goes on without its client', async (t) => {
  const { port } = await serveBuild(t, scripting, ...THRESHOLD);
  const [own, other] = [await dial(t, port), await dial(t, port)];
  own.send(resp('EVAL', "for i = 1, 1e7 do end redis.call('SET', 'k', 'done')", '0'));
  await sleep(20);
  own.destroy();
  await becomeBusy();
  assert.equal(await other.ask('PING\r\n'), BUSY);
  for (let reply = BUSY; reply === BUSY; await sleep(20)) reply = await other.ask('PING\r\n');
  assert.equal(await other.ask('GET k\r\n', 'done\r\n'), '$4\r\ndone\r\n');
  assert.equal((await other.ask('CLIENT LIST\r\n', '\n\r\n')).match(/ laddr=/g).length, 1);
});

test('scripts of a packet let others through', async (t) => {
  const { port } = await serveBuild(t, scripting);
  const [own, other] = [await dial(t, port), await dial(t, port)];
  own.send(resp('EVAL', 'for i = 1, 3e5 do end return 1', '0').toString().repeat(50));
  let count = 0;
  for (; own.text.length < 50 * 4; count += 1) assert.equal(await other.ask('PING\r\n'), '+PONG\r\n');
  assert.ok(count > 5, `${count} commands of the other client between the scripts`);
});

test('SIGTERM ends a script that has not written, and lets another one end', async (t) => {
  const dir = temporaryFolder();
  for (const [script, reply] of [
    ['while true do end', KILLED],
    ["redis.call('SET', 'k', 'v') for i = 1, 5e6 do end return redis.call('APPEND', 'k', 'w')", /^:2\r\n$/],
  ]) {
    const server = await serveBuild(t, scripting, ...THRESHOLD, '--dir', dir);
    const own = await dial(t, server.port);
    own.send(resp('EVAL', script, '0'));
    await sleep(BUSY_MS);
    const startedMs = Date.now();
    assert.equal(await server.stop(), 0);
    assert.ok(Date.now() - startedMs < 30_000);
    assert.match(await own.rest(), reply);
  }
  const restarted = await serveBuild(t, scripting, ...THRESHOLD, '--dir', dir);
  const client = await dial(t, restarted.port);
  assert.equal(await client.ask('GET k\r\n', 'vw\r\n'), '$2\r\nvw\r\n');
});

test('a log that is replaced while a script is suspended has its effects once', async (t) => {
  const dir = temporaryFolder();
  const started = async () => createServer({ port: 0, bind: '127.0.0.1', dir }).listen();
  const server = await started();
  const own = await dial(t, server.port);
  for (const replace of [
    () => server.db.rewrite(),
    () => server.db.flush(),
    () => server.db.saves.request('snapshot'),
  ]) {
    own.send(resp('EVAL', "redis.call('INCR', 'n') for i = 1, 5e6 do end return redis.call('INCR', 'n')", '0'));
    await sleep(30);
    assert.equal(own.text, '');
    await replace();
    await own.receive('\r\n');
  }
  await server.close();
  const restarted = await started();
  t.after(() => restarted.close());
  assert.equal(restarted.db.get('n'), '6');
});

test('a call of the program lets the script end first', async (t) => {
  const server = createServer({ port: 0, bind: '127.0.0.1' });
  await server.listen();
  t.after(() => server.close());
  const { db } = server;
  const own = await dial(t, server.port);
  const write = resp('EVAL', "redis.call('INCR', 'n') for i = 1, 5e6 do end return redis.call('INCR', 'n')", '0');
  const numberIn = (snapshot) => {
    const copy = db.fork();
    copy.load(snapshot);
    return copy.get('n');
  };
  let expected = 0;
  for (const call of [
    () => db.get('n'),
    () => db.eval("return redis.call('GET', 'n')"),
    () => numberIn(db.snapshot()),
    () => db.fork().get('n'),
  ]) {
    own.send(write);
    // The script has begun, and takes longer than this.
    await sleep(30);
    assert.equal(own.text, '');
    expected += 2;
    assert.equal(call(), String(expected), String(call));
    assert.equal(await own.receive('\r\n'), `:${expected}\r\n`);
  }
});
