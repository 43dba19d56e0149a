/** The socket of a command that waits, at the shard of its keys. */
import { abortReason } from '../base/abort.js';
import { ClosedError } from '../base/errors.js';
import { keyIndices } from '../client/key-positions.js';
import { encodeRequests } from '../resp/encode.js';
import type { ClientLines } from './client-lines.js';
import type { IdleLines } from './idle-lines.js';
import { Moved, type Shards, slotOfRequest, unlessMoved } from './shards.js';
import type { SocketLine } from './socket-line.js';
import type { Line, RemoteRequest } from './transport.js';

/** The sockets of a database, as a command that waits needs them. */
export interface WaitingSockets {
  readonly shards: Shards;
  readonly idle: IdleLines;
  /** Those of the database's client, which find the shard of a key. */
  readonly first: ClientLines;
}

export class WaitingLine implements Line {
  readonly #sockets: WaitingSockets;
  readonly #db: number;
  #own: { readonly line: SocketLine; readonly url: string } | undefined;
  #closed = false;

  constructor(sockets: WaitingSockets, db: number) {
    this.#sockets = sockets;
    this.#db = db;
  }

  send(request: RemoteRequest): Promise<readonly Uint8Array[]> {
    return this.#sockets.shards.run(
      () => slotOfRequest(request),
      (url) => this.#sendTo(url, request),
      (url) => this.#probe(url, request),
    );
  }

  close(): void {
    this.#closed = true;
    this.#release();
  }

  async #sendTo(url: string, request: RemoteRequest): Promise<readonly Uint8Array[]> {
    if (this.#closed) throw new ClosedError('client');
    if (request.signal?.aborted) throw abortReason(request.signal);
    const line = this.#sockets.idle.take(url, this.#db);
    this.#own = { line, url };
    try {
      return await unlessMoved(line.send(request), request);
    } catch (error) {
      if (error instanceof Moved) this.#release();
      throw error;
    }
  }

  #release(): void {
    if (this.#own !== undefined) this.#sockets.idle.keep(this.#own.line, this.#own.url, this.#db);
    this.#own = undefined;
  }

  /** Asks whether a shard has the keys by a command that answers at once. */
  async #probe(url: string, waiting: RemoteRequest): Promise<unknown> {
    const [argv = []] = waiting.commands;
    const key = argv[keyIndices(argv)[0] ?? 0] ?? '';
    const probe = [['EXISTS', key]];
    const request = {
      kind: 'commands',
      commands: probe,
      bytes: encodeRequests(probe),
      name: 'EXISTS',
      isRead: true,
    } as const;
    return unlessMoved(this.#sockets.first.at(url).send(request), request);
  }
}
