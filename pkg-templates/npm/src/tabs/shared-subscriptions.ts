/// <reference lib="esnext.disposable" preserve="true" />
/** Subscriptions of a tab. They are its own state: each new leader is asked for all of them. */
import { decodeReplies } from '../resp/reply.js';
import { ReplyError } from '../base/errors.js';
import type { Argument } from '../base/argument.js';
import {
  Channels,
  COMMANDS,
  subscription,
  type MessageKind,
  type MessageListener,
  type Subscriber,
} from '../client/channels.js';
import type { SubscribeOptions, Unsubscribe } from '../client/subscriptions.js';
import type { Hub } from './hub.js';
import { encodeRequests } from '../resp/encode.js';
import type { CommandRequest, Push } from './wire.js';

export class SharedSubscriptions {
  readonly #hub: Hub;
  /** Runs a callback; errors of callbacks do not reach other calls. */
  readonly #run: (callback: () => void) => void;
  readonly #client: number;
  readonly #channels = new Channels();
  #epoch: number | undefined;

  constructor(hub: Hub, run: (callback: () => void) => void) {
    this.#hub = hub;
    this.#run = run;
    this.#client = hub.nextClient();
  }

  /** Adds a callback; resolves when the leader has the subscription. */
  async add(
    kind: MessageKind,
    name: Argument,
    listener: MessageListener<never>,
    { buffer = false }: SubscribeOptions,
  ): Promise<Unsubscribe> {
    const [command, channel] = subscription(kind, name, listener);
    const subscriber = { listener: listener as Subscriber['listener'], buffer };
    this.#channels.add(kind, channel, subscriber);
    const end = (): void => this.#remove(kind, channel, subscriber);
    try {
      await this.#send([command, channel]);
    } catch (error) {
      end();
      throw error;
    }
    return Object.assign(end, { [Symbol.dispose]: end });
  }

  /** Subscribes again at a new leader. */
  led(): void {
    if (this.#channels.size === 0) return;
    // Without an answer the next leader, or the next subscription, brings them back.
    this.#send(undefined).catch(() => {});
  }

  pushed({ client, bytes }: Pick<Push, 'client' | 'bytes'>): void {
    if (client !== this.#client) return;
    for (const parts of decodeReplies(bytes, { buffer: true })) {
      if (parts instanceof ReplyError) throw parts;
      if (Array.isArray(parts)) this.#channels.deliver(parts as Uint8Array[], this.#run);
    }
  }

  #remove(kind: MessageKind, name: Uint8Array, subscriber: Subscriber): void {
    if (!this.#channels.remove(kind, name, subscriber) || this.#hub.closed) return;
    this.#send([COMMANDS[kind][1], name]).catch(() => {});
  }

  async #send(command: readonly Argument[] | undefined): Promise<void> {
    const make = (epoch: number): CommandRequest => {
      const isNew = this.#epoch !== epoch;
      this.#epoch = epoch;
      const setup = isNew ? this.#everything() : [];
      const commands = command === undefined ? setup : [...setup, command];
      const bytes = encodeRequests(commands.length === 0 ? [['PING']] : commands);
      return { kind: 'command', client: this.#client, bytes, opens: isNew };
    };
    const { deadlineMs } = this.#hub.options;
    try {
      const outcome = await this.#hub.call({ make, isResent: true, deadlineMs });
      if (outcome.kind === 'bytes') return this.pushed({ client: this.#client, bytes: outcome.bytes });
      this.#epoch = undefined;
      if (outcome.kind === 'unknown') return this.#send(command);
    } catch (error) {
      this.#epoch = undefined;
      throw error;
    }
  }

  #everything(): Argument[][] {
    return [['HELLO', 3], ...[...this.#channels.all()].map(({ kind, name }) => [COMMANDS[kind][0], name])];
  }
}
