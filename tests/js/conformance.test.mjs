// Recorded replies of a real Redis, compared through two interfaces: the WebAssembly engine of the built package, and
// RESP over TCP. The third one, the native engine, is in tests/conformance.rs.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe as suite, test } from 'node:test';
import { entry, scripting } from './support/package.mjs';
import { describe, matches, recordings, request } from './support/recordings.mjs';

// 2026-01-01: the recordings hold dates long past and dates after 2100.
const NOW_MS = 1_767_225_600_000;

/** Recordings with commands that are not there yet; tests/conformance.rs has how many of their sessions must run. */
const PARTIAL = ['stream', 'group'];
const known = await knownCommands();
const all = recordings().map(({ name, sessions }) =>
  PARTIAL.includes(name) ? { name, sessions: sessions.filter(isImplemented) } : { name, sessions },
);

async function knownCommands() {
  const { Keylatch } = await entry('index');
  return new Set(new Keylatch().call('COMMAND', 'LIST').map((name) => name.toLowerCase()));
}

function isImplemented({ steps }) {
  return steps.every(({ argv }) => known.has(argv[0].toString().toLowerCase()));
}

/** Recordings of scripts, for the package with Lua. */
const OF_SCRIPTS = ['script', 'function'];
const files = all.filter(({ name }) => !OF_SCRIPTS.includes(name));
const scripts = all.filter(({ name }) => OF_SCRIPTS.includes(name));
const BUILDS = [
  { build: 'keylatch', entry, files },
  { build: 'keylatch-scripting', entry: scripting, files: scripts },
];

test('there are recordings', () => {
  assert.ok(files.length >= 12, String(files.length));
  assert.equal(scripts.length, 2);
});

for (const { build, entry, files } of BUILDS)
  suite(`the engine of ${build}`, async () => {
    const { Keylatch, ManualClock } = await entry('index');
    for (const { name, sessions } of files) {
      test(name, () => {
        for (const session of sessions) {
          const clock = new ManualClock(NOW_MS);
          const db = new Keylatch({ clock });
          replay(db, clock, session);
          db.close();
        }
      });
    }
  });

function replay(db, clock, { id, steps }) {
  const clients = new Map();
  for (const step of steps) {
    if (!clients.has(step.connection)) clients.set(step.connection, db.client({ protocol: 2 }));
    const client = clients.get(step.connection);
    let got = Buffer.from(client.callRaw(...step.argv));
    // In the recordings no other client serves a blocked one: its timeout passes.
    if (got.length === 0) {
      clock.set(db.nextExpiry() ?? NOW_MS);
      got = Buffer.from(client.takeOutbox());
    }
    assert.ok(matches(step, got), `${id}: ${describe(step, got)}`);
  }
}

/** A connection that sends a request and returns the next whole reply. */
class Peer {
  #socket;
  #received = Buffer.alloc(0);

  constructor(port) {
    this.#socket = connect(port, '127.0.0.1');
    this.#socket.setNoDelay(true);
    this.#socket.on('data', (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk]);
    });
  }

  async ask(argv) {
    this.#socket.write(request(argv));
    for (;;) {
      const length = replyLength(this.#received, 0);
      if (length > 0) {
        const reply = this.#received.subarray(0, length);
        this.#received = this.#received.subarray(length);
        return reply;
      }
      await once(this.#socket, 'data');
    }
  }

  close() {
    this.#socket.destroy();
  }
}

/** Length in bytes of the reply at `at`, 0 while it is incomplete. */
function replyLength(bytes, at) {
  const end = bytes.indexOf('\r\n', at);
  if (end < 0) return 0;
  const [type, count] = [bytes[at], Number(bytes.toString('latin1', at + 1, end))];
  let next = end + 2;
  if (type === 0x24 && count >= 0) next += count + 2;
  if (type === 0x2a) {
    for (let left = count; left > 0; left -= 1) {
      const length = replyLength(bytes, next);
      if (length === 0) return 0;
      next += length;
    }
  }
  return next <= bytes.length ? next - at : 0;
}

for (const { build, entry, files } of BUILDS)
  suite(`a server of ${build} over TCP`, () => {
    let server;
    before(async () => {
      const { createServer } = await entry('server');
      server = createServer({ port: 0 });
      await server.listen();
    });
    after(() => server.close());

    for (const { name, sessions } of files) {
      test(name, async () => {
        for (const { id, steps } of sessions) {
          const peers = new Map();
          const reset = new Peer(server.port);
          await reset.ask([Buffer.from('FLUSHALL')]);
          for (const step of steps) {
            if (!peers.has(step.connection)) peers.set(step.connection, new Peer(server.port));
            const got = await peers.get(step.connection).ask(step.argv);
            assert.ok(matches(step, got), `${id}: ${describe(step, got)}`);
          }
          [reset, ...peers.values()].forEach((peer) => peer.close());
        }
      });
    }
  });
