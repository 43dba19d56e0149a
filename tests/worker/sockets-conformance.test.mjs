/** Recorded replies of a real Redis, compared through sockets, with requests cut at places that change from one to the next. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { describe, matches, recordings } from '../js/support/recordings.mjs';
import { start } from './support/host.mjs';
import { connect, encode } from './support/sockets.mjs';

const FILES = ['string', 'counter', 'list', 'hash', 'zset', 'multi'];
const SESSIONS_MIN = 200;
/** Commands that a namespace refuses, and such that wait for their timeouts. */
const LEFT_OUT = /^(config|debug|client|object|b[lrz].*|acl|latency|slowlog|monitor|shutdown|save|bgsave|wait.*)$/i;

const isRun = ({ steps }) => steps.every(({ argv }) => !LEFT_OUT.test(String(argv[0])));

async function replay(t, worker, { id, steps }, cuts) {
  const peers = new Map();
  for (const step of steps) {
    if (!peers.has(step.connection))
      peers.set(step.connection, await connect(t, worker, { path: `/namespace/${encodeURIComponent(id)}` }));
    const peer = peers.get(step.connection);
    const bytes = encode(step.argv);
    const cut = cuts.next % (bytes.length + 1);
    cuts.next += 1;
    peer.write(bytes.subarray(0, cut));
    peer.write(bytes.subarray(cut));
    const got = await peer.replyBytes();
    assert.ok(matches(step, got), `${id}: ${describe(step, got)}`);
  }
  for (const { socket } of peers.values()) socket.close();
}

test('recorded sessions give the recorded replies', async (t) => {
  const worker = await start(t);
  const cuts = { next: 0 };
  let count = 0;
  for (const { sessions } of recordings().filter(({ name }) => FILES.includes(name))) {
    for (const session of sessions.filter(isRun)) {
      await replay(t, worker, session, cuts);
      count += 1;
    }
  }
  assert.ok(count >= SESSIONS_MIN, `${count} sessions have run`);
});
