// A proxy in front of a server, which delays, cuts and swallows what passes.
import { createServer, connect } from 'node:net';
import { once } from 'node:events';

/** Faults of a proxy; each connection takes those of the time when it begins. */
export class FaultProxy {
  /** Bytes of an answer that pass before the connection is cut. */
  cutAfter = Infinity;
  /** Swallows answers: the server is silent. */
  isSilent = false;
  /** Delay of each piece of an answer. */
  delayMs = 0;
  /** Number of connections that get the faults; those behind them get none. */
  faulty = Infinity;
  connections = 0;
  #server;
  #sockets = new Set();

  /** A proxy for a port, closed after the test `t`. */
  static async start(t, port) {
    const proxy = new FaultProxy();
    proxy.#server = createServer((client) => proxy.#connected(client, port)).listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    t.after(() => proxy.close());
    return proxy;
  }

  get port() {
    return this.#server.address().port;
  }

  /** Ends all connections. */
  cut() {
    for (const socket of this.#sockets) socket.destroy();
  }

  close() {
    this.cut();
    this.#server.close();
  }

  #connected(client, port) {
    this.connections += 1;
    const isFaulty = this.faulty > 0;
    this.faulty -= 1;
    const { cutAfter, isSilent, delayMs } = isFaulty ? this : new FaultProxy();
    const server = connect(port, '127.0.0.1');
    let passed = 0;
    const end = () => [client, server].forEach((socket) => socket.destroy());
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on('error', end).on('close', () => {
        this.#sockets.delete(socket);
        if (socket === client || !isSilent) end();
      });
    }
    client.on('data', (bytes) => server.write(bytes));
    server.on('data', async (bytes) => {
      if (isSilent) return;
      if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
      const left = cutAfter - passed;
      passed += bytes.length;
      if (left < bytes.length) client.end(bytes.subarray(0, Math.max(left, 0)), end);
      else client.write(bytes);
    });
  }
}
