/** Recorded replies of a real Redis, compared with those of a namespace. */

import assert from 'node:assert/strict';

import { describe, matches, recordings } from '../../js/support/recordings.mjs';

const FILES = ['string', 'counter', 'list', 'hash', 'zset', 'multi'];
/** Commands that a namespace refuses, and such that wait for their timeouts. */
const LEFT_OUT = /^(config|debug|client|object|b[lrz].*|acl|latency|slowlog|monitor|shutdown|save|bgsave|wait.*)$/i;

const isRun = ({ steps }) => steps.every(({ argv }) => !LEFT_OUT.test(String(argv[0])));

/**
 * Runs the recorded sessions, each in a namespace of its name. `connect(namespace)` gives `ask(argv)`, which resolves to the
 * bytes of a reply, and `close()`. `suits` says which sessions are run, `atLeast` how many there have to be.
 */
export async function compareRecordings(connect, { suits = () => true, atLeast = 200 } = {}) {
  let count = 0;
  for (const { sessions } of recordings().filter(({ name }) => FILES.includes(name))) {
    for (const session of sessions.filter((each) => isRun(each) && suits(each))) {
      await replay(session, connect);
      count += 1;
    }
  }
  assert.ok(count >= atLeast, `${count} sessions have run`);
}

async function replay({ id, steps }, connect) {
  const connections = new Map();
  for (const step of steps) {
    if (!connections.has(step.connection)) connections.set(step.connection, await connect(id));
    const got = await connections.get(step.connection).ask(step.argv);
    assert.ok(matches(step, got), `${id}: ${describe(step, got)}`);
  }
  for (const connection of connections.values()) connection.close();
}
