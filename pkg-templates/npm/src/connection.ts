/** Engine-side half of a client: connected at its first command. All commands of the client pass through here. */
import type { Argument } from './argument.js';
import { ClosedError } from './errors.js';
import type { GlueClient } from './glue.js';
import type { Host } from './host.js';
import type { Instance } from './instance.js';
import type { Reply } from './reply.js';
import type { Shape } from './sugar/option-check.js';

export interface ClientOptions {
  /** Name in CLIENT LIST, without blanks. */
  readonly name?: string | undefined;
  /** The database to start in. */
  readonly db?: number | undefined;
  /** Protocol of `callRaw` and `feed`: RESP3, or RESP2, which redis-cli uses by default. */
  readonly protocol?: 2 | 3 | undefined;
}

/** @internal */
export const CLIENT: Shape<ClientOptions> = { name: 'text', db: 'integer', protocol: [2, 3] };

/** Object that ends with the client it belongs to. */
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
    const reply = instance.execute(id, argv, false);
    if (reply !== 'OK') throw reply;
  }

  /** Runs one command, by row or by the name that stands first; a server error is returned as a value. */
  reply(row: number, argv: readonly Argument[], asBytes: boolean): Reply<string | Uint8Array> {
    if (argv.length === 0) throw new TypeError('expected a command name');
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

  /** Discards an open transaction, also when the clock fails. */
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

  /** Adds a dependent. Returns a function that removes it. */
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
