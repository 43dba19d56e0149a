/// <reference lib="esnext.disposable" preserve="true" />
/** Client-side caching: a callback that is told when copies of what a client read are out of date. */
import type { Argument } from './argument.js';
import type { Connection, Dependent } from './connection.js';
import { ReplyError } from './errors.js';
import type { Instance } from './instance.js';
import { type PushListener, type Parts, Receiver } from './receiver.js';
import { textOf } from './reply.js';
import type { Unsubscribe } from './subscriptions.js';

/** Gets the keys whose copies are out of date; null: all of them are. */
export type InvalidationListener<Key = string> = (keys: readonly Key[] | null) => void;

/** What CLIENT TRACKING takes, but for REDIRECT. */
export interface TrackOptions {
  /** Every change is told, also of keys that the client did not read. */
  readonly bcast?: boolean;
  /** With `bcast`: only of keys that begin with one of these. */
  readonly prefixes?: readonly Argument[];
  /** Not what the client changes itself. */
  readonly noloop?: boolean;
  /** Only keys read behind `CLIENT CACHING YES`. */
  readonly optin?: boolean;
  /** All keys but those read behind `CLIENT CACHING NO`. */
  readonly optout?: boolean;
  /** Keys as Uint8Array. */
  readonly buffer?: boolean;
}

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

/** One client that tracks, and the client that is told instead of it. */
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

  /** What was to be told in between is lost, so everything is out of date. */
  reconnected(instance: Instance, receiver: number): void {
    this.#ask(instance, this.#connection.id(), receiver);
    this.received(['invalidate', null]);
  }

  ended(): void {
    this.#over = true;
  }

  /** The client that tracks is closed. */
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
