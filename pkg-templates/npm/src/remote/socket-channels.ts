/** Subscriptions of a database: each is on the line to the shard of its channel. */
import type { Argument } from '../base/argument.js';
import { slotOfBytes } from '../base/cluster-slot.js';
import { COMMANDS, type MessageKind } from '../client/channels.js';
import { encodeRequests } from '../resp/encode.js';
import { textOf } from '../resp/reply.js';
import type { ClientLines } from './client-lines.js';
import { movedOf, type Shards } from './shards.js';
import type { Pushes, SocketLine } from './socket-line.js';
import type { ChannelSource, Deliver } from './transport.js';

/** Channels of events of keys: each shard has those of its own keys. */
const EVENTS = /^__key(?:space|event)@/;

export class SocketChannels implements ChannelSource {
  readonly #lines: ClientLines;
  readonly #shards: Shards;
  readonly #deliver: Deliver;
  /** Channels by the address of their line, and addresses by channel. */
  readonly #byUrl = new Map<string, LineChannels>();
  readonly #urls = new Map<string, string>();

  constructor(lines: ClientLines, shards: Shards, deliver: Deliver) {
    this.#lines = lines;
    this.#shards = shards;
    this.#deliver = deliver;
  }

  async begin(kind: MessageKind, name: Uint8Array): Promise<void> {
    const isOfShard = kind === 'pmessage' || EVENTS.test(textOf(name));
    await this.#shards.run(
      () => (isOfShard ? undefined : slotOfBytes(name)),
      async (url) => {
        this.#urls.set(keyOf(kind, name), url);
        await this.#at(url).begin(kind, name);
      },
    );
  }

  end(kind: MessageKind, name: Uint8Array): void {
    const key = keyOf(kind, name);
    const url = this.#urls.get(key);
    this.#urls.delete(key);
    if (url !== undefined) this.#byUrl.get(url)?.end(kind, name);
  }

  #at(url: string): LineChannels {
    const found = this.#byUrl.get(url);
    if (found !== undefined) return found;
    const line = this.#lines.at(url);
    const channels = new LineChannels(line, this.#deliver);
    line.listen(channels);
    this.#byUrl.set(url, channels);
    return channels;
  }
}

/** Subscriptions of a line. */
class LineChannels implements ChannelSource, Pushes {
  readonly #line: SocketLine;
  readonly #deliver: Deliver;
  /** Channels that are not ended. */
  readonly #wanted = new Set<string>();
  /** Commands of those that are confirmed. */
  readonly #commands = new Map<string, readonly Argument[]>();

  constructor(line: SocketLine, deliver: Deliver) {
    this.#line = line;
    this.#deliver = deliver;
  }

  /** Rejects with Moved if the channel is one of another shard. */
  async begin(kind: MessageKind, name: Uint8Array): Promise<void> {
    const key = keyOf(kind, name);
    const command = [COMMANDS[kind][0], name];
    this.#wanted.add(key);
    try {
      await this.#send(command);
    } catch (error) {
      this.#wanted.delete(key);
      throw movedOf(error) ?? error;
    }
    // A new connection begins with the channels that are confirmed: the request for others is sent again by itself.
    if (this.#wanted.has(key)) this.#commands.set(key, command);
    else this.#unsubscribe(kind, name);
  }

  end(kind: MessageKind, name: Uint8Array): void {
    const key = keyOf(kind, name);
    this.#wanted.delete(key);
    // A connection that is yet to come has no subscription of it.
    if (this.#commands.delete(key) && this.#line.isOpen) this.#unsubscribe(kind, name);
  }

  #unsubscribe(kind: MessageKind, name: Uint8Array): void {
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
