/** Turns: commands in company are run and stored together, none is stored late, and none twice. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { start, storageFolder } from './support/host.mjs';
import { connect } from './support/sockets.mjs';

const ROUNDS = 20;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const rowsOf = async (worker) => {
  const { json } = await worker.post('SELECT COUNT(*) AS rows FROM keylatch_log', { path: '/sql' });
  return json.result[0].rows;
};

test('a command that comes alone has a row of its own; commands in company share rows', async (t) => {
  const worker = await start(t, { bundle: 'faulty' });
  for (let index = 0; index < 5; index += 1) {
    await worker.call('INCR', 'alone');
    // The timer behind a turn that wrote has fired by then.
    await sleep(20);
  }
  assert.equal(await rowsOf(worker), 5);
  const replies = await Promise.all(Array.from({ length: 400 }, () => worker.call('INCR', 'crowd')));
  assert.deepEqual(new Set(replies).size, 400);
  const rows = (await rowsOf(worker)) - 5;
  assert.ok(rows < 200, `${rows} rows for 400 commands`);
});

test('commands that only read share turns too, once many are in flight', async (t) => {
  const worker = await start(t);
  const peer = await connect(t, worker);
  await peer.ask('SET', 'k', 'v');
  await sleep(20);
  const reply = '$1\r\nv\r\n';
  const lengths = [];
  peer.socket.on('message', (frame) => lengths.push(frame.length));
  const sharesTurns = () => lengths.some((length) => length > reply.length);
  for (const end = Date.now() + 30_000; !sharesTurns() && Date.now() < end; ) {
    for (let sent = 0; sent < 200; sent += 1) peer.send(['GET', 'k']);
    for (let read = 0; read < 200; read += 1) assert.equal(await peer.reply(), reply);
  }
  assert.ok(sharesTurns(), 'a frame has the replies of a turn');
  await sleep(20);
  assert.equal(await peer.ask('GET', 'k'), reply);
});

test('an error of one command in a turn stays with its request', async (t) => {
  const { call } = await start(t);
  await call('SET', 'text', 'x');
  const outcomes = await Promise.allSettled(
    Array.from({ length: 100 }, (_, index) => call('INCR', index % 2 === 0 ? 'n' : 'text')),
  );
  const failed = outcomes.filter(({ status }) => status === 'rejected');
  assert.equal(failed.length, 50);
  for (const { reason } of failed) assert.match(reason.message, /not an integer/);
  assert.equal(await call('GET', 'n'), '50');
});

test('a failed write in company is answered by none of them, and leaves nothing behind', async (t) => {
  const { call, post } = await start(t, { bundle: 'faulty' });
  await call('SET', 'n', 0);
  await post('', { path: '/fault?kind=write' });
  const outcomes = await Promise.all(Array.from({ length: 32 }, () => post(['INCR', 'n'])));
  const answered = outcomes.filter(({ status }) => status === 200).length;
  assert.ok(answered < 32, 'some had no answer');
  for (const { status, json } of outcomes.filter(({ status }) => status !== 200)) {
    assert.equal(status, 503);
    assert.match(json.error, /^UNAVAILABLE/);
  }
  assert.equal(Number(await call('GET', 'n')), answered);
});

test(`workerd is killed ${ROUNDS} times among writes of 32 clients: what was answered is there, once`, async (t) => {
  const folder = await storageFolder(t);
  const counts = Array.from({ length: 32 }, () => 0);
  for (let round = 0; round < ROUNDS; round += 1) {
    const { call, stop } = await start(t, { folder });
    const clients = counts.map(async (_, client) => {
      // A client sends its next number when the last one was answered.
      for (;;) {
        const number = counts[client] + 1;
        await call('RPUSH', `list:${client}`, number);
        counts[client] = number;
      }
    });
    const ended = Promise.allSettled(clients);
    await sleep(60 + Math.random() * 200);
    await stop();
    await ended;
    const after = await start(t, { folder });
    for (const client of counts.keys()) {
      const stored = await after.call('LRANGE', `list:${client}`, 0, -1);
      const expected = Array.from(stored, (_, index) => String(index + 1));
      assert.deepEqual(stored, expected, 'nothing is lost in between, and nothing is there twice');
      // The last one may have run without an answer.
      assert.ok(stored.length === counts[client] || stored.length === counts[client] + 1, `client ${client}`);
      counts[client] = stored.length;
    }
    await after.stop();
  }
  assert.ok(counts.every((count) => count > 0));
});
