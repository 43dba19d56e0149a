/// <reference lib="esnext.disposable" preserve="true" />
/** The database of all tabs of a name, as each of them sees it. */
import type { ClientOptions } from '../client/connection.js';
import {
  type ErrorListener,
  type EventListener,
  type EventName,
  Events,
  type KeyEvent,
  LISTEN,
  type ListenOptions,
} from '../host/events.js';
import type { InspectedKey, InspectKeyOptions } from '../db/inspect-key.js';
import type { KeyPage, KeyPageOptions } from '../db/keylatch.js';
import { MESSAGES, type Messages, type MessagesOptions } from '../client/messages.js';
import { runWatched, TRANSACTION, type TransactionOptions } from '../client/watched-transaction.js';
import type { Argument } from '../base/argument.js';
import type { Persistence } from '../persist/persistent.js';
import type { MessageKind, MessageListener } from '../client/channels.js';
import type { SubscribeOptions, Unsubscribe } from '../client/subscriptions.js';
import { checked } from '../base/option-check.js';
import { errorOf } from './failures.js';
import type { Hub } from './hub.js';
import { SharedClient } from '../client/shared/client.js';
import { SharedDatabase } from '../client/shared/database.js';
import { SharedSubscriptions } from './shared-subscriptions.js';
import type { Role } from './role.js';
import { isLostTransaction, TabClient } from './tab-client.js';
import type { Failure, Happened, Push } from './wire.js';
import { CallerTypeError } from '../base/caller-errors.js';

type Listener = (argument: never) => void;

/** Callback for changes of a tab's role. */
export type RoleListener = (role: Role) => void;

/**
 * A database that all tabs of a name share: one of them, the leader, has the engine and the store, and runs the calls of
 * all. Each tab is a client of its own; methods are those of Keylatch, with promises of their results.
 */
export class SharedKeylatch extends SharedDatabase {
  readonly #hub: Hub;
  readonly #events = new Events();
  readonly #subscriptions: SharedSubscriptions;
  #roleListeners: readonly RoleListener[] = [];

  /** @internal Use `share()`. */
  constructor(hub: Hub) {
    super(new TabClient(hub), 'tab');
    this.#hub = hub;
    this.#subscriptions = new SharedSubscriptions(hub, (callback) => this.#events.run(callback));
  }

  /** `leader`: this tab runs the calls of all; `follower`; `closed`. */
  get role(): Role {
    return this.#hub.tab.role;
  }

  /** Calls back when the role of this tab changes. Returns a function that removes the listener. */
  onRole(listener: RoleListener): Unsubscribe {
    if (typeof listener !== 'function') throw new CallerTypeError('the listener of onRole must be a function');
    const own: RoleListener = (role) => listener(role);
    this.#roleListeners = [...this.#roleListeners, own];
    const end = (): void => {
      this.#roleListeners = this.#roleListeners.filter((other) => other !== own);
    };
    return Object.assign(end, { [Symbol.dispose]: end });
  }

  /** Another client of this tab, with a database and watched keys of its own. */
  client(options?: ClientOptions): SharedClient {
    const given = checked('client', options, { name: 'text', db: 'integer', protocol: [2, 3] });
    return new SharedClient(new TabClient(this.#hub, given));
  }

  /**
   * Runs a function that reads, decides and writes, as one step: keys that it watches are unchanged until its `exec`, or
   * the function runs again, also after a change of the leader. Rejects with WatchError after the last attempt.
   */
  async transaction<T>(work: (client: SharedClient) => T | Promise<T>, options?: TransactionOptions): Promise<T> {
    const given = checked('transaction', options, TRANSACTION);
    const begin = () => {
      const client = new TabClient(this.#hub, { db: this.db });
      return { client: new SharedClient(client), isAborted: () => client.isAborted };
    };
    return runWatched(begin, work, given, isLostTransaction);
  }

  /**
   * Listens to events of keys, of whichever tab caused them; `*` for all, `error` for errors of other listeners in this
   * tab. Resolves, when the leader knows of it, to a function that ends it. Events during a change of the leader are lost.
   */
  on(event: 'error', listener: ErrorListener): Promise<Unsubscribe>;
  on(
    event: EventName,
    listener: EventListener<Uint8Array>,
    options: ListenOptions & { readonly buffer: true },
  ): Promise<Unsubscribe>;
  on(event: EventName, listener: EventListener, options?: ListenOptions): Promise<Unsubscribe>;
  on(event: string, listener: Listener, options?: ListenOptions): Promise<Unsubscribe> {
    return this.#listen(event, listener, false, 'on', options);
  }

  /** Variant of `on` for the next such event only. */
  once(event: 'error', listener: ErrorListener): Promise<Unsubscribe>;
  once(
    event: EventName,
    listener: EventListener<Uint8Array>,
    options: ListenOptions & { readonly buffer: true },
  ): Promise<Unsubscribe>;
  once(event: EventName, listener: EventListener, options?: ListenOptions): Promise<Unsubscribe>;
  once(event: string, listener: Listener, options?: ListenOptions): Promise<Unsubscribe> {
    return this.#listen(event, listener, true, 'once', options);
  }

  /** Removes a listener of `on` or `once`: its newest registration. */
  off(event: EventName | 'error', listener: EventListener<never> | ErrorListener): void;
  off(event: string, listener: Listener): void {
    const { wanted } = this.#events;
    this.#events.remove(event, listener);
    this.#listenersChanged(wanted)?.catch(() => {});
  }

  /** Events of keys for `for await`, from when the promise resolves, as `messages` has messages. */
  events(
    event: EventName,
    options: ListenOptions & MessagesOptions & { readonly buffer: true },
  ): Promise<Messages<KeyEvent<Uint8Array>>>;
  events(event?: EventName, options?: ListenOptions & MessagesOptions): Promise<Messages<KeyEvent>>;
  events(
    event: EventName = '*',
    options?: ListenOptions & MessagesOptions,
  ): Promise<Messages<KeyEvent>> | Promise<Messages<KeyEvent<Uint8Array>>> {
    const { limit: _, signal: __, ...given } = options ?? {};
    const shape = { ...LISTEN, ...MESSAGES };
    return this.iterated<KeyEvent>('events', options, shape, (listener) =>
      this.#listen(event, listener, false, 'events', given),
    );
  }

  /** A page of the keys with their type, size and deadline. */
  inspectPage(options?: KeyPageOptions): Promise<KeyPage> {
    return this.#hub.method('inspectPage', options);
  }

  /** A key with one page of its value, or null. */
  inspectKey(key: Argument, options?: InspectKeyOptions): Promise<InspectedKey | null> {
    return this.#hub.method('inspectKey', key, options);
  }

  /** The time of the leader's clock. */
  now(): Promise<number> {
    return this.#hub.method('now');
  }

  /** The first instant at which something is due, in milliseconds since the epoch, or null. */
  nextExpiry(): Promise<number | null> {
    return this.#hub.method('nextExpiry');
  }

  /** Sixteen hexadecimal digits; equal for equal data. */
  digestAll(): Promise<string> {
    return this.#hub.method('digestAll');
  }

  /** All databases as bytes for `load`. */
  snapshot(): Promise<Uint8Array> {
    return this.#hub.method('snapshot');
  }

  /** Replaces all databases by those of a snapshot. */
  load(snapshot: Uint8Array): Promise<void> {
    return this.#hub.method('load', snapshot);
  }

  /** Barrier: resolves when every change acknowledged before this call is flushed, so that it survives the leader's end. */
  flush(): Promise<void> {
    return this.#hub.method('flush');
  }

  /** Replaces the log by a snapshot. Never necessary: a long log is replaced by itself. */
  rewrite(): Promise<void> {
    return this.#hub.method('rewrite');
  }

  /** State of the leader's store. */
  async persistence(): Promise<Persistence> {
    const { error, ...state } = await this.#hub.method<Omit<Persistence, 'error'> & { error?: Failure }>('persistence');
    return { ...state, error: error === undefined ? undefined : errorOf(error) } as Persistence;
  }

  /** Leaves the tabs. A leader flushes and closes the store first; another tab then leads. */
  override async close(): Promise<void> {
    try {
      await this.#hub.tab.close();
    } finally {
      this.#events.clear();
      this.endIterations();
    }
  }

  /** @internal */
  led(): void {
    this.#subscriptions.led();
    if (this.#events.wanted !== '') this.#listenersChanged('')?.catch(() => {});
  }

  /** @internal */
  pushed(push: Push): void {
    this.#subscriptions.pushed(push);
  }

  /** @internal */
  happened({ event, key, db }: Happened): void {
    const { wanted } = this.#events;
    this.#events.dispatch({ event, key, db });
    // The last listener may have been a `once` listener.
    this.#listenersChanged(wanted)?.catch(() => {});
  }

  /** @internal */
  roleChanged(role: Role): void {
    for (const listener of this.#roleListeners) this.#events.run(() => listener(role));
  }

  async #listen(
    event: string,
    listener: Listener,
    once: boolean,
    method: string,
    options: ListenOptions | undefined,
  ): Promise<Unsubscribe> {
    const given = checked(method, options, LISTEN);
    this.#hub.tab.refuse();
    const before = this.#events.wanted;
    const remove = this.#events.add(event, listener, once, given);
    const end = (): void => {
      const { wanted } = this.#events;
      remove();
      this.#listenersChanged(wanted)?.catch(() => {});
    };
    try {
      await this.#listenersChanged(before);
    } catch (error) {
      remove();
      throw error;
    }
    return Object.assign(end, { [Symbol.dispose]: end });
  }

  /** Sends the names of the events with a listener to the leader, if they are others than before. */
  #listenersChanged(before: string): Promise<unknown> | undefined {
    const { wanted: events } = this.#events;
    if (events === before || this.closed) return undefined;
    const { deadlineMs } = this.#hub.options;
    return this.#hub.call({
      make: () => ({ kind: 'listen', events: this.#events.wanted }),
      isResent: true,
      deadlineMs,
    });
  }

  /** @internal */
  protected override addSubscription(
    kind: MessageKind,
    name: Argument,
    listener: MessageListener<never>,
    options: SubscribeOptions,
  ): Promise<Unsubscribe> {
    return this.#subscriptions.add(kind, name, listener, options);
  }
}
