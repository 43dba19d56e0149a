/** Channels and patterns with their listeners, and the delivery of messages to them. Sends nothing. */
import { bytesOf, type Argument } from '../base/argument.js';
import { textOf } from '../resp/reply.js';
import { CallerTypeError } from '../base/caller-errors.js';

/** Callback for messages. The pattern is given for pattern subscriptions. */
export type MessageListener<Text = string> = (message: Text, channel: Text, pattern?: Text) => void;

/** @internal The commands of the three kinds of subscriptions, by the first word of their messages. */
export const COMMANDS = {
  message: ['SUBSCRIBE', 'UNSUBSCRIBE'],
  pmessage: ['PSUBSCRIBE', 'PUNSUBSCRIBE'],
  smessage: ['SSUBSCRIBE', 'SUNSUBSCRIBE'],
} as const;

/** @internal */
export type MessageKind = keyof typeof COMMANDS;

/** @internal */
export interface Subscriber {
  readonly listener: MessageListener<string | Uint8Array>;
  readonly buffer: boolean;
  /** Called when the engine is closed or has trapped. */
  readonly ended?: (() => void) | undefined;
}

/** @internal A channel or a pattern with listeners. */
export interface Channel {
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

/** @internal The command that begins a subscription, after a check of its arguments. */
export function subscription(kind: MessageKind, name: Argument, listener: unknown): readonly [string, Uint8Array] {
  const command = COMMANDS[kind][0];
  if (typeof listener !== 'function') throw new CallerTypeError(`the callback of ${command} must be a function`);
  return [command, bytesOf(name, 1, command).slice()];
}

/** @internal */
export class Channels {
  readonly #channels = new Map<string, Channel>();

  get size(): number {
    return this.#channels.size;
  }

  all(): Iterable<Channel> {
    return this.#channels.values();
  }

  has(kind: MessageKind, name: Uint8Array): boolean {
    return this.#channels.has(keyOf(kind, name));
  }

  add(kind: MessageKind, name: Uint8Array, subscriber: Subscriber): void {
    const key = keyOf(kind, name);
    const channel = this.#channels.get(key) ?? { kind, name, subscribers: [] };
    channel.subscribers = [...channel.subscribers, subscriber];
    this.#channels.set(key, channel);
  }

  /** True if that was the last subscriber of the channel, which is gone then. */
  remove(kind: MessageKind, name: Uint8Array, subscriber: Subscriber): boolean {
    const key = keyOf(kind, name);
    const channel = this.#channels.get(key);
    if (channel === undefined || !channel.subscribers.includes(subscriber)) return false;
    channel.subscribers = channel.subscribers.filter((other) => other !== subscriber);
    if (channel.subscribers.length > 0) return false;
    return this.#channels.delete(key);
  }

  /** Removes everything; the subscribers that there were. */
  clear(): Subscriber[] {
    const all = [...this.#channels.values()].flatMap(({ subscribers }) => subscribers);
    for (const channel of this.#channels.values()) channel.subscribers = [];
    this.#channels.clear();
    return all;
  }

  /** Calls the listeners of a message through `run`, which handles their errors. Confirmations call none. */
  deliver([first, ...rest]: readonly Uint8Array[], run: (callback: () => void) => void): void {
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
      run(() => {
        if (kind === 'pmessage') listener(shown(message), shown(channel), shown(name));
        else listener(shown(message), shown(channel));
      });
    }
  }
}
