/**
 * `keylatch serve` and a real redis-server, both over loopback, in turns: throughput as redis-benchmark measures it,
 * the server's processor time per command, and large collections with their memory.
 */
import { serveRedis } from '../../tests/clients/support/redis.mjs';
import { serve } from '../../tests/clients/support/server.mjs';
import { say } from './options.mjs';
import { measureTests } from './redis-tests.mjs';
import { measureCollections } from './server-collections.mjs';
import { Scope } from './support/scope.mjs';

const SIDES = ['keylatch', 'redis-server'];

say('Servers');
const scope = new Scope();
try {
  const servers = { keylatch: await serve(scope), 'redis-server': await serveRedis(scope) };
  await measureTests(SIDES, servers);
  await measureCollections(SIDES, servers);
} finally {
  await scope.close();
}
