/// <reference lib="esnext.disposable" preserve="true" />
/**
 * Callbacks for messages of channels. All subscriptions of one database share one client of the engine, which is
 * connected while there are any.
 */
import { bytesOf, type Argument } from '../base/argument.js';
import type { Host } from '../host/host.js';
import type { Instance } from '../host/instance.js';
import { type PushListener, type Parts, Receiver } from './receiver.js';
import { textOf } from '../resp/reply.js';
import type { Shape } from '../base/option-check.js';

/** Callback for messages. The pattern is given for pattern subscriptions. */
export type MessageListener<Text = string> = (message: Text, channel: Text, pattern?: Text) => void;

/** Options of `subscribe` and its relatives. */
export interface SubscribeOptions {
  /** Message, channel and pattern as Uint8Array. */
  readonly buffer?: boolean | undefined;
}

/** @internal */
export const SUBSCRIBE: Shape<SubscribeOptions> = { buffer: 'flag' };

/** Ends a subscription; idempotent, and called by `using`. */
export interface Unsubscribe extends Disposable {
  (): void;
}

/** The three ways to subscribe, by the first word of their messages. */
const COMMANDS = {
  message: ['SUBSCRIBE', 'UNSUBSCRIBE'],
  pmessage: ['PSUBSCRIBE', 'PUNSUBSCRIBE'],
  smessage: ['SSUBSCRIBE', 'SUNSUBSCRIBE'],
} as const;

/** @internal */
export type MessageKind = keyof typeof COMMANDS;

interface Subscriber {
  readonly listener: MessageListener<string | Uint8Array>;
  readonly buffer: boolean;
  /** Called when the engine is closed or has trapped. */
  readonly ended: (() => void) | undefined;
}

/** A channel or a pattern with listeners. */
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

/** @internal */
export class Subscriptions implements PushListener {
  readonly #host: Host;
  readonly #channels = new Map<string, Channel>();
  readonly #receiver: Receiver;

  /** @internal */
  constructor(host: Host) {
    this.#host = host;
    this.#receiver = new Receiver(host, this);
  }

  add(
    kind: MessageKind,
    name: Argument,
    listener: MessageListener<never>,
    options: SubscribeOptions = {},
    ended?: () => void,
  ): Unsubscribe {
    const command = COMMANDS[kind][0];
    if (typeof listener !== 'function') throw new TypeError(`the callback of ${command} must be a function`);
    const bytes = bytesOf(name, 1, command).slice();
    const subscriber = {
      listener: listener as MessageListener<string | Uint8Array>,
      buffer: options.buffer ?? false,
      ended,
    };
    this.#host.enter((instance) => {
      const client = this.#receiver.client ?? this.#receiver.connect(instance);
      const key = keyOf(kind, bytes);
      let channel = this.#channels.get(key);
      if (channel === undefined) {
        channel = { kind, name: bytes, subscribers: [] };
        instance.execute(client, [command, bytes], false);
        this.#channels.set(key, channel);
      }
      channel.subscribers = [...channel.subscribers, subscriber];
    });
    const end = (): void => this.#remove(kind, bytes, subscriber);
    return Object.assign(end, { [Symbol.dispose]: end });
  }

  reconnected(instance: Instance, client: number): void {
    for (const { kind, name } of this.#channels.values()) instance.execute(client, [COMMANDS[kind][0], name], false);
  }

  ended(): void {
    const all: Subscriber[] = [];
    for (const channel of this.#channels.values()) {
      all.push(...channel.subscribers);
      channel.subscribers = [];
    }
    this.#channels.clear();
    for (const { ended } of all) ended?.();
  }

  #remove(kind: MessageKind, name: Uint8Array, subscriber: Subscriber): void {
    const key = keyOf(kind, name);
    const channel = this.#channels.get(key);
    if (channel === undefined || !channel.subscribers.includes(subscriber)) return;
    channel.subscribers = channel.subscribers.filter((other) => other !== subscriber);
    if (channel.subscribers.length > 0) return;
    this.#channels.delete(key);
    const { client } = this.#receiver;
    if (client === undefined || this.#host.closed || this.#host.poisoned) return;
    this.#host.enter((instance) => {
      if (this.#channels.size === 0) this.#receiver.disconnect(instance);
      else instance.execute(client, [COMMANDS[kind][1], name], false);
    });
  }

  received(parts: Parts): void {
    const [first, ...rest] = parts as Uint8Array[];
    const kind = textOf(first as Uint8Array);
    const [name, channel, message] = kind === 'pmessage' ? rest : [rest[0], ...rest];
    if (name === undefined || channel === undefined || message === undefined) return;
    const listening = this.#channels.get(keyOf(kind, name));
    for (const subscriber of listening?.subscribers ?? []) {
      // A removed listener is not called, also within this delivery.
      if (!listening?.subscribers.includes(subscriber)) continue;
      const { listener, buffer } = subscriber;
      const shown = (bytes: Uint8Array): string | Uint8Array => (buffer ? bytes : textOf(bytes));
      this.#host.events.run(() => {
        if (kind === 'pmessage') listener(shown(message), shown(channel), shown(name));
        else listener(shown(message), shown(channel));
      });
    }
  }
}
