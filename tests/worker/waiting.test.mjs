/** Commands that wait, subscriptions, and clients that go away while they do. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { start, storageFolder } from './support/host.mjs';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Lines of data of an event stream, as they come. */
async function* eventsOf(response) {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
      yield text.slice(0, end);
      text = text.slice(end + 2);
    }
  }
}

async function until(isTrue, ms = 5000) {
  for (const end = Date.now() + ms; Date.now() < end; await sleep(50)) if (await isTrue()) return;
  assert.fail('it did not happen in time');
}

test('waiting requests are served in their order, and what they took survives a crash', async (t) => {
  const folder = await storageFolder(t);
  const before = await start(t, { folder });
  const replies = [];
  for (const name of ['one', 'two', 'three']) {
    const reply = before.call('BLPOP', 'q', 20);
    replies.push(reply.then((result) => [name, result]));
    await sleep(60);
  }
  assert.equal(await before.call('RPUSH', 'q', 'a', 'b', 'c', 'd'), 4);
  assert.deepEqual(await Promise.all(replies), [
    ['one', ['q', 'a']],
    ['two', ['q', 'b']],
    ['three', ['q', 'c']],
  ]);
  await before.stop();
  const { call } = await start(t, { folder });
  assert.deepEqual(await call('LRANGE', 'q', 0, -1), ['d']);
});

test('a wait ends at its timeout with null; a key that expires by then is logged', async (t) => {
  const { call, post } = await start(t, { bundle: 'faulty' });
  await call('SET', 'short', 'x', 'PX', 100);
  assert.equal(await call('BLPOP', 'none', 0.5), null);
  const { json } = await post(
    "SELECT COUNT(*) AS rows FROM keylatch_log WHERE CAST(bytes AS TEXT) LIKE '%DEL%short%'",
    {
      path: '/sql',
    },
  );
  assert.deepEqual(json.result, [{ rows: 1 }]);
});

test('messages reach subscribers by channel and by pattern', async (t) => {
  const { send, call } = await start(t);
  const abort = new AbortController();
  const stream = async (path) => eventsOf(await send([], { path, signal: abort.signal }));
  const channel = await stream('/subscribe/news');
  const pattern = await stream('/psubscribe/n*');
  assert.equal((await channel.next()).value, 'data: subscribe,news,1');
  assert.equal((await pattern.next()).value, 'data: psubscribe,n*,1');
  assert.equal(await call('PUBLISH', 'news', 'hello'), 2);
  assert.equal((await channel.next()).value, 'data: message,news,hello');
  assert.equal((await pattern.next()).value, 'data: pmessage,n*,news,hello');
  const monitor = await stream('/monitor');
  assert.equal((await monitor.next()).value, 'data: "OK"');
  await call('SET', 'k', 'v');
  assert.match((await monitor.next()).value, /^data: \d+\.\d+ .*"SET" "k" "v"$/);
  abort.abort();
});

test('a subscriber that has gone is forgotten when something is written to it', async (t) => {
  const { send, call } = await start(t);
  const abort = new AbortController();
  const events = eventsOf(await send([], { path: '/subscribe/news', signal: abort.signal }));
  await events.next();
  abort.abort();
  await events.next().catch(() => {});
  await until(async () => (await call('PUBLISH', 'news', 'x')) === 0);
});

test('a client that goes while its request waits takes nothing', async (t) => {
  const { send, call } = await start(t);
  const abort = new AbortController();
  const gone = send(['BLPOP', 'q', 20], { signal: abort.signal }).then((response) => response.text());
  await sleep(200);
  abort.abort();
  await assert.rejects(gone);
  // A blank is written every five seconds: only that shows that the client has gone.
  await sleep(6000);
  assert.equal(await call('RPUSH', 'q', 'x'), 1);
  assert.deepEqual(await call('LRANGE', 'q', 0, -1), ['x']);
});
