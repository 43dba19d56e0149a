/** Entry `keylatch/server`: the engine behind a socket that Redis clients connect to. For Node. */
import { Keylatch } from './index.js';
import { SERVER, type ServerOptions } from './server/options.js';
import { Server } from './server/server.js';

export { Server } from './server/server.js';
export type { ServerOptions } from './server/options.js';

/** A server that is not listening yet: `await createServer({ port: 6379 }).listen()`. */
export function createServer(options?: ServerOptions): Server {
  return new Server(Keylatch.checkedOptions('createServer', options, SERVER), () => new Keylatch());
}
