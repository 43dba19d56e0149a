// Client objects for tests of locks.
import assert from 'node:assert/strict';
import { Redis as Upstash } from '@upstash/redis';
import Redis from 'ioredis';
import Redis6 from 'ioredis-6';
import { createClient } from 'redis';

/** Client objects of a port, each for the duration of a test. */
export const CLIENTS = {
  'ioredis 5': (t, port) => closed(t, new Redis(port, '127.0.0.1'), 'disconnect'),
  'ioredis 6': (t, port) => closed(t, new Redis6(port, '127.0.0.1'), 'disconnect'),
  'node-redis': (t, port) => nodeRedis(t, port, 3),
  'node-redis, RESP2': (t, port) => nodeRedis(t, port, 2),
  '@upstash/redis': (t, port) => new Upstash(overTcp(closed(t, new Redis(port, '127.0.0.1'), 'disconnect'))),
};

/** Closes a client object at the end of a test; its errors are no failures of it. */
export function closed(t, client, method) {
  client.on('error', () => {});
  t.after(() => client[method]());
  return client;
}

async function nodeRedis(t, port, RESP) {
  const client = closed(t, createClient({ socket: { port, host: '127.0.0.1' }, RESP }), 'destroy');
  await client.connect();
  return client;
}

/** Requester of @upstash/redis that runs its commands on a real server. */
function overTcp(redis) {
  return {
    request: async ({ body: [command, ...args] }) => {
      const result = await redis.call(String(command), ...args.map(String));
      return { result };
    },
  };
}

/** The error that a promise rejects with. */
export async function errorOf(promise) {
  return promise.then(
    () => assert.fail('expected a rejection'),
    (error) => error,
  );
}

/** A connection beside that of the locks. */
export function control(t, port) {
  return closed(t, new Redis(port, '127.0.0.1'), 'disconnect');
}
