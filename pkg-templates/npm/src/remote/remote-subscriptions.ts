/// <reference lib="esnext.disposable" preserve="true" />
/** Callbacks for messages of channels of a server. */
import type { Argument } from '../base/argument.js';
import { Channels, subscription, type MessageKind, type MessageListener, type Subscriber } from '../client/channels.js';
import type { SubscribeOptions, Unsubscribe } from '../client/subscriptions.js';
import type { ChannelSource, Transport } from './transport.js';

export class RemoteSubscriptions {
  readonly #channels = new Channels();
  readonly #source: ChannelSource;
  /** Confirmations of the server, by kind and bytes of the channel. */
  readonly #begun = new Map<string, Promise<void>>();

  /** `run` calls a callback so that its error does not reach others. */
  constructor(transport: Transport, run: (callback: () => void) => void) {
    this.#source = transport.channels((parts) => this.#channels.deliver(parts, run));
  }

  /** Adds a callback; resolves when the server has the subscription. */
  async add(
    kind: MessageKind,
    name: Argument,
    listener: MessageListener<never>,
    { buffer = false }: SubscribeOptions,
  ): Promise<Unsubscribe> {
    const [, channel] = subscription(kind, name, listener);
    const subscriber = { listener: listener as Subscriber['listener'], buffer };
    const key = `${kind} ${[...channel].join()}`;
    const isFirst = !this.#channels.has(kind, channel);
    this.#channels.add(kind, channel, subscriber);
    const end = (): void => {
      if (!this.#channels.remove(kind, channel, subscriber)) return;
      this.#begun.delete(key);
      this.#source.end(kind, channel);
    };
    try {
      if (isFirst) this.#begun.set(key, this.#source.begin(kind, channel));
      await this.#begun.get(key);
    } catch (error) {
      end();
      throw error;
    }
    return Object.assign(end, { [Symbol.dispose]: end });
  }

  /** Forgets all callbacks. */
  close(): void {
    this.#channels.clear();
  }
}
