// keylatch/locks over servers without the LATCH commands: which commands are used, by what the server has.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobs } from './support/hand-time.mjs';
import { errorOf, errors, setUp } from './support/locks.mjs';

const { Lost, NeverAcquired, NotSupported, TimedOut } = errors;

/** A client object of a server that has some of the commands that compare; keylatch runs them. Notes the commands. */
function server(db, { delex = false, delifeq = false, setIfeq = false } = {}) {
  const log = [];
  const unknown = (name) => Promise.reject(new Error(`ERR unknown command '${name}', with args beginning with: `));
  const call = async (name, ...args) => {
    log.push([name, ...args]);
    const isLacking = (name === 'DELEX' && !delex) || (name === 'DELIFEQ' && !delifeq);
    if (name.startsWith('LATCH') || name === 'EVAL' || isLacking) return unknown(name);
    if (name === 'SET' && args.includes('IFEQ') && !setIfeq) throw new Error('ERR syntax error');
    return db.call(name, ...args);
  };
  return { call, log, names: () => log.splice(0).map(([name]) => name) };
}

const PROBES = ['LATCH.INSPECT', 'DELEX', 'DELIFEQ', 'SET', 'EVAL'];

for (const [title, features, release] of [
  ['Redis 8.4', { delex: true, setIfeq: true }, 'DELEX'],
  ['Valkey 9', { delifeq: true, setIfeq: true }, 'DELIFEQ'],
  ['Valkey 8.1', { setIfeq: true }, 'SET'],
]) {
  test(`${title} without scripts: it is asked once, then SET NX PX, INCR, SET IFEQ, ${release}`, async () => {
    const { db, time, open } = setUp();
    const redis = server(db, features);
    const locks = open(redis);
    const first = await locks.acquire('door', { ttl: 3000 });
    assert.deepEqual(redis.names(), [...PROBES, 'SET', 'INCR']);
    assert.equal(db.get('lock:door'), first.owner);
    assert.equal(db.pttl('lock:door'), 3000);
    assert.equal(first.token, 1);
    await time.advance(1000);
    assert.deepEqual(redis.log.splice(0), [['SET', 'lock:door', first.owner, 'IFEQ', first.owner, 'PX', '3000']]);
    assert.equal(db.pttl('lock:door'), 3000);
    assert.equal(await first.release(), true);
    assert.deepEqual(redis.names(), [release]);
    await time.advance(2);
    assert.equal(db.exists('lock:door'), 0);
    const second = await open(redis).acquire('door');
    assert.equal(second.token, 2);
    assert.deepEqual(redis.names(), ['SET', 'INCR'], 'another object of the same client does not ask again');
    db.set('lock:door', 'other');
    assert.equal(await second.release(), false);
    assert.equal(db.get('lock:door'), 'other', "another's lock is left alone");
    assert.deepEqual(redis.names(), [release]);
    assert.equal(db.exists('keylatch:locks:probe'), 0);
  });
}

test('a server that cannot compare is refused before anything is locked', async () => {
  const { db, open } = setUp();
  const error = await errorOf(open(server(db)).acquire('door'));
  assert.ok(error instanceof NotSupported);
  assert.equal(error.command, 'EVAL');
  assert.equal(db.exists('lock:door'), 0);
});

test('a lock that is lost is noticed by its renewal and by its release', async () => {
  const { db, time, open } = setUp();
  const locks = open(server(db, { delex: true, setIfeq: true }));
  const { signal } = await locks.acquire('door', { ttl: 3000 });
  db.set('lock:door', 'other');
  await time.advance(1000);
  assert.ok(signal.reason instanceof Lost);
  db.del('lock:door');
  assert.ok((await errorOf(locks.request('door', () => db.del('lock:door')))) instanceof Lost);
});

test('a waiting client polls with growing delays', async () => {
  const { db, time, open } = setUp();
  const redis = server(db, { delex: true, setIfeq: true });
  const locks = open(redis);
  db.set('lock:door', 'other');
  const timedOut = errorOf(locks.acquire('door', { wait: 10_000 }));
  await time.advance(10_000);
  assert.ok((await timedOut) instanceof TimedOut);
  const tries = redis.log.filter(([name, , , word]) => name === 'SET' && word === 'NX').length;
  assert.ok(tries > 10_000 / 512 && tries < 40, `${tries} attempts in ten seconds`);
  const waiting = locks.acquire('door');
  await time.advance(2000);
  db.del('lock:door');
  await time.advance(512);
  const lock = await waiting;
  assert.equal(lock.held, true);
  const controller = new AbortController();
  const aborted = errorOf(locks.acquire('door', { signal: controller.signal }));
  await jobs();
  controller.abort();
  assert.equal((await aborted).code, 'ABORTED');
  assert.equal(db.get('lock:door'), lock.owner);
});

test('a reply that was lost: the owner that asks again finds its lock', async () => {
  const { db, open } = setUp();
  const redis = server(db, { delex: true, setIfeq: true });
  const { call } = redis;
  // A client that repeats a command after a lost reply, as @upstash/redis does.
  redis.call = async (...argv) => {
    if (argv[3] === 'NX') await call(...argv);
    return call(...argv);
  };
  const lock = await open(redis).acquire('door', { wait: 0 });
  assert.equal(db.get('lock:door'), lock.owner);
});

test('a grant whose lease is over before its token is counted is dropped', async () => {
  const { db, time, open } = setUp();
  const redis = server(db, { delex: true, setIfeq: true });
  const { call } = redis;
  redis.call = async (...argv) => {
    if (argv[0] === 'INCR') time.steady += 1000;
    return call(...argv);
  };
  assert.ok((await errorOf(open(redis).acquire('door', { ttl: 1000, wait: 0 }))) instanceof NeverAcquired);
});

test('a server that cannot be asked is asked again', async () => {
  const { db, open } = setUp();
  const redis = server(db, { delex: true, setIfeq: true });
  const { call } = redis;
  redis.call = () => Promise.reject(new Error('connection lost'));
  const error = await errorOf(open(redis).acquire('door'));
  assert.ok(error instanceof NeverAcquired);
  assert.match(error.message, /connection lost/);
  redis.call = call;
  assert.equal((await open(redis).acquire('door')).token, 1);
});

test('whatever else is asked for names the command that is missing', async () => {
  const { db, open } = setUp();
  const redis = server(db, { delex: true, setIfeq: true });
  const locks = open(redis);
  for (const [run, command, what] of [
    [() => locks.acquire('a', { mode: 'shared' }), 'LATCH.ACQUIRE', 'a shared lock'],
    [() => locks.acquire('a', { steal: true }), 'LATCH.ACQUIRE', 'stealing a lock'],
    [() => locks.acquire('a', { delay: 5 }), 'LATCH.ACQUIRE', 'a delay'],
    [() => locks.acquire(['a', 'b']), 'LATCH.ACQUIRE', 'several names'],
    [() => open(redis, { hierarchy: true }).acquire('a/b'), 'LATCH.ACQUIRE', 'a name below another'],
    [() => locks.semaphore('a', 2).acquire(), 'LATCH.ACQUIRE', 'a semaphore'],
    [() => locks.query('a'), 'LATCH.INSPECT', 'holders and waiters'],
    [() => locks.limit('a', { limit: 1, period: 1 }), 'LATCH.LIMIT', 'a rate limit'],
    [() => locks.once('a', () => {}), 'LATCH.ONCE', 'runs once'],
    [() => locks.elect('a').leader(), 'LATCH.INSPECT', 'holders'],
    [() => locks.barrier('a', { parties: 2 }).arrive(), 'LATCH.ARRIVE', 'a barrier'],
  ]) {
    const error = await errorOf(run());
    assert.ok(error instanceof NotSupported, String(run));
    assert.equal(error.command, command);
    assert.ok(error.message.includes(what), error.message);
  }
  assert.equal(db.dbsize(), 0);
  const lock = await locks.elect('a').campaign();
  assert.equal(await lock.release(), true);
});
