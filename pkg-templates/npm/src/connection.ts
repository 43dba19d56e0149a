/** The engine-side half of a client: connected at its first command, and the way all its commands go. */
import type { Argument } from './argument.js';
import { ClosedError } from './errors.js';
import type { GlueClient } from './glue.js';
import type { Host } from './host.js';
import type { Instance } from './instance.js';
import type { Reply } from './reply.js';

export interface ClientOptions {
  /** What CLIENT LIST and others call it; without blanks. */
  readonly name?: string;
  /** The database to start in. */
  readonly db?: number;
  /** The form of `callRaw` and `feed`: RESP3, or RESP2 as redis-cli speaks it by default. */
  readonly protocol?: 2 | 3;
}

/** What lives no longer than the client it belongs to. */
export interface Dependent {
  originClosed(): void;
}

export class Connection {
  readonly host: Host;
  readonly #options: ClientOptions;
  readonly #dependents = new Set<Dependent>();
  #id: number | undefined;
  closed = false;

  constructor(host: Host, options: ClientOptions) {
    this.host = host;
    this.#options = options;
  }

  id(): number {
    if (this.closed) throw new ClosedError('client');
    return (this.#id ??= this.#connect());
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
    const reply = instance.call(id, argv, false);
    if (reply !== 'OK') throw reply ?? this.host.clockFailure();
  }

  /** Runs one command; a server error is a value here. */
  reply(argv: readonly Argument[], asBytes: boolean): Reply<string | Uint8Array> {
    const id = this.id();
    return this.host.enter((instance) => {
      const reply = instance.call(id, argv, asBytes);
      if (reply === undefined) throw this.host.clockFailure();
      return reply;
    });
  }

  /** Ends an open transaction; works also when the clock does not. */
  discard(): void {
    const id = this.id();
    this.host.enter((instance) => instance.guarded(() => instance.engine.discard(id)));
  }

  info(): GlueClient {
    const id = this.id();
    const info = this.host.enter((instance) => instance.guarded(() => instance.engine.client(id)));
    if (info === undefined) throw new ClosedError('client');
    return info;
  }

  /** Answers how to end it. */
  addDependent(dependent: Dependent): () => void {
    this.#dependents.add(dependent);
    return () => this.#dependents.delete(dependent);
  }

  disconnect(): void {
    if (this.closed) return;
    const id = this.#id;
    this.closed = true;
    for (const dependent of [...this.#dependents]) dependent.originClosed();
    if (id === undefined || this.host.closed || this.host.poisoned) return;
    this.host.enter((instance) => instance.guarded(() => instance.engine.disconnect(id)));
  }
}
