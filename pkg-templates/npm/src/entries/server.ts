/** Entry `keylatch/server`: the engine behind a socket that Redis clients connect to. For Node. */
export { createServer } from '../server/create-server.js';
export type { ServerOptions } from '../server/options.js';
export { Server } from '../server/server.js';
