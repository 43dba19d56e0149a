/** Runs a scenario on a real redis-server, then on the server of keylatch-scripting. */
import { resolve } from 'node:path';
import { describe, test } from 'node:test';
import Redis from 'ioredis';

// The other tests of clients serve the package without Lua, unless it is named.
process.env.KEYLATCH_PACKAGE ??= resolve(import.meta.dirname, '../../../target/npm/keylatch-scripting');
const { serve } = await import('../../clients/support/server.mjs');
const { serveRedis } = await import('../../clients/support/redis.mjs');

const SERVERS = { 'redis-server': serveRedis, 'keylatch-scripting': serve };

/** A test for each kind of server. The scenario is given the test, the server's port and a function that starts another. */
export function both(name, scenario) {
  describe(name, { concurrency: 1 }, () => {
    for (const [kind, start] of Object.entries(SERVERS)) {
      test(kind, async (t) => {
        const { port } = await start(t);
        // Clients leave before their server does.
        const ends = [];
        try {
          await scenario({ after: (end) => ends.unshift(end) }, port, async () => (await start(t)).port);
        } finally {
          for (const end of ends) await end();
        }
      });
    }
  });
}

/** A client of ioredis for the duration of the test. */
export function client(t, port, options = {}) {
  const redis = new Redis({ port, host: '127.0.0.1', ...options });
  redis.on('error', () => {});
  t.after(() => redis.disconnect());
  return redis;
}
