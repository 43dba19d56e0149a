/** The way by WebSockets: a socket for each client, others for commands that wait, and subscriptions on the first. */
import type { Argument } from '../base/argument.js';
import { COMMANDS, type MessageKind } from '../client/channels.js';
import { ClientState } from '../client/shared/state.js';
import { encodeRequests } from '../resp/encode.js';
import { decodeReplies } from '../resp/reply.js';
import type { Pushes, SocketTarget } from './socket-line.js';
import { SocketLine } from './socket-line.js';
import type { ChannelSource, Deliver, Line, Transport } from './transport.js';

/** Sockets that are kept for further waits, and how long. */
const IDLE_MAX = 4;
const LINGER_MS = 10_000;

export class SocketTransport implements Transport {
  readonly #target: SocketTarget;
  /** The line of the database itself. */
  #first: SocketLine | undefined;
  readonly #idle = new Map<SocketLine, { readonly db: number; readonly timer: ReturnType<typeof setTimeout> }>();
  #closed = false;

  constructor(target: SocketTarget) {
    this.#target = target;
  }

  line(state: ClientState): Line {
    const line = new SocketLine(this.#target, state);
    this.#first ??= line;
    return line;
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

  pushed(message: Uint8Array): void {
    const [parts] = decodeReplies(message, { buffer: true });
    if (Array.isArray(parts)) this.#deliver(parts as Uint8Array[]);
  }

  #send(command: readonly Argument[]): Promise<unknown> {
    const commands = [command];
    const name = String(command[0]);
    return this.#line.send({ kind: 'subscription', commands, bytes: encodeRequests(commands), name, isRead: true });
  }
}

function keyOf(kind: MessageKind, name: Uint8Array): string {
  return `${kind} ${name.join()}`;
}
