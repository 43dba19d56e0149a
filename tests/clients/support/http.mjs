// Servers of HTTP on a port of this machine, each for the duration of a test.
import { once } from 'node:events';
import { createServer } from 'node:http';

/** Serves by a listener of `node:http`, such as an app of express; resolves to the address. */
export async function listening(t, listener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${server.address().port}`;
}
