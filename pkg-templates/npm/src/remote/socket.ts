/** The way by WebSockets: a socket for each client, others for commands that wait, and subscriptions on the first. */
import type { Argument } from '../base/argument.js';
import { COMMANDS, type MessageKind } from '../client/channels.js';
import { ClientState } from '../client/shared/state.js';
import { encodeRequests } from '../resp/encode.js';
import { textOf } from '../resp/reply.js';
import type { CachedReads } from './cached-reads.js';
import type { Pushes, SocketTarget } from './socket-line.js';
import { SocketLine } from './socket-line.js';
import type { ChannelSource, Deliver, Line, Transport } from './transport.js';

/** Sockets that are kept for further waits, and how long. */
const IDLE_MAX = 4;
const LINGER_MS = 10_000;

export class SocketTransport implements Transport {
  readonly #target: SocketTarget;
  readonly #cache: CachedReads | undefined;
  /** The line of the database itself. */
  #first: SocketLine | undefined;
  readonly #idle = new Map<SocketLine, { readonly db: number; readonly timer: ReturnType<typeof setTimeout> }>();
  #closed = false;

  /** The cache is that of the first line. */
  constructor(target: SocketTarget, cache?: CachedReads) {
    this.#target = target;
    this.#cache = cache;
  }

  line(state: ClientState): Line {
    const line = new SocketLine(this.#target, state);
    if (this.#first === undefined) this.#begin(line);
    return line;
  }

  #begin(line: SocketLine): void {
    this.#first = line;
    if (this.#cache === undefined) return;
    this.#cache.isFresh = () => line.isAlive;
    line.listen(new CacheInvalidation(this.#cache));
  }

  waitingLine(db: number): Line {
    const line = this.#takeIdle(db) ?? new SocketLine(this.#target, new ClientState({ db }));
    return {
      send: (request) => line.send(request),
      close: () => this.#keep(line, db),
    };
  }

  channels(deliver: Deliver): ChannelSource {
    const channels = new SocketChannels(this.#first as SocketLine, deliver);
    this.#first?.listen(channels);
    return channels;
  }

  close(): void {
    this.#closed = true;
    for (const [line, { timer }] of this.#idle) {
      clearTimeout(timer);
      line.close();
    }
    this.#idle.clear();
  }

  #takeIdle(db: number): SocketLine | undefined {
    for (const [line, kept] of this.#idle) {
      if (kept.db !== db) continue;
      clearTimeout(kept.timer);
      this.#idle.delete(line);
      if (line.isIdle) return line;
      line.close();
    }
    return undefined;
  }

  #keep(line: SocketLine, db: number): void {
    if (this.#closed || !line.isIdle || this.#idle.size >= IDLE_MAX) return line.close();
    const end = (): void => {
      this.#idle.delete(line);
      line.close();
    };
    this.#idle.set(line, { db, timer: setTimeout(end, LINGER_MS) });
  }
}

/** Names of keys that have changed since the line has read them, for a cache. All of it ends with the connection. */
class CacheInvalidation implements Pushes {
  readonly isWanted = false;
  readonly #cache: CachedReads;

  constructor(cache: CachedReads) {
    this.#cache = cache;
  }

  setup(): readonly (readonly Argument[])[] {
    return [['CLIENT', 'TRACKING', 'ON']];
  }

  pushed([kind, keys]: readonly unknown[]): void {
    // Null: all keys of a database, or more than the server could remember.
    if (textOf(kind as Uint8Array) === 'invalidate') this.#cache.forget((keys as Uint8Array[] | null) ?? undefined);
  }

  lost(): void {
    this.#cache.forget();
  }
}

/** Subscriptions of a line. */
class SocketChannels implements ChannelSource, Pushes {
  readonly #line: SocketLine;
  readonly #deliver: Deliver;
  /** Commands by kind and channel. */
  readonly #commands = new Map<string, readonly Argument[]>();

  constructor(line: SocketLine, deliver: Deliver) {
    this.#line = line;
    this.#deliver = deliver;
  }

  async begin(kind: MessageKind, name: Uint8Array): Promise<void> {
    const command = [COMMANDS[kind][0], name];
    this.#commands.set(keyOf(kind, name), command);
    await this.#send(command);
  }

  end(kind: MessageKind, name: Uint8Array): void {
    this.#commands.delete(keyOf(kind, name));
    // A connection that is yet to come has no subscription of it.
    if (!this.#line.isOpen) return;
    this.#send([COMMANDS[kind][1], name]).catch(() => {});
  }

  setup(): readonly (readonly Argument[])[] {
    return [...this.#commands.values()];
  }

  get isWanted(): boolean {
    return this.#commands.size > 0;
  }

  pushed(message: readonly unknown[]): void {
    this.#deliver(message as readonly Uint8Array[]);
  }

  lost(): void {}

  #send(command: readonly Argument[]): Promise<unknown> {
    const commands = [command];
    const name = String(command[0]);
    return this.#line.send({ kind: 'subscription', commands, bytes: encodeRequests(commands), name, isRead: true });
  }
}

function keyOf(kind: MessageKind, name: Uint8Array): string {
  return `${kind} ${name.join()}`;
}
