/// <reference lib="esnext.disposable" preserve="true" />
/**
 * Callbacks for messages of channels. All subscriptions of one database share one client of the engine, which is
 * connected while there are any.
 */
import type { Argument } from '../base/argument.js';
import {
  Channels,
  COMMANDS,
  subscription,
  type MessageKind,
  type MessageListener,
  type Subscriber,
} from './channels.js';
import type { Host } from '../host/host.js';
import type { Instance } from '../host/instance.js';
import { type PushListener, type Parts, Receiver } from './receiver.js';
import type { Shape } from '../base/option-check.js';

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

/** @internal */
export class Subscriptions implements PushListener {
  readonly #host: Host;
  readonly #channels = new Channels();
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
    const [command, channel] = subscription(kind, name, listener);
    const subscriber = { listener: listener as Subscriber['listener'], buffer: options.buffer ?? false, ended };
    this.#host.enter((instance) => {
      const client = this.#receiver.client ?? this.#receiver.connect(instance);
      if (!this.#channels.has(kind, channel)) instance.execute(client, [command, channel], false);
      this.#channels.add(kind, channel, subscriber);
    });
    const end = (): void => this.#remove(kind, channel, subscriber);
    return Object.assign(end, { [Symbol.dispose]: end });
  }

  reconnected(instance: Instance, client: number): void {
    for (const { kind, name } of this.#channels.all()) instance.execute(client, [COMMANDS[kind][0], name], false);
  }

  ended(): void {
    for (const { ended } of this.#channels.clear()) ended?.();
  }

  #remove(kind: MessageKind, name: Uint8Array, subscriber: Subscriber): void {
    if (!this.#channels.remove(kind, name, subscriber)) return;
    const { client } = this.#receiver;
    if (client === undefined || this.#host.closed || this.#host.poisoned) return;
    this.#host.enter((instance) => {
      if (this.#channels.size === 0) this.#receiver.disconnect(instance);
      else instance.execute(client, [COMMANDS[kind][1], name], false);
    });
  }

  received(parts: Parts): void {
    this.#channels.deliver(parts as Uint8Array[], (callback) => this.#host.events.run(callback));
  }
}
