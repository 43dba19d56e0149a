/// <reference lib="esnext.disposable" preserve="true" />
/** Events and messages of a database: callbacks and iterations. */
import type { Argument } from '../base/argument.js';
import { Client } from '../client/client.js';
import { Connection } from '../client/connection.js';
import {
  LISTEN,
  type ErrorListener,
  type EventListener,
  type EventName,
  type KeyEvent,
  type ListenOptions,
} from '../host/events.js';
import type { Host } from '../host/host.js';
import type { Database } from './database.js';
import type { MessageKind, MessageListener } from '../client/channels.js';
import { MESSAGES, Messages, type MessagesOptions } from '../client/messages.js';
import { checked } from '../base/option-check.js';
import { SUBSCRIBE, type SubscribeOptions, type Unsubscribe } from '../client/subscriptions.js';

/** The client of a database, which also listens to its events and channels. */
export class ObservableClient extends Client {
  readonly #database: Database;
  readonly #host: Host;

  /** @internal */
  constructor(database: Database) {
    super(new Connection(database.host, {}, true));
    this.#database = database;
    this.#host = database.host;
  }

  /**
   * Listens to events of keys, `*` for all, `error` for errors of other listeners, `clock` for a clock that was set
   * back. Events are delivered when the outermost call has its reply and before it returns, in the order of the
   * changes. Returns a function that ends it.
   */
  on(event: 'error', listener: ErrorListener): Unsubscribe;
  on(
    event: EventName,
    listener: EventListener<Uint8Array>,
    options: ListenOptions & { readonly buffer: true },
  ): Unsubscribe;
  on(event: EventName, listener: EventListener, options?: ListenOptions): Unsubscribe;
  on(event: string, listener: (argument: never) => void, options?: ListenOptions): Unsubscribe {
    return this.#listen(event, listener, false, checked('on', options, LISTEN));
  }

  /** Variant of `on` for the next such event only. */
  once(event: 'error', listener: ErrorListener): Unsubscribe;
  once(
    event: EventName,
    listener: EventListener<Uint8Array>,
    options: ListenOptions & { readonly buffer: true },
  ): Unsubscribe;
  once(event: EventName, listener: EventListener, options?: ListenOptions): Unsubscribe;
  once(event: string, listener: (argument: never) => void, options?: ListenOptions): Unsubscribe {
    return this.#listen(event, listener, true, checked('once', options, LISTEN));
  }

  /** Removes a listener of `on` or `once`: its newest registration. */
  off(event: EventName | 'error', listener: EventListener<never> | ErrorListener): void;
  off(event: string, listener: (argument: never) => void): void {
    this.#host.removeListener(event, listener);
  }

  #listen(
    event: string,
    listener: (argument: never) => void,
    once: boolean,
    options?: ListenOptions,
    ended?: () => void,
  ): Unsubscribe {
    const end = this.#host.addListener(event, listener, once, options, ended);
    return Object.assign(end, { [Symbol.dispose]: end });
  }

  /**
   * Events of keys for `for await`, from this call on. A queue of bounded length holds unread events; closing the engine
   * ends the iteration.
   */
  events(
    event: EventName,
    options: ListenOptions & MessagesOptions & { readonly buffer: true },
  ): Messages<KeyEvent<Uint8Array>>;
  events(event?: EventName, options?: ListenOptions & MessagesOptions): Messages<KeyEvent>;
  events(
    event: EventName = '*',
    options?: ListenOptions & MessagesOptions,
  ): Messages<KeyEvent> | Messages<KeyEvent<Uint8Array>> {
    const given = checked('events', options, { ...LISTEN, ...MESSAGES });
    return new Messages<KeyEvent>((listener, ended) => this.#listen(event, listener, false, given, ended), given);
  }

  /**
   * Calls back with every message that is published to a channel, in the order of events and messages. Keyspace
   * notifications are such messages, once `CONFIG SET notify-keyspace-events` enables them. Returns a function that
   * ends it; `using` does too.
   */
  subscribe(channel: Argument, listener: MessageListener<Uint8Array>, options: { readonly buffer: true }): Unsubscribe;
  subscribe(channel: Argument, listener: MessageListener, options?: SubscribeOptions): Unsubscribe;
  subscribe(channel: Argument, listener: MessageListener<never>, options?: SubscribeOptions): Unsubscribe {
    return this.#subscribe('message', channel, listener, options);
  }

  /** Variant of `subscribe` for all channels that match a glob pattern, which is the callback's third argument. */
  psubscribe(pattern: Argument, listener: MessageListener<Uint8Array>, options: { readonly buffer: true }): Unsubscribe;
  psubscribe(pattern: Argument, listener: MessageListener, options?: SubscribeOptions): Unsubscribe;
  psubscribe(pattern: Argument, listener: MessageListener<never>, options?: SubscribeOptions): Unsubscribe {
    return this.#subscribe('pmessage', pattern, listener, options);
  }

  /** Variant of `subscribe` for a shard channel: messages of SPUBLISH. */
  ssubscribe(channel: Argument, listener: MessageListener<Uint8Array>, options: { readonly buffer: true }): Unsubscribe;
  ssubscribe(channel: Argument, listener: MessageListener, options?: SubscribeOptions): Unsubscribe;
  ssubscribe(channel: Argument, listener: MessageListener<never>, options?: SubscribeOptions): Unsubscribe {
    return this.#subscribe('smessage', channel, listener, options);
  }

  /**
   * Messages of a channel for `for await`, from this call on. A queue of bounded length holds unread messages; closing
   * the engine ends the iteration.
   */
  messages(channel: Argument, options: MessagesOptions & { readonly buffer: true }): Messages<Uint8Array>;
  messages(channel: Argument, options?: MessagesOptions & { readonly buffer?: false | undefined }): Messages<string>;
  messages(channel: Argument, options?: MessagesOptions): Messages<string> | Messages<Uint8Array> {
    const given = checked('messages', options, MESSAGES);
    return new Messages<string>(
      (listener, ended) => this.#subscribe('message', channel, listener, { buffer: given.buffer ?? false }, ended),
      given,
    );
  }

  #subscribe(
    kind: MessageKind,
    name: Argument,
    listener: MessageListener<never>,
    options?: SubscribeOptions,
    ended?: () => void,
  ): Unsubscribe {
    const given = checked(`${kind[0] === 'm' ? '' : kind[0]}subscribe`, options, SUBSCRIBE);
    return this.#database.subscriptions.add(kind, name, listener, given, ended);
  }
}
