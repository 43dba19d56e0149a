/// <reference lib="esnext.disposable" preserve="true" />
/** Client-side caching: a callback for keys with outdated copies. */
import type { Argument } from '../base/argument.js';
import type { Connection, Dependent } from './connection.js';
import { ReplyError } from '../base/errors.js';
import type { Instance } from '../host/instance.js';
import { type PushListener, type Parts, Receiver } from './receiver.js';
import { textOf } from '../resp/reply.js';
import type { Shape } from '../base/option-check.js';
import type { Unsubscribe } from './subscriptions.js';

/** Callback with the keys of outdated copies; null: all keys. */
export type InvalidationListener<Key = string> = (keys: readonly Key[] | null) => void;

/** Options of CLIENT TRACKING, except REDIRECT. */
export interface TrackOptions {
  /** Reports every changed key, also those that the client did not read. */
  readonly bcast?: boolean | undefined;
  /** With `bcast`: reports only keys that begin with one of these. */
  readonly prefixes?: readonly Argument[] | undefined;
  /** Leaves out changes by the client itself. */
  readonly noloop?: boolean | undefined;
  /** Tracks only keys read after `CLIENT CACHING YES`. */
  readonly optin?: boolean | undefined;
  /** Tracks all keys except those read after `CLIENT CACHING NO`. */
  readonly optout?: boolean | undefined;
  /** Keys as Uint8Array. */
  readonly buffer?: boolean | undefined;
}

/** @internal */
export const TRACK: Shape<TrackOptions> = {
  bcast: 'flag',
  prefixes: 'arguments',
  noloop: 'flag',
  optin: 'flag',
  optout: 'flag',
  buffer: 'flag',
};

function words({ bcast, prefixes = [], noloop, optin, optout }: TrackOptions): Argument[] {
  const argv: Argument[] = [];
  for (const [wanted, word] of [
    [bcast, 'BCAST'],
    [noloop, 'NOLOOP'],
    [optin, 'OPTIN'],
    [optout, 'OPTOUT'],
  ] as const) {
    if (wanted) argv.push(word);
  }
  for (const prefix of prefixes) argv.push('PREFIX', prefix);
  return argv;
}

/** @internal A client that tracks, and the receiver of its invalidation messages. */
export class Tracking implements PushListener, Dependent {
  readonly #connection: Connection;
  readonly #listener: InvalidationListener<string | Uint8Array>;
  readonly #options: TrackOptions;
  readonly #receiver: Receiver;
  #over = false;

  constructor(connection: Connection, listener: InvalidationListener<never>, options: TrackOptions) {
    this.#connection = connection;
    this.#listener = listener as InvalidationListener<string | Uint8Array>;
    this.#options = options;
    this.#receiver = new Receiver(connection.host, this);
  }

  get over(): boolean {
    return this.#over;
  }

  start(): Unsubscribe {
    const client = this.#connection.id();
    this.#connection.host.enter((instance) => {
      try {
        this.#ask(instance, client, this.#receiver.connect(instance));
      } catch (error) {
        this.#receiver.disconnect(instance);
        throw error;
      }
    });
    const removeDependent = this.#connection.addDependent(this);
    const end = (): void => {
      if (this.#over) return;
      removeDependent();
      this.#end((instance) => instance.execute(client, ['CLIENT', 'TRACKING', 'OFF'], false));
    };
    return Object.assign(end, { [Symbol.dispose]: end });
  }

  #ask(instance: Instance, client: number, receiver: number): void {
    const reply = instance.execute(
      client,
      ['CLIENT', 'TRACKING', 'ON', 'REDIRECT', receiver, ...words(this.#options)],
      false,
    );
    if (reply instanceof ReplyError) throw reply;
  }

  received([, keys]: Parts): void {
    if (this.#over) return;
    const shown = keys as Uint8Array[] | null;
    const told = this.#options.buffer || shown === null ? shown : shown.map((key) => textOf(key));
    this.#connection.host.events.run(() => this.#listener(told));
  }

  /** Messages meanwhile were lost, so all copies are out of date. */
  reconnected(instance: Instance, receiver: number): void {
    this.#ask(instance, this.#connection.id(), receiver);
    this.received(['invalidate', null]);
  }

  ended(): void {
    this.#over = true;
  }

  /** Called when the tracking client is closed. */
  originClosed(): void {
    this.#end(() => {});
  }

  #end(last: (instance: Instance) => void): void {
    const { host } = this.#connection;
    if (this.#over) return;
    this.#over = true;
    if (host.closed || host.poisoned) return;
    host.enter((instance) => {
      last(instance);
      this.#receiver.disconnect(instance);
    });
  }
}
