/** The database of a server, as a program at another place sees it. */
import type { Argument } from '../base/argument.js';
import { ClosedError } from '../base/errors.js';
import { checked } from '../base/option-check.js';
import type { MessageKind, MessageListener } from '../client/channels.js';
import { CLIENT, type ClientOptions } from '../client/connection.js';
import { MESSAGES, Messages, type MessagesOptions } from '../client/messages.js';
import { SharedClient } from '../client/shared/client.js';
import { SUBSCRIBE, type SubscribeOptions, type Unsubscribe } from '../client/subscriptions.js';
import { runWatched, TRANSACTION, type TransactionOptions } from '../client/watched-transaction.js';
import { RemoteClient } from './remote-client.js';
import { RemoteSubscriptions } from './remote-subscriptions.js';
import type { Transport } from './transport.js';

/**
 * A database at another place. Methods are those of Keylatch, with promises of their results; a call without a reply rejects
 * with MayHaveRun, Unavailable, Overloaded or AccessRefused.
 */
export class RemoteKeylatch extends SharedClient {
  readonly #transport: Transport;
  readonly #subscriptions: RemoteSubscriptions;
  readonly #clients = new Set<SharedClient>();
  /** Ends of iterations. */
  readonly #ends = new Set<() => void>();

  /** @internal Use `connect()`. */
  constructor(transport: Transport) {
    super(new RemoteClient(transport), 'program');
    this.#transport = transport;
    this.#subscriptions = new RemoteSubscriptions(transport, run);
  }

  /** Another client, with a database and watched keys of its own. */
  client(options?: ClientOptions): SharedClient {
    return this.#newClient(checked('client', options, CLIENT)).client;
  }

  /**
   * Runs a function that reads, decides and writes, as one step: keys that it watches are unchanged until its `exec`, or
   * the function runs again. Rejects with WatchError after the last attempt. Needs a WebSocket.
   */
  async transaction<T>(work: (client: SharedClient) => T | Promise<T>, options?: TransactionOptions): Promise<T> {
    const given = checked('transaction', options, TRANSACTION);
    return runWatched(() => this.#newClient({ db: this.db }), work, given);
  }

  /**
   * Calls back with every message of a channel. Resolves, when the server has the subscription, to a function that ends it.
   * Subscriptions survive a lost connection; messages during it are lost.
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
    return this.#iterated<string>(channel, options);
  }

  /** Closes the connection and its clients. Calls that wait for an answer reject. */
  override async close(): Promise<void> {
    await super.close();
    for (const client of this.#clients) void client.close();
    this.#clients.clear();
    this.#subscriptions.close();
    this.#transport.close();
    for (const end of this.#ends) end();
  }

  /** An iteration over the messages of a channel. */
  async #iterated<Text>(channel: Argument, options: MessagesOptions | undefined): Promise<Messages<Text>> {
    const given = checked('messages', options, MESSAGES);
    let subscribed: Promise<Unsubscribe> | undefined;
    const begin = (listener: (item: Text) => void, ended: () => void): (() => void) => {
      subscribed = this.#subscribe('message', channel, listener as MessageListener<never>, { buffer: given.buffer });
      this.#ends.add(ended);
      return () => {
        this.#ends.delete(ended);
        subscribed?.then((end) => end()).catch(() => {});
      };
    };
    const messages = new Messages<Text>(begin, given);
    try {
      await subscribed;
    } catch (error) {
      await messages.return();
      throw error;
    }
    return messages;
  }

  #newClient(options: ClientOptions): { readonly client: SharedClient; isAborted(): boolean } {
    if (this.closed) throw new ClosedError('client');
    const own = new RemoteClient(this.#transport, options);
    const client = new SharedClient(own);
    for (const other of this.#clients) if (other.closed) this.#clients.delete(other);
    this.#clients.add(client);
    return { client, isAborted: () => own.isAborted };
  }

  async #subscribe(
    kind: MessageKind,
    name: Argument,
    listener: MessageListener<never>,
    options?: SubscribeOptions,
  ): Promise<Unsubscribe> {
    const given = checked(`${kind[0] === 'm' ? '' : kind[0]}subscribe`, options, SUBSCRIBE);
    if (this.closed) throw new ClosedError('client');
    return this.#subscriptions.add(kind, name, listener, given);
  }
}

/** Calls a callback. Its error is the program's, and reaches no other callback. */
function run(callback: () => void): void {
  try {
    callback();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
