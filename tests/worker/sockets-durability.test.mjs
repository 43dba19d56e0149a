/** Writes over sockets, when workerd is killed or storage fails: what was answered is there, once. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { start, storageFolder } from './support/host.mjs';
import { connect } from './support/sockets.mjs';

const ROUNDS = 20;
const CLIENTS = 8;
const IN_FLIGHT = 16;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Sends numbers until the connection ends, up to sixteen before their replies; calls back for each reply. */
async function writeNumbers(peer, client, first, answered) {
  let sent = first;
  const send = () => peer.send(['RPUSH', `list:${client}`, (sent += 1)]);
  for (let index = 0; index < IN_FLIGHT; index += 1) send();
  for (;;) {
    answered(await peer.reply());
    send();
  }
}

test(`workerd is killed ${ROUNDS} times among pipelined writes: what was answered is there, once`, async (t) => {
  const folder = await storageFolder(t);
  const counts = Array.from({ length: CLIENTS }, () => 0);
  let replies = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const worker = await start(t, { folder });
    const peers = await Promise.all(counts.map(() => connect(t, worker)));
    const writers = peers.map((peer, client) =>
      writeNumbers(peer, client, counts[client], (reply) => {
        counts[client] += 1;
        replies += 1;
        assert.equal(reply, `:${counts[client]}\r\n`);
      }),
    );
    const ended = Promise.allSettled(writers);
    await sleep(60 + Math.random() * 200);
    await worker.stop();
    for (const { reason } of await ended) assert.match(reason.message, /^closed/);
    const after = await start(t, { folder });
    for (const client of counts.keys()) {
      const stored = await after.call('LRANGE', `list:${client}`, 0, -1);
      const expected = Array.from(stored, (_, index) => String(index + 1));
      assert.deepEqual(stored, expected, 'nothing is lost in between, and nothing is there twice');
      // Those in flight may have run without a reply.
      const more = stored.length - counts[client];
      assert.ok(more >= 0 && more <= IN_FLIGHT, `client ${client}: ${more} more than were answered`);
      counts[client] = stored.length;
    }
    await after.stop();
  }
  assert.ok(replies > ROUNDS * CLIENTS, String(replies));
});

test('messages in flight share turns', async (t) => {
  const worker = await start(t, { bundle: 'faulty' });
  const peer = await connect(t, worker);
  for (let index = 0; index < 400; index += 1) peer.send(['INCR', 'n']);
  for (let index = 1; index <= 400; index += 1) assert.equal(await peer.reply(), `:${index}\r\n`);
  const { json } = await worker.post('SELECT COUNT(*) AS rows FROM keylatch_log', { path: '/sql' });
  assert.ok(json.result[0].rows < 200, `${json.result[0].rows} rows for 400 commands`);
});

for (const kind of ['write', 'trap', 'trap-after']) {
  test(`fault "${kind}": no reply leaves, the socket ends, and the next one sees the state from disk`, async (t) => {
    const worker = await start(t, { bundle: 'faulty' });
    const [peer, other] = [await connect(t, worker), await connect(t, worker)];
    assert.equal(await peer.ask('SET', 'key', 'on disk'), '+OK\r\n');
    await worker.post('', { path: `/fault?kind=${kind}` });
    peer.send(['SET', 'key', 'never stored']);
    await peer.closed();
    await other.closed();
    assert.equal(peer.unread, 0);
    const next = await connect(t, worker);
    assert.equal(await next.ask('GET', 'key'), '$7\r\non disk\r\n');
    assert.equal(await next.ask('SET', 'key', 'stored'), '+OK\r\n');
  });
}

test('what a write brings to others leaves with it or not at all', async (t) => {
  const worker = await start(t, { bundle: 'faulty' });
  const [waiting, writer] = [await connect(t, worker), await connect(t, worker)];
  waiting.send(['BLPOP', 'q', '0']);
  await sleep(100);
  await writer.ask('SET', 'key', 'v');
  await worker.post('', { path: '/fault?kind=write' });
  writer.send(['RPUSH', 'q', 'x']);
  await writer.closed();
  await waiting.closed();
  assert.equal(waiting.unread, 0);
  assert.equal(await worker.call('EXISTS', 'q'), 0);
});
