/** Engine-side half of a client: connected at its first command. All commands of the client pass through here. */
import type { Argument } from '../base/argument.js';
import { ClosedError, ENDED } from '../base/errors.js';
import { NO_ROW } from '../host/frame.js';
import type { GlueClient } from '../host/glue.js';
import type { Host } from '../host/host.js';
import type { Instance } from '../host/instance.js';
import { FED_CLOSED, FED_MORE } from '../host/streams.js';
import type { Reply } from '../resp/reply.js';
import type { Shape } from '../base/option-check.js';
import { CallerTypeError } from '../base/caller-errors.js';

/** Options of `db.client`. */
export interface ClientOptions {
  /** Name in CLIENT LIST, without blanks. */
  readonly name?: string | undefined;
  /** The database to start in. */
  readonly db?: number | undefined;
  /** Protocol of `callRaw` and `feed`: RESP3, or RESP2, which redis-cli uses by default. */
  readonly protocol?: 2 | 3 | undefined;
}

/** Result of feeding a chunk of RESP. */
export interface FeedResult {
  /** Replies as RESP bytes. */
  readonly output: Uint8Array;
  /** True when reading stopped because too much output is pending: feed an empty chunk to continue. */
  readonly more: boolean;
  /** True when the client is to be disconnected. */
  readonly closed: boolean;
}

/** @internal */
export const CLIENT: Shape<ClientOptions> = { name: 'text', db: 'integer', protocol: [2, 3] };

/** @internal Object that ends with the client it belongs to. */
export interface Dependent {
  originClosed(): void;
}

/** The engine's part of a client, for the time after its object. */
interface Connected {
  readonly host: Host;
  readonly id: number;
}

/** Disconnects clients that the program no longer refers to. Some runtimes lack the registry. */
const abandoned = /* @__PURE__ */ registryOfAbandoned();

function registryOfAbandoned(): FinalizationRegistry<Connected> | undefined {
  if (typeof FinalizationRegistry === 'undefined') return undefined;
  return new FinalizationRegistry<Connected>(({ host, id }) => {
    if (!host.closed && !host.poisoned)
      host.enter((instance) => instance.guarded(() => instance.engine.disconnect(id)));
  });
}

/** @internal */
export class Connection {
  readonly host: Host;
  /** Whether this is the client of the database object, which all parts of a program share. */
  readonly isShared: boolean;
  /** Whether the last EXEC ran nothing because a watched key had changed. */
  isAborted = false;
  readonly #options: ClientOptions;
  readonly #dependents = new Set<Dependent>();
  #id: number | undefined;
  closed = false;

  constructor(host: Host, options: ClientOptions, isShared = false) {
    this.host = host;
    this.isShared = isShared;
    this.#options = options;
  }

  /** A connection to a client that the engine has adopted. */
  static adopted(host: Host, id: number): Connection {
    const connection = new Connection(host, {});
    connection.#connected(id);
    return connection;
  }

  /** Number of the client, or undefined before its first command. */
  get knownId(): number | undefined {
    return this.#id;
  }

  id(): number {
    if (this.closed) throw new ClosedError('client');
    return this.#id ?? this.#connected(this.#connect());
  }

  #connected(id: number): number {
    this.#id = id;
    // The shared client goes with its engine.
    if (!this.isShared) abandoned?.register(this, { host: this.host, id }, this);
    return id;
  }

  #connect(): number {
    const { name, protocol = 3, db = 0 } = this.#options;
    return this.host.enter((instance) => {
      const id = instance.connect(protocol);
      try {
        if (name !== undefined) this.#begin(instance, id, ['CLIENT', 'SETNAME', name]);
        if (db !== 0) this.#begin(instance, id, ['SELECT', db]);
      } catch (error) {
        instance.guarded(() => instance.engine.disconnect(id));
        throw error;
      }
      return id;
    });
  }

  #begin(instance: Instance, id: number, argv: readonly Argument[]): void {
    const reply = instance.execute(id, argv, false);
    if (reply !== 'OK') throw reply;
  }

  /** Runs one command, by the name that stands first or by its row; a server error is returned as a value. */
  reply(argv: readonly Argument[], asBytes: boolean, row: number = NO_ROW): Reply<string | Uint8Array> {
    if (argv.length === 0) throw new CallerTypeError('expected a command name');
    const id = this.id();
    const instance = this.host.ready();
    instance.frame.putAll(row, argv);
    return this.host.call(instance, id, row, argv.length, asBytes);
  }

  /** Variant of `reply` for the command of a row with one argument. */
  reply1(row: number, first: Argument, asBytes: boolean): Reply<string | Uint8Array> {
    const id = this.id();
    const instance = this.host.ready();
    const { frame } = instance;
    frame.begin(row);
    frame.put(1, first);
    return this.host.call(instance, id, row, 2, asBytes);
  }

  /** Variant of `reply` for the command of a row with two arguments. */
  reply2(row: number, first: Argument, second: Argument, asBytes: boolean): Reply<string | Uint8Array> {
    const id = this.id();
    const instance = this.host.ready();
    const { frame } = instance;
    frame.begin(row);
    frame.put(1, first);
    frame.put(2, second);
    return this.host.call(instance, id, row, 3, asBytes);
  }

  /** Variant of `reply` for the command of a row with three arguments. */
  reply3(
    row: number,
    first: Argument,
    second: Argument,
    third: Argument,
    asBytes: boolean,
  ): Reply<string | Uint8Array> {
    const id = this.id();
    const instance = this.host.ready();
    const { frame } = instance;
    frame.begin(row);
    frame.put(1, first);
    frame.put(2, second);
    frame.put(3, third);
    return this.host.call(instance, id, row, 4, asBytes);
  }

  /** Runs one command; its reply as RESP bytes, errors included. Empty when the client is blocked or its replies are off. */
  replyBytes(argv: readonly Argument[]): Uint8Array {
    const id = this.id();
    return this.host.enter((instance) => instance.callRaw(id, argv));
  }

  /** Feeds a chunk of RESP requests, cut anywhere, and returns their replies. */
  feed(chunk: Uint8Array): FeedResult {
    const id = this.id();
    return this.host.enter((instance) => {
      const output = instance.feed(id, chunk);
      if (output === undefined) throw this.host.clockFailure();
      const fed = instance.engine.fed();
      return { output, more: (fed & FED_MORE) !== 0, closed: (fed & FED_CLOSED) !== 0 };
    });
  }

  /** Discards an open transaction, also when the clock fails. */
  discard(): void {
    const id = this.id();
    this.host.enter((instance) => instance.guarded(() => instance.engine.discard(id)));
  }

  /** Throws if the engine has ended the client, for example after QUIT. */
  refuseEnded(instance: Instance): void {
    if (instance.guarded(() => instance.engine.closing(this.id()))) throw new ClosedError('client', ENDED);
  }

  info(): GlueClient {
    const id = this.id();
    const info = this.host.enter((instance) => instance.guarded(() => instance.engine.client(id)));
    if (info === null) throw new ClosedError('client');
    return info;
  }

  /** Adds a dependent. Returns a function that removes it. */
  addDependent(dependent: Dependent): () => void {
    this.#dependents.add(dependent);
    return () => this.#dependents.delete(dependent);
  }

  disconnect(): void {
    if (this.closed) return;
    const id = this.#id;
    this.closed = true;
    abandoned?.unregister(this);
    for (const dependent of [...this.#dependents]) dependent.originClosed();
    if (id === undefined || this.host.closed || this.host.poisoned) return;
    this.host.enter((instance) => instance.guarded(() => instance.engine.disconnect(id)));
  }
}
