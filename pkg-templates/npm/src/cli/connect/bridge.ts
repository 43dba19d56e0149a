/** A bridge: a port of this machine at which any Redis client reaches a keylatch elsewhere. */
import type { Socket } from 'node:net';
import { protocolsOf } from '../../remote/socket-connection.js';
import { Listeners } from '../../server/listeners.js';
import { listenAddressesOf } from '../../server/options.js';
import { BridgedClient } from './bridged-client.js';
import type { ConnectTarget } from './target.js';
import { NodeWebSocket } from './web-socket.js';

/** Where a bridge listens: on this machine alone, since it has the token. */
export interface BridgeOptions {
  /** 0 selects a free port, or none beside a Unix socket. */
  readonly port: number;
  readonly unixSocket: string | undefined;
  /** Called with what a client has lost the server by; not twice in a row with the same. */
  failed(reason: string): void;
}

export class Bridge {
  readonly #target: ConnectTarget;
  readonly #listeners: Listeners;
  readonly #clients = new Set<BridgedClient>();
  readonly #failed: (reason: string) => void;
  #lastReason = '';

  /** Throws if the options are wrong. */
  constructor(target: ConnectTarget, { port, unixSocket, failed }: BridgeOptions) {
    this.#target = target;
    this.#failed = failed;
    const addresses = listenAddressesOf(unixSocket === undefined ? { port } : { port, unixSocket });
    this.#listeners = new Listeners(addresses, (socket) => this.#connected(socket));
  }

  get addresses(): readonly string[] {
    return this.#listeners.addresses;
  }

  async listen(): Promise<void> {
    await this.#listeners.open();
  }

  /** Ends all clients. Resolves when they are gone. */
  async close(): Promise<void> {
    const stopped = this.#listeners.stop();
    for (const client of this.#clients) client.close();
    await stopped;
  }

  #connected(socket: Socket): void {
    const { url, token } = this.#target;
    const client = new BridgedClient(socket, new NodeWebSocket(url, protocolsOf(token), token), (reason) =>
      this.#report(reason),
    );
    this.#clients.add(client);
    socket.on('close', () => this.#clients.delete(client));
  }

  #report(reason: string): void {
    if (reason !== this.#lastReason) this.#failed(reason);
    this.#lastReason = reason;
  }
}
