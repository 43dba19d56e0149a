/**
 * Entry `keylatch/ioredis`: ioredis over engines in this process, without a socket. In place of the module `ioredis` in a
 * test, or by the option `Connector` of a real client.
 */
import { Redis } from '../adapters/ioredis/redis.js';

export * from '../adapters/ioredis/redis.js';
export { InProcessServer, type AddressOptions } from '../adapters/ioredis/servers.js';
export { reset } from '../testing/registry.js';
export default Redis;
