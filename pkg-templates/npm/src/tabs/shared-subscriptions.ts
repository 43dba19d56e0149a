/// <reference lib="esnext.disposable" preserve="true" />
/** Subscriptions of a tab. They are its own state: each new leader is asked for all of them. */
import { Keylatch } from '../db/built-in.js';
import type { Argument } from '../base/argument.js';
import type { MessageKind, MessageListener, SubscribeOptions, Unsubscribe } from '../client/subscriptions.js';
import type { Hub } from './hub.js';
import { encodeRequests } from '../resp/encode.js';
import type { CommandRequest, Push } from './wire.js';

const { bytesOf, decodeReplies, textOf } = Keylatch.parts;
const { ReplyError } = Keylatch.parts.errors;

/** The commands of the three kinds of subscriptions. */
const COMMANDS = {
  message: ['SUBSCRIBE', 'UNSUBSCRIBE'],
  pmessage: ['PSUBSCRIBE', 'PUNSUBSCRIBE'],
  smessage: ['SSUBSCRIBE', 'SUNSUBSCRIBE'],
} as const;

interface Subscriber {
  readonly listener: MessageListener<string | Uint8Array>;
  readonly buffer: boolean;
}

interface Channel {
  readonly kind: MessageKind;
  readonly name: Uint8Array;
  // Replaced, never modified in place: a delivery in progress continues with the list it started with.
  subscribers: readonly Subscriber[];
}

/** Text key that is equal for equal bytes, also where they are no UTF-8. */
function keyOf(kind: string, name: Uint8Array): string {
  let key = `${kind} `;
  for (const byte of name) key += String.fromCharCode(byte);
  return key;
}

export class SharedSubscriptions {
  readonly #hub: Hub;
  /** Runs a callback; errors of callbacks do not reach other calls. */
  readonly #run: (callback: () => void) => void;
  readonly #client: number;
  readonly #channels = new Map<string, Channel>();
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
    const command = COMMANDS[kind][0];
    if (typeof listener !== 'function') throw new TypeError(`the callback of ${command} must be a function`);
    const bytes = bytesOf(name, 1, command).slice();
    const key = keyOf(kind, bytes);
    const subscriber = { listener: listener as MessageListener<string | Uint8Array>, buffer };
    const channel = this.#channels.get(key) ?? { kind, name: bytes, subscribers: [] };
    channel.subscribers = [...channel.subscribers, subscriber];
    this.#channels.set(key, channel);
    const end = (): void => this.#remove(key, subscriber);
    try {
      await this.#send([command, bytes]);
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
      if (Array.isArray(parts)) this.#received(parts as Uint8Array[]);
    }
  }

  #remove(key: string, subscriber: Subscriber): void {
    const channel = this.#channels.get(key);
    if (channel === undefined || !channel.subscribers.includes(subscriber)) return;
    channel.subscribers = channel.subscribers.filter((other) => other !== subscriber);
    if (channel.subscribers.length > 0) return;
    this.#channels.delete(key);
    if (!this.#hub.closed) this.#send([COMMANDS[channel.kind][1], channel.name]).catch(() => {});
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
    return [['HELLO', 3], ...[...this.#channels.values()].map(({ kind, name }) => [COMMANDS[kind][0], name])];
  }

  #received([first, ...rest]: readonly Uint8Array[]): void {
    const kind = textOf(first as Uint8Array);
    if (!Object.hasOwn(COMMANDS, kind)) return;
    const [name, channel, message] = kind === 'pmessage' ? rest : [rest[0], ...rest];
    if (name === undefined || channel === undefined || message === undefined) return;
    const listening = this.#channels.get(keyOf(kind, name));
    for (const subscriber of listening?.subscribers ?? []) {
      // A removed listener is not called, also within this delivery.
      if (!listening?.subscribers.includes(subscriber)) continue;
      const { listener, buffer } = subscriber;
      const shown = (bytes: Uint8Array): string | Uint8Array => (buffer ? bytes : textOf(bytes));
      this.#run(() => {
        if (kind === 'pmessage') listener(shown(message), shown(channel), shown(name));
        else listener(shown(message), shown(channel));
      });
    }
  }
}
