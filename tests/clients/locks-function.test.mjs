/** keylatch/locks by the functions of a library, and the script as `keylatch latch.lua` prints it, over a real Redis. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import Redis from 'ioredis';
import { CLIENTS, closed, control, errorOf } from './support/lock-clients.mjs';
import { serveRedis } from './support/redis.mjs';
import { entry, program, until } from './support/server.mjs';

const { locks, Lost, NotSupported } = await entry('locks');

/** Output of `keylatch latch.lua`. */
function printed(...args) {
  const argv = [program, 'latch.lua', ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, { encoding: 'utf8' });
  assert.deepEqual([status, stderr], [0, '']);
  return stdout;
}

/** A user that may not send scripts. */
async function userWithout(redis, port, ...rights) {
  await redis.acl('SETUSER', 'caller', 'on', 'nopass', '+@all', '~*', '&*', ...rights);
  return (t) => closed(t, new Redis(port, '127.0.0.1', { username: 'caller', password: 'x' }), 'disconnect');
}

for (const [title, connect] of Object.entries(CLIENTS)) {
  test(`${title}: every operation by functions`, async (t) => {
    const { port } = await serveRedis(t);
    const redis = control(t, port);
    await redis.call('FUNCTION', 'LOAD', printed('--function'));
    const mine = locks(await connect(t, port), { scripts: 'function', hierarchy: true });
    const lock = await mine.acquire('door', { ttl: 60_000 });
    const waiting = mine.request('door', ({ token }) => token);
    await until(async () => (await mine.query('door')).pending.length === 1, 'the wait');
    assert.ok((await lock.renew()) > 0);
    assert.equal(await lock.check(), true);
    assert.equal(await lock.run(['SET', 'file', 'mine']), 'OK');
    assert.equal(await lock.release(), true);
    assert.ok((await waiting) > lock.token);
    assert.equal(await (await mine.acquire(['a/b', 'c'], { mode: 'shared' })).release(), true);
    await (await mine.semaphore('pool', 2).acquire()).release();
    assert.equal((await mine.limit('api', { limit: 1, period: 60_000 })).allowed, true);
    assert.equal(await mine.once('job', () => 1), 1);
    await mine.barrier('start', { parties: 1 }).arrive();
    const called = await redis.info('commandstats');
    assert.match(called, /cmdstat_fcall:/);
    assert.doesNotMatch(called, /cmdstat_eval/);
  });
}

test('where EVAL is forbidden, functions are not', async (t) => {
  const { port } = await serveRedis(t);
  const redis = control(t, port);
  const as = await userWithout(redis, port, '-eval', '-evalsha');
  const refused = await errorOf(locks(as(t)).acquire('door'));
  assert.equal(refused.command, 'EVAL');
  const client = as(t);
  const mine = locks(client, { scripts: 'function' });
  const missing = await errorOf(mine.acquire('door'));
  assert.ok(missing instanceof NotSupported);
  assert.equal(missing.command, 'FCALL');
  assert.match(missing.message, /keylatch latch\.lua --function \| redis-cli -x FUNCTION LOAD REPLACE/);
  const library = printed('--function');
  for (let time = 0; time < 2; time += 1) await redis.call('FUNCTION', 'LOAD', 'REPLACE', library);
  assert.equal(await (await mine.acquire('door')).release(), true);
});

test('scripts and functions share their locks', async (t) => {
  const { port } = await serveRedis(t);
  const redis = control(t, port);
  await redis.call('FUNCTION', 'LOAD', printed('--function'));
  const [one, other] = [locks(redis), locks(redis, { scripts: 'function' })];
  const lock = await one.acquire('door', { ttl: 60_000 });
  assert.equal(await other.acquire('door', { ifAvailable: true }), null);
  const thief = await other.acquire('door', { steal: true });
  assert.ok((await errorOf(lock.renew())) instanceof Lost);
  assert.ok(thief.token > lock.token);
});

test('over maxmemory functions renew and release, and grant nothing', async (t) => {
  const { port } = await serveRedis(t);
  const redis = control(t, port);
  await redis.call('FUNCTION', 'LOAD', printed('--function'));
  const mine = locks(redis, { scripts: 'function' });
  const lock = await mine.acquire('door', { ttl: 60_000 });
  await redis.config('SET', 'maxmemory', '1');
  assert.match((await errorOf(mine.acquire('gate'))).message, /OOM/);
  assert.ok((await lock.renew()) > 0);
  assert.equal(await lock.release(), true);
});

test('the script that is printed is the one that clients run by its hash', async (t) => {
  const { port } = await serveRedis(t);
  const redis = control(t, port);
  await redis.script('LOAD', printed());
  const lock = await locks(redis).acquire('door');
  assert.equal(await lock.release(), true);
  const stats = await redis.info('commandstats');
  assert.match(stats, /cmdstat_evalsha:calls=2,/);
  assert.match(stats, /cmdstat_eval:calls=1,/, 'the question whether there are scripts');
});
