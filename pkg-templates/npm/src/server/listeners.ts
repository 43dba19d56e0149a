/** The listeners of a server: opened together, and stopped and opened again while its clients' data stays. */
import type { AddressInfo, Server as Listener } from 'node:net';
import { closed, listenAt, shown, type OnConnection } from './addresses.js';
import type { ListenAddresses } from './options.js';

export class Listeners {
  readonly #onConnection: OnConnection;
  #addresses: ListenAddresses;
  #open: Listener[] = [];
  #port = 0;
  #isReferenced = true;
  /** Incremented by each call of `stop`: an opening that was overtaken is undone. */
  #stops = 0;

  constructor(addresses: ListenAddresses, onConnection: OnConnection) {
    this.#addresses = addresses;
    this.#onConnection = onConnection;
  }

  /** The TCP port, or 0 when there is none. Kept while nothing listens. */
  get port(): number {
    return this.#port;
  }

  /** Addresses it listens on: `127.0.0.1:6379`, `[::1]:6379`, or the path of a Unix socket. */
  get addresses(): string[] {
    return this.#open.map((listener) => {
      const address = listener.address() as AddressInfo | string;
      return typeof address === 'string' ? address : shown(address.address, address.port);
    });
  }

  /** Listens at all addresses, at the port of the last time if there was one. */
  async open(): Promise<void> {
    const stops = this.#stops;
    const opened = await listenAt(this.#addresses, this.#onConnection);
    if (stops !== this.#stops) return void (await Promise.all(opened.map(closed)));
    this.#open = opened;
    if (!this.#isReferenced) this.unref();
    const address = opened[0]?.address();
    if (typeof address !== 'object' || address === null) return;
    this.#port = address.port;
    this.#addresses = { ...this.#addresses, port: address.port };
  }

  /** Stops listening at once; resolves when the open connections have ended. */
  async stop(): Promise<void> {
    this.#stops += 1;
    const stopped = this.#open.map(closed);
    this.#open = [];
    await Promise.all(stopped);
  }

  /** Lets the process exit while these listen. */
  unref(): void {
    this.#isReferenced = false;
    for (const listener of this.#open) listener.unref();
  }
}
