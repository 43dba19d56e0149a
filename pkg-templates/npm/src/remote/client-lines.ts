/** Sockets of one client: one, and in a namespace of several shards one for each that it has reached. */
import { ClosedError } from '../base/errors.js';
import type { ClientState } from '../client/shared/state.js';
import { type Shards, slotOfRequest, unlessMoved } from './shards.js';
import { SocketLine, type SocketTarget } from './socket-line.js';
import type { Line, RemoteRequest } from './transport.js';

/** Commands about the client itself, which is one on each shard. */
const OF_CLIENT = /^(?:SELECT|UNWATCH|CLIENT)$/;

export class ClientLines implements Line {
  readonly #target: SocketTarget;
  readonly #state: ClientState;
  readonly #shards: Shards;
  readonly #begun: (line: SocketLine) => void;
  /** Lines by address. */
  readonly #lines = new Map<string, SocketLine>();
  #closed = false;

  /** `begun` is called with each line before it is used. */
  constructor(target: SocketTarget, state: ClientState, shards: Shards, begun: (line: SocketLine) => void) {
    this.#target = target;
    this.#state = state;
    this.#shards = shards;
    this.#begun = begun;
  }

  /** Whether each server that is connected has given a sign of life lately. */
  get isAlive(): boolean {
    const open = [...this.#lines.values()].filter(({ isOpen }) => isOpen);
    return open.length > 0 && open.every(({ isAlive }) => isAlive);
  }

  /** The line to an address. */
  at(url: string): SocketLine {
    const found = this.#lines.get(url);
    if (found !== undefined) return found;
    if (this.#closed) throw new ClosedError('client');
    const line = new SocketLine({ ...this.#target, url }, this.#state);
    this.#lines.set(url, line);
    this.#begun(line);
    return line;
  }

  send(request: RemoteRequest): Promise<readonly Uint8Array[]> {
    if (this.#lines.size > 1 && OF_CLIENT.test(request.name)) return this.#sendToAll(request);
    return this.#shards.run(
      () => slotOfRequest(request),
      async (url) => unlessMoved(this.at(url).send(request), request),
    );
  }

  close(): void {
    this.#closed = true;
    for (const line of this.#lines.values()) line.close();
  }

  async #sendToAll(request: RemoteRequest): Promise<readonly Uint8Array[]> {
    const [first] = await Promise.all([...this.#lines.values()].map((line) => line.send(request)));
    return first as readonly Uint8Array[];
  }
}
