/** The database itself, as its users at other places see it: a client with messages. */
import type { Argument } from '../../base/argument.js';
import { checked, type Shape } from '../../base/option-check.js';
import type { MessageKind, MessageListener } from '../channels.js';
import { MESSAGES, Messages, type MessagesOptions } from '../messages.js';
import { SUBSCRIBE, type SubscribeOptions, type Unsubscribe } from '../subscriptions.js';
import { SharedClient } from './client.js';

/** A shared database: the methods that tabs and remote programs have in common. */
export abstract class SharedDatabase extends SharedClient {
  /** Ends of iterations. */
  readonly #ends = new Set<() => void>();

  /**
   * Calls back with every message of a channel. Resolves, when the subscription is there, to a function that ends it.
   * Subscriptions survive a change of the leader and a lost connection; messages during it are lost.
   */
  subscribe(
    channel: Argument,
    listener: MessageListener<Uint8Array>,
    options: { readonly buffer: true },
  ): Promise<Unsubscribe>;
  subscribe(channel: Argument, listener: MessageListener, options?: SubscribeOptions): Promise<Unsubscribe>;
  subscribe(channel: Argument, listener: MessageListener<never>, options?: SubscribeOptions): Promise<Unsubscribe> {
    return this.#subscribe('message', channel, listener, options);
  }

  /** Variant of `subscribe` for all channels that match a glob pattern, which is the callback's third argument. */
  psubscribe(
    pattern: Argument,
    listener: MessageListener<Uint8Array>,
    options: { readonly buffer: true },
  ): Promise<Unsubscribe>;
  psubscribe(pattern: Argument, listener: MessageListener, options?: SubscribeOptions): Promise<Unsubscribe>;
  psubscribe(pattern: Argument, listener: MessageListener<never>, options?: SubscribeOptions): Promise<Unsubscribe> {
    return this.#subscribe('pmessage', pattern, listener, options);
  }

  /** Variant of `subscribe` for a shard channel: messages of SPUBLISH. */
  ssubscribe(
    channel: Argument,
    listener: MessageListener<Uint8Array>,
    options: { readonly buffer: true },
  ): Promise<Unsubscribe>;
  ssubscribe(channel: Argument, listener: MessageListener, options?: SubscribeOptions): Promise<Unsubscribe>;
  ssubscribe(channel: Argument, listener: MessageListener<never>, options?: SubscribeOptions): Promise<Unsubscribe> {
    return this.#subscribe('smessage', channel, listener, options);
  }

  /**
   * Messages of a channel for `for await`, from when the promise resolves. A queue of bounded length holds unread messages;
   * `close()` ends the iteration.
   */
  messages(channel: Argument, options: MessagesOptions & { readonly buffer: true }): Promise<Messages<Uint8Array>>;
  messages(
    channel: Argument,
    options?: MessagesOptions & { readonly buffer?: false | undefined },
  ): Promise<Messages<string>>;
  messages(channel: Argument, options?: MessagesOptions): Promise<Messages<string>> | Promise<Messages<Uint8Array>> {
    const { buffer = false } = options ?? {};
    return this.iterated<string>('messages', options, MESSAGES, (listener) =>
      this.#subscribe('message', channel, listener as MessageListener<never>, { buffer }),
    );
  }

  /** @internal Adds a callback; resolves when the subscription is there. */
  protected abstract addSubscription(
    kind: MessageKind,
    name: Argument,
    listener: MessageListener<never>,
    options: SubscribeOptions,
  ): Promise<Unsubscribe>;

  /** @internal An iteration over what a subscription brings. */
  protected async iterated<T>(
    method: string,
    options: MessagesOptions | undefined,
    shape: Shape<MessagesOptions>,
    subscribe: (listener: (item: T) => void) => Promise<Unsubscribe>,
  ): Promise<Messages<T>> {
    let subscribed: Promise<Unsubscribe> | undefined;
    const begin = (listener: (item: T) => void, ended: () => void): (() => void) => {
      subscribed = subscribe(listener);
      this.#ends.add(ended);
      return () => {
        this.#ends.delete(ended);
        subscribed?.then((end) => end()).catch(() => {});
      };
    };
    const messages = new Messages<T>(begin, checked(method, options, shape));
    try {
      await subscribed;
    } catch (error) {
      await messages.return();
      throw error;
    }
    return messages;
  }

  /** @internal Ends all iterations. */
  protected endIterations(): void {
    for (const end of this.#ends) end();
  }

  async #subscribe(
    kind: MessageKind,
    name: Argument,
    listener: MessageListener<never>,
    options?: SubscribeOptions,
  ): Promise<Unsubscribe> {
    const given = checked(`${kind[0] === 'm' ? '' : kind[0]}subscribe`, options, SUBSCRIBE);
    return this.addSubscription(kind, name, listener, given);
  }
}
