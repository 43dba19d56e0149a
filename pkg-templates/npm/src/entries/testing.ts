/** Entry `keylatch/testing`: sessions, comparisons of keyspaces, and servers for tests. For Node. */
export * from '../testing/portable.js';
export {
  Fault,
  Latency,
  type FaultKind,
  type FaultOptions,
  type RequestFilter,
} from '../testing/faults.js';
export {
  RedisMemoryServer,
  type RedisInstanceInfo,
  type RedisMemoryServerOptions,
} from '../testing/redis-memory-server.js';
export { reset } from '../testing/registry.js';
export { StartedServer, startServer, type StartOptions } from '../testing/start-server.js';
export { TestServer, type ConnectedClient } from '../testing/test-server.js';
