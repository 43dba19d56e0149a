/** Objects that sleep with open sockets: what clients were, listened to and waited for is there when the object wakes. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { start } from './support/host.mjs';
import { connect, encode } from './support/sockets.mjs';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Starts a Worker with objects that can be put to sleep; counts how often they woke. */
async function sleeper(t) {
  const worker = await start(t, { bundle: 'sleeping' });
  const get = async (path, method = 'GET') => (await worker.send(undefined, { path, method })).json();
  return {
    ...worker,
    evict: () => get('/evict', 'POST'),
    constructed: async () => (await get('/constructed')).result,
  };
}

test('subscribers and waiting clients are served after the sleep, in their order', async (t) => {
  const worker = await sleeper(t);
  const [subscriber, first, second] = [await connect(t, worker), await connect(t, worker), await connect(t, worker)];
  await subscriber.ask('HELLO', '3', 'SETNAME', 'listener');
  await subscriber.ask('SELECT', '3');
  await subscriber.ask('SUBSCRIBE', 'news');
  await subscriber.ask('PSUBSCRIBE', 'n*');
  const id = await subscriber.ask('CLIENT', 'ID');
  // The socket that was opened last waits first.
  second.send(['BLPOP', 'q', '0'], ['INCR', 'behind']);
  await sleep(100);
  first.send(['BLPOP', 'q', '0']);
  await sleep(100);
  await worker.call('SET', 'k', 'v', 'PX', 300_000);
  for (let round = 0; round < 3; round += 1) {
    await worker.evict();
    const before = await worker.constructed();
    assert.equal(await worker.call('PUBLISH', 'news', `message ${round}`), 2);
    assert.equal(await worker.constructed(), before + 1, 'the object had slept');
    assert.match(await subscriber.reply(), new RegExp(`^>3.*message ${round}`, 's'));
    assert.match(await subscriber.reply(), new RegExp(`^>4.*message ${round}`, 's'));
  }
  await worker.evict();
  assert.equal(await worker.call('RPUSH', 'q', 'x', 'y'), 2);
  assert.equal(await second.reply(), '*2\r\n$1\r\nq\r\n$1\r\nx\r\n');
  assert.equal(await second.reply(), ':1\r\n');
  assert.equal(await first.reply(), '*2\r\n$1\r\nq\r\n$1\r\ny\r\n');
  assert.equal(await subscriber.ask('CLIENT', 'GETNAME'), '$8\r\nlistener\r\n');
  assert.match(await subscriber.ask('CLIENT', 'INFO'), / db=3 sub=1 psub=1 .*resp=3/);
  assert.equal(await subscriber.ask('CLIENT', 'ID'), id);
  assert.equal(await worker.call('LLEN', 'q'), 0);
});

test('a timeout ends while the object sleeps, and wakes it', async (t) => {
  const worker = await sleeper(t);
  const peer = await connect(t, worker);
  const begin = Date.now();
  peer.send(['BLPOP', 'none', '11'], ['PING']);
  await sleep(200);
  await worker.evict();
  const before = await worker.constructed();
  await sleep(9000);
  assert.equal(await worker.constructed(), before, 'asleep until the timeout');
  assert.equal(await peer.reply(), '*-1\r\n');
  assert.ok(Date.now() - begin >= 11_000, 'not before its time');
  assert.equal(await worker.constructed(), before + 1);
  assert.equal(await peer.reply(), '+PONG\r\n');
});

test('an object with sockets, and keys with times to live, sleeps by itself', async (t) => {
  const worker = await sleeper(t);
  const peer = await connect(t, worker);
  await peer.ask('HELLO', '3');
  await peer.ask('SET', 'k', 'v', 'PX', '12000');
  await peer.ask('SUBSCRIBE', 'news');
  const before = await worker.constructed();
  await sleep(14_000);
  assert.equal(await peer.ask('GET', 'k'), '_\r\n');
  assert.equal(await worker.constructed(), before + 1);
});

test('a latch is granted by the alarm when its lease ends in the sleep', async (t) => {
  const worker = await sleeper(t);
  const peer = await connect(t, worker);
  await worker.call('LATCH.ACQUIRE', 'l', 'one', 'TTL', 10_500);
  peer.send(['LATCH.ACQUIRE', 'l', 'two', 'TTL', '60000', 'WAIT', '60000']);
  await sleep(200);
  await worker.evict();
  const before = await worker.constructed();
  assert.match(await peer.reply(), /^:\d{16}/);
  assert.equal(await worker.constructed(), before + 1);
});

test('an open transaction, watched keys and tracked keys are lost, and the client notices', async (t) => {
  const worker = await sleeper(t);
  const [multi, watching, tracking] = [await connect(t, worker), await connect(t, worker), await connect(t, worker)];
  await multi.ask('MULTI');
  await multi.ask('SET', 'k', 'v');
  await watching.ask('WATCH', 'k');
  await tracking.ask('HELLO', '3');
  await tracking.ask('CLIENT', 'TRACKING', 'ON');
  await tracking.ask('GET', 'k');
  await worker.evict();
  assert.match(await multi.ask('EXEC'), /^-EXECABORT/);
  assert.equal(await multi.ask('GET', 'k'), '$-1\r\n');
  watching.send(['MULTI'], ['SET', 'k', 'v'], ['EXEC']);
  assert.deepEqual(
    [await watching.reply(), await watching.reply(), await watching.reply()],
    ['+OK\r\n', '+QUEUED\r\n', '*-1\r\n'],
  );
  assert.equal(await tracking.reply(), '>2\r\n$10\r\ninvalidate\r\n_\r\n');
  assert.equal(await tracking.ask('GET', 'k'), '_\r\n');
  await worker.call('SET', 'k', 'v');
  assert.equal(await tracking.reply(), '>2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\nk\r\n');
});

test('requests that are cut, or wait behind another, go on after the sleep; so do long states', async (t) => {
  const worker = await sleeper(t);
  const [cut, waiting, long] = [await connect(t, worker), await connect(t, worker), await connect(t, worker)];
  const request = encode(['SET', 'cut', 'value']);
  cut.write(request.subarray(0, 20));
  waiting.send(['BLPOP', 'q', '0'], ['SET', 'behind', 'x'], ['CONFIG', 'GET', '*']);
  const names = Array.from({ length: 500 }, (_, index) => `channel-with-a-long-name-to-fill-a-row-${index}`);
  long.send(['SUBSCRIBE', ...names]);
  for (const _ of names) await long.reply();
  // A long state is stored once it has been the same for a while.
  await sleep(3000);
  await worker.evict();
  cut.write(request.subarray(20));
  assert.equal(await cut.reply(), '+OK\r\n');
  assert.equal(await worker.call('PUBLISH', names[499], 'x'), 1);
  assert.match(await long.reply(), /^\*3[\s\S]*row-499/);
  await worker.evict();
  assert.equal(await worker.call('RPUSH', 'q', 'x'), 1);
  assert.match(await waiting.reply(), /^\*2/);
  assert.equal(await waiting.reply(), '+OK\r\n');
  assert.match(await waiting.reply(), /^-ERR CONFIG GET is about a server/);
  assert.equal(await worker.call('GET', 'cut'), 'value');
  long.socket.close();
  await worker.evict();
  assert.equal(await worker.call('PUBLISH', names[0], 'x'), 0);
});
