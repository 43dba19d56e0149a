/** Lock libraries, unchanged: redlock, @sesamecare-oss/redlock, redis-semaphore. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redlock as SesameRedlock } from '@sesamecare-oss/redlock';
import { Mutex, Semaphore, MultiSemaphore, RedlockMutex } from 'redis-semaphore';
import Redlock from 'redlock';
import { both, client } from './support/both.mjs';

both('redlock 4.2: two resources, a second caller, extension, release', async (t, port) => {
  const redis = client(t, port);
  const redlock = new Redlock([redis], { retryCount: 0 });
  const lock = await redlock.lock(['a', 'b'], 2000);
  assert.deepEqual(await redis.exists('a', 'b'), 2);
  await assert.rejects(redlock.lock('b', 1000), { name: 'LockError' });
  const extended = await lock.extend(5000);
  assert.ok((await redis.pttl('a')) > 2000);
  await extended.unlock();
  assert.equal(await redis.exists('a', 'b'), 0);
  await (await redlock.lock('b', 1000)).unlock();
});

both('redlock 4.2: a lock that another owner has is not released', async (t, port) => {
  const redis = client(t, port);
  const redlock = new Redlock([redis], { retryCount: 0 });
  const lock = await redlock.lock('a', 2000);
  await redis.set('a', 'other');
  await assert.rejects(lock.unlock(), { name: 'LockError' });
  assert.equal(await redis.get('a'), 'other');
});

both('@sesamecare-oss/redlock: a majority of five servers, of which two are gone', async (t, port, another) => {
  const ports = [port, await another(), await another(), await another(), await another()];
  const clients = ports.map((place) => client(t, place, { retryStrategy: null, maxRetriesPerRequest: 0 }));
  await Promise.all(clients.map((redis) => redis.ping()));
  for (const gone of clients.slice(0, 2)) gone.disconnect();
  const redlock = new SesameRedlock(clients, { retryCount: 0 });
  redlock.on('error', () => {});
  const lock = await redlock.acquire(['door'], 5000);
  await assert.rejects(redlock.acquire(['door'], 1000));
  await (await lock.extend(5000)).release();
  await (await redlock.acquire(['door'], 1000)).release();
});

both('@sesamecare-oss/redlock: work that is longer than its first lease', async (t, port) => {
  const redis = client(t, port);
  const redlock = new SesameRedlock([redis], { retryCount: 0, automaticExtensionThreshold: 1000 });
  const result = await redlock.using(['long'], 2000, async (signal) => {
    await sleep(2500);
    assert.equal(signal.aborted, false);
    assert.equal(await redis.exists('long'), 1);
    return 'done';
  });
  assert.equal(result, 'done');
  assert.equal(await redis.exists('long'), 0);
});

both('redis-semaphore: at most two of ten workers at once, with refreshed leases', async (t, port) => {
  const redis = client(t, port);
  let [now, most] = [0, 0];
  const work = async () => {
    const semaphore = new Semaphore(redis, 'pool', 2, { lockTimeout: 400, refreshInterval: 100, retryInterval: 10 });
    await semaphore.acquire();
    now += 1;
    most = Math.max(most, now);
    await sleep(60);
    now -= 1;
    await semaphore.release();
  };
  await Promise.all(Array.from({ length: 10 }, work));
  assert.equal(most, 2);
  assert.equal(await redis.zcard('semaphore:pool'), 0);
});

both('redis-semaphore: a mutex, several permits, and a majority', async (t, port, another) => {
  const redis = client(t, port);
  const options = { acquireAttemptsLimit: 1, lockTimeout: 1000 };
  const mutex = new Mutex(redis, 'm', options);
  assert.equal(await mutex.tryAcquire(), true);
  assert.equal(await new Mutex(redis, 'm', options).tryAcquire(), false);
  await mutex.release();
  const three = new MultiSemaphore(redis, 'permits', 3, 2, options);
  assert.equal(await three.tryAcquire(), true);
  assert.equal(await new MultiSemaphore(redis, 'permits', 3, 2, options).tryAcquire(), false);
  await three.release();
  const clients = [redis, client(t, await another()), client(t, await another())];
  const majority = new RedlockMutex(clients, 'major', options);
  assert.equal(await majority.tryAcquire(), true);
  assert.equal(await new RedlockMutex(clients, 'major', options).tryAcquire(), false);
  await majority.release();
});
