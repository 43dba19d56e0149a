/** The database of a server, as a program at another place sees it. */
import type { Argument } from '../base/argument.js';
import { ClosedError } from '../base/errors.js';
import { checked } from '../base/option-check.js';
import type { MessageKind, MessageListener } from '../client/channels.js';
import { CLIENT, type ClientOptions } from '../client/connection.js';
import { SharedClient } from '../client/shared/client.js';
import { SharedDatabase } from '../client/shared/database.js';
import type { SubscribeOptions, Unsubscribe } from '../client/subscriptions.js';
import { runWatched, TRANSACTION, type TransactionOptions } from '../client/watched-transaction.js';
import type { CachedReads } from './cached-reads.js';
import { RemoteClient } from './remote-client.js';
import { RemoteSubscriptions } from './remote-subscriptions.js';
import type { Transport } from './transport.js';

/**
 * A database at another place. Methods are those of Keylatch, with promises of their results; a call without a reply rejects
 * with MayHaveRun, Unavailable, Overloaded or AccessRefused.
 */
export class RemoteKeylatch extends SharedDatabase {
  readonly #transport: Transport;
  readonly #cache: CachedReads | undefined;
  readonly #subscriptions: RemoteSubscriptions;
  readonly #clients = new Set<SharedClient>();

  /** @internal Use `connect()`. */
  constructor(transport: Transport, cache?: CachedReads) {
    super(new RemoteClient(transport, { cache, isCached: true }), 'program');
    this.#transport = transport;
    this.#cache = cache;
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

  /** Closes the connection and its clients. Calls that wait for an answer reject. */
  override async close(): Promise<void> {
    await super.close();
    for (const client of this.#clients) void client.close();
    this.#clients.clear();
    this.#subscriptions.close();
    this.#transport.close();
    this.endIterations();
  }

  #newClient(options: ClientOptions): { readonly client: SharedClient; isAborted(): boolean } {
    if (this.closed) throw new ClosedError('client');
    const own = new RemoteClient(this.#transport, { ...options, cache: this.#cache });
    const client = new SharedClient(own);
    for (const other of this.#clients) if (other.closed) this.#clients.delete(other);
    this.#clients.add(client);
    return { client, isAborted: () => own.isAborted };
  }

  /** @internal */
  protected override async addSubscription(
    kind: MessageKind,
    name: Argument,
    listener: MessageListener<never>,
    options: SubscribeOptions,
  ): Promise<Unsubscribe> {
    if (this.closed) throw new ClosedError('client');
    return this.#subscriptions.add(kind, name, listener, options);
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
