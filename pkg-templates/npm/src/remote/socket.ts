/** The way by WebSockets: those of each client, others for commands that wait, and subscriptions on the first. */
import type { ClientState } from '../client/shared/state.js';
import { CacheInvalidation } from './cache-invalidation.js';
import type { CachedReads } from './cached-reads.js';
import { ClientLines } from './client-lines.js';
import { IdleLines } from './idle-lines.js';
import { Shards } from './shards.js';
import { SocketChannels } from './socket-channels.js';
import type { SocketLine, SocketTarget } from './socket-line.js';
import type { ChannelSource, Deliver, Line, Transport } from './transport.js';
import { WaitingLine } from './waiting-line.js';

export class SocketTransport implements Transport {
  readonly #target: SocketTarget;
  readonly #cache: CachedReads | undefined;
  readonly #shards: Shards;
  readonly #idle: IdleLines;
  /** Lines of the database itself. */
  #first: ClientLines | undefined;

  /** The cache is that of the first client. */
  constructor(target: SocketTarget, cache?: CachedReads) {
    this.#target = target;
    this.#cache = cache;
    this.#shards = new Shards(target.url);
    this.#idle = new IdleLines(target);
  }

  line(state: ClientState): Line {
    if (this.#first !== undefined) return new ClientLines(this.#target, state, this.#shards, () => {});
    const cache = this.#cache;
    const begun = (line: SocketLine): void => cache && line.listen(new CacheInvalidation(cache));
    const lines = new ClientLines(this.#target, state, this.#shards, begun);
    if (cache !== undefined) cache.isFresh = () => lines.isAlive;
    this.#first = lines;
    return lines;
  }

  waitingLine(db: number): Line {
    const first = this.#first as ClientLines;
    return new WaitingLine({ shards: this.#shards, idle: this.#idle, first }, db);
  }

  channels(deliver: Deliver): ChannelSource {
    return new SocketChannels(this.#first as ClientLines, this.#shards, deliver);
  }

  close(): void {
    this.#idle.close();
  }
}
