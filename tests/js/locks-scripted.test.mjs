// keylatch/locks by their script: leases, the line and messages, over an engine with Lua and time in hand.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobs } from './support/hand-time.mjs';
import { errorOf, errors } from './support/locks.mjs';
import { scriptKeys, setUpScripts } from './support/script-server.mjs';

const { Aborted, Lost, NotSupported, Stolen, TimedOut } = errors;

/** How long a place in line lasts without a look. */
const LIVENESS_MS = 10_000;

test('an uncontended lock: two scripts, by their hash after the first', async () => {
  const { clock, db, open } = setUpScripts();
  const { client, locks } = open();
  const first = await locks.acquire('door', { ttl: 3000 });
  assert.deepEqual(
    client.log.splice(0).map(([name]) => name),
    ['LATCH.INSPECT', 'EVAL', 'EVALSHA', 'EVAL'],
  );
  assert.equal(first.token, clock.now() * 1000);
  assert.equal(await first.release(), true);
  const second = await locks.acquire('door', { ttl: 3000 });
  assert.equal(second.token, first.token + 1, 'greater within the same microsecond');
  assert.equal(await second.check(), true);
  assert.deepEqual(client.operations(), ['release', 'acquire', 'check']);
  assert.deepEqual(db.keys('*'), ['{lock:door}:state']);
  assert.equal(db.pttl('{lock:door}:state'), 3_600_000 + 3000, 'an hour longer than the lease');
  db.flushall();
  assert.equal(await second.check(), false);
  assert.ok((await locks.acquire('door')).token >= clock.now() * 1000);
});

test('what is held is not given; a lease that is not renewed ends', async () => {
  const { time, open } = setUpScripts();
  const { locks } = open();
  const first = await locks.acquire('door', { ttl: 3000, renew: false });
  assert.equal(await locks.acquire('door', { ifAvailable: true }), null);
  await time.advance(3001);
  assert.equal(first.held, false);
  const second = await open().locks.acquire('door', { ttl: 3000 });
  assert.ok(second.token > first.token);
  await time.advance(20_000);
  assert.equal(second.held, true, 'renewed');
});

test('the line: in order of arrival, three scripts a section, told by messages', async () => {
  const { time, open } = setUpScripts();
  const { locks } = open();
  const first = await locks.acquire('door');
  const order = [];
  const clients = [];
  const waits = [];
  for (const number of [1, 2, 3]) {
    const waiter = open();
    clients.push(waiter.client);
    await waiter.locks.query('door');
    waiter.client.log.length = 0;
    waits.push(waiter.locks.request('door', () => order.push(number)));
    await jobs();
  }
  const { held, pending } = await locks.query('door');
  assert.deepEqual(
    held.map(({ clientId }) => clientId),
    [first.owner],
  );
  assert.equal(pending.length, 3);
  await time.advance(1);
  for (const client of clients) assert.deepEqual(client.operations(), ['acquire', 'acquire'], 'entered and subscribed');
  assert.equal(await locks.acquire('door', { ifAvailable: true }), null);
  await first.release();
  await Promise.all(waits);
  assert.deepEqual(order, [1, 2, 3], 'without any time');
  // The head knows when to look: nothing is sent but claim and release.
  for (const client of clients) assert.deepEqual(client.operations(), ['acquire', 'release']);
});

test('a newcomer does not overtake a grant that was not claimed yet', async () => {
  const { time, open, run } = setUpScripts();
  const { locks } = open();
  assert.equal(run('lock:door', 'acquire', 'ann', 'x', 500, 0, '-', 0, 0, 1, 1)[0], 1);
  assert.equal(run('lock:door', 'acquire', 'bob', 'x', 60_000, LIVENESS_MS, '-', 0, 0, 1, 1)[0], 0);
  assert.equal(run('lock:door', 'release', 'ann', 0)[0], 1);
  assert.equal(await locks.acquire('door', { ifAvailable: true }), null);
  await time.advance(LIVENESS_MS);
  assert.equal(await locks.acquire('door', { ifAvailable: true }), null);
  await time.advance(1);
  const lock = await locks.acquire('door', { ifAvailable: true });
  assert.ok(lock?.held, 'the grant ended with the place in line, not after the ttl');
  assert.equal(run('lock:door', 'renew', 'bob', 60_000, 0)[0], 0);
});

test('a lost message costs a third of the liveness', async () => {
  const { time, open } = setUpScripts();
  const holder = await open().locks.acquire('door');
  const { client, locks } = open();
  const waiting = locks.acquire('door');
  await time.advance(1000);
  client.isDeaf = true;
  await holder.release();
  const { length } = client.log;
  await time.advance(Math.ceil(LIVENESS_MS / 3) - 1000);
  assert.equal(client.log.length, length + 1);
  assert.equal((await waiting).held, true);
});

test('after the connection of messages was lost, everyone looks', async () => {
  const { time, open } = setUpScripts();
  const holder = await open().locks.acquire('door');
  const { client, locks } = open();
  const waiting = locks.acquire('door');
  await time.advance(1000);
  client.isDeaf = true;
  await holder.release();
  await jobs();
  client.isDeaf = false;
  client.subscriber.emit('close');
  await time.advance(16);
  assert.equal((await waiting).held, true);
});

test('a connection for messages that fails is opened again by the next look', async () => {
  const { time, open } = setUpScripts();
  const holder = await open().locks.acquire('door');
  const { client, locks } = open();
  const { duplicate } = client;
  client.duplicate = () => {
    client.duplicate = duplicate;
    return Object.assign(duplicate.call(client), { subscribe: () => Promise.reject(new Error('connection lost')) });
  };
  const waiting = locks.acquire('door');
  await time.advance(Math.ceil(LIVENESS_MS / 3));
  await holder.release();
  await jobs();
  assert.equal(await Promise.race([waiting, undefined]).then((lock) => lock?.held), true, 'told by a message');
});

test('without messages, waiting clients ask again, the sooner the nearer to the head', async () => {
  const { time, open } = setUpScripts();
  const holder = await open().locks.acquire('door');
  const waiters = [1, 2, 3].map(() => open({}, false));
  const tokens = [];
  for (const { locks } of waiters) {
    void locks.request('door', ({ token }) => tokens.push(token));
    await jobs();
  }
  await time.advance(5000);
  const counts = waiters.map(({ client }) => client.operations().length);
  assert.ok(counts[0] > counts[1] && counts[1] > counts[2], counts.join());
  await holder.release();
  await time.advance(300);
  assert.deepEqual(tokens, [...tokens].sort());
  assert.equal(tokens.length, 3);
});

test('five waiters that died cost one liveness together', async () => {
  const { time, open } = setUpScripts();
  const holder = await open().locks.acquire('door');
  const dead = [1, 2, 3, 4, 5].map(() => open());
  for (const { locks } of dead) {
    void locks.acquire('door');
    await jobs();
  }
  const living = open();
  let granted;
  void living.locks.acquire('door').then((lock) => (granted = lock));
  await time.advance(0);
  for (const { client } of dead) client.isDead = true;
  await holder.release();
  await time.advance(LIVENESS_MS);
  assert.equal(granted, undefined);
  await time.advance(LIVENESS_MS / 3);
  assert.equal(granted?.held, true);
});

test('a thousand dead waiters are removed by as many runs as that takes', async () => {
  const { db, time, open, run } = setUpScripts();
  const { client, locks } = open();
  const holder = await locks.acquire('door', { ttl: 600_000 });
  for (let n = 0; n < 1000; n += 1) run('lock:door', 'acquire', `dead ${n}`, 'x', 1000, LIVENESS_MS, '-', 0, 0, 1, 1);
  await time.advance(LIVENESS_MS + 1);
  client.operations();
  assert.equal(await locks.acquire('door', { ifAvailable: true }), null);
  const runs = client.operations().filter((name) => name === 'leave').length;
  assert.ok(runs > 0 && runs <= 1000 / 64, `${runs}`);
  assert.equal(db.exists(scriptKeys('lock:door')[3], scriptKeys('lock:door')[4]), 0);
  await holder.release();
  assert.equal((await locks.acquire('door', { ifAvailable: true }))?.held, true);
});

test('the head looks when the lease of a dead holder ends', async () => {
  const { time, open } = setUpScripts();
  const dead = open();
  const lost = await dead.locks.acquire('door', { ttl: 2000 });
  dead.client.isDead = true;
  const waiting = open().locks.acquire('door');
  await time.advance(2000);
  assert.equal(await Promise.race([waiting, 'none']), 'none');
  await time.advance(1);
  assert.ok((await waiting).token > lost.token);
});

test('a timeout and an abort leave the line, and let the next one in', async () => {
  const { time, open } = setUpScripts();
  const { locks } = open();
  const reader = await locks.acquire('door', { mode: 'shared' });
  const controller = new AbortController();
  for (const [options, end, type] of [
    [{ wait: 500 }, () => time.advance(500), TimedOut],
    [{ signal: controller.signal }, async () => controller.abort(), Aborted],
  ]) {
    const writer = errorOf(open().locks.acquire('door', options));
    await jobs();
    const next = open().locks.acquire('door', { mode: 'shared' });
    await time.advance(1);
    assert.equal((await locks.query('door')).pending.length, 2);
    await end();
    assert.ok((await writer) instanceof type);
    const second = await next;
    assert.equal(second.held, true);
    assert.equal(await second.release(), true);
  }
  assert.equal(await reader.release(), true);
});

test('a grant at the instant of the timeout is a grant', async () => {
  const { time, open } = setUpScripts();
  const holder = open();
  await holder.locks.acquire('door', { ttl: 899 });
  holder.client.isDead = true;
  const waiting = open().locks.acquire('door', { wait: 900 });
  await time.advance(900);
  assert.equal((await waiting).held, true);
});

test('shared: readers together, a writer is not overtaken; readers in line are granted together', async () => {
  const { open } = setUpScripts();
  const { locks } = open();
  const readers = [await locks.acquire('page', { mode: 'shared' }), await locks.acquire('page', { mode: 'shared' })];
  assert.ok(readers[1].token > readers[0].token);
  const writer = open().locks.acquire('page');
  await jobs();
  assert.equal(await locks.acquire('page', { mode: 'shared', ifAvailable: true }), null);
  const late = [1, 2].map(() => open().locks.acquire('page', { mode: 'shared' }));
  await jobs();
  await readers[0].release();
  await readers[1].release();
  const exclusive = await writer;
  await exclusive.release();
  const both = await Promise.all(late);
  assert.ok(both.every(({ held }) => held));
  const { held } = await locks.query('page');
  assert.deepEqual(
    held.map(({ mode }) => mode),
    ['shared', 'shared'],
  );
});

test('upgrade and downgrade; a second upgrade is a deadlock', async () => {
  const { time, open } = setUpScripts();
  const [ann, bob] = [open().locks, open().locks];
  const first = await ann.acquire('page', { mode: 'shared', ttl: 3000 });
  const second = await bob.acquire('page', { mode: 'shared', ttl: 3000 });
  const newcomer = open().locks.acquire('page');
  await jobs();
  const token = first.token;
  const upgrade = first.upgrade();
  await time.advance(5000);
  assert.equal((await errorOf(second.upgrade())).code, 'DEADLOCK');
  assert.equal(second.held, true);
  await second.release();
  await upgrade;
  assert.equal(first.mode, 'exclusive');
  assert.ok(first.token > token);
  assert.equal(await first.check(), true);
  assert.equal(await bob.acquire('page', { mode: 'shared', ifAvailable: true }), null);
  await first.downgrade();
  assert.equal(first.mode, 'shared');
  assert.equal(await first.release(), true);
  assert.equal((await newcomer).held, true);
});

test('an upgrade that times out stays shared', async () => {
  const { time, open } = setUpScripts();
  const first = await open().locks.acquire('page', { mode: 'shared' });
  const { locks } = open();
  const second = await locks.acquire('page', { mode: 'shared' });
  const upgrade = errorOf(first.upgrade({ wait: 200 }));
  await time.advance(200);
  assert.ok((await upgrade) instanceof TimedOut);
  assert.equal((await locks.query('page')).pending.length, 0);
  const controller = new AbortController();
  const aborted = errorOf(first.upgrade({ signal: controller.signal }));
  await time.advance(100);
  controller.abort();
  assert.ok((await aborted) instanceof Aborted);
  await jobs();
  assert.equal((await locks.query('page')).pending.length, 0);
  assert.equal(await first.check(), true);
  assert.equal(await second.release(), true);
});

test('permits: as many as there are, larger requests are not overtaken', async () => {
  const { open } = setUpScripts();
  const pool = () => open().locks.semaphore('pool', 3);
  const two = await pool().acquire({ permits: 2 });
  const one = await pool().acquire();
  assert.equal(await pool().acquire({ ifAvailable: true }), null);
  const large = pool().acquire({ permits: 3 });
  await jobs();
  const small = pool().acquire();
  await jobs();
  await one.release();
  assert.equal(await Promise.race([small, 'none']), 'none');
  await two.release();
  await (await large).release();
  assert.equal((await small).held, true);
});

test('steal: the robbed is told, and its token is refused', async () => {
  const { open } = setUpScripts();
  const { locks } = open();
  const robbed = await locks.acquire('door');
  const { signal } = robbed;
  await jobs();
  const thief = await open().locks.acquire('door', { steal: true });
  await jobs();
  assert.ok(signal.reason instanceof Stolen, String(signal.reason));
  assert.equal(await robbed.release(), false);
  assert.ok(thief.token > robbed.token);
  assert.equal(await thief.release(), true);
  const readers = [1, 2].map(() => open().locks.acquire('door', { mode: 'shared' }));
  const signals = (await Promise.all(readers)).map((reader) => reader.signal);
  await jobs();
  await open().locks.acquire('door', { steal: true });
  await jobs();
  assert.ok(signals.every(({ aborted }) => aborted));
});

test('delay: a lease that ended keeps the lock closed, a release does not', async () => {
  const { time, open } = setUpScripts();
  const dead = open();
  await dead.locks.acquire('door', { ttl: 100, delay: 500 });
  dead.client.isDead = true;
  const { locks } = open();
  await time.advance(600);
  assert.equal(await locks.acquire('door', { ifAvailable: true }), null);
  await time.advance(1);
  const lock = await locks.acquire('door', { ttl: 100, delay: 500, ifAvailable: true });
  await lock.release();
  assert.equal((await locks.acquire('door', { ifAvailable: true })).held, true);
});

test('a release whose reply was lost succeeds when sent again, also after others held the lock', async () => {
  const { open } = setUpScripts();
  const { client, locks } = open();
  const lock = await locks.acquire('door');
  client.lost.push('connection lost');
  assert.match((await errorOf(lock.release())).message, /connection lost/);
  await (await open().locks.acquire('door')).release();
  assert.equal(await lock.release(), true);
});

test('an election names its leader', async () => {
  const { open } = setUpScripts();
  const { locks } = open();
  const election = locks.elect('chair', { candidate: 'ann b' });
  const leadership = await election.campaign();
  assert.equal((await election.leader()).candidate, 'ann b');
  assert.equal(await election.resign(), true);
  assert.equal(leadership.held, false);
  assert.ok((await errorOf(leadership.renew())) instanceof Lost);
});

test('a server without scripts is refused; one that cannot be asked is asked again', async () => {
  const { db, open } = setUpScripts();
  const { client, locks } = open();
  const { call } = client;
  client.call = (name, ...args) =>
    name === 'EVAL'
      ? Promise.reject(new Error("NOPERM User ann has no permissions to run the 'eval' command"))
      : call(name, ...args);
  const error = await errorOf(locks.acquire('door'));
  assert.ok(error instanceof NotSupported);
  assert.equal(error.command, 'EVAL');
  assert.equal(db.dbsize(), 0);
  client.call = () => Promise.reject(new Error('connection lost'));
  assert.match((await errorOf(locks.acquire('door'))).message, /connection lost/);
  client.call = call;
  assert.equal((await locks.acquire('door')).held, true);
});
