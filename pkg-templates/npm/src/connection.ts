/** The engine-side half of a client: connected at its first command, and the way all its commands go. */
import type { Argument } from './argument.js';
import { ClosedError } from './errors.js';
import type { GlueClient } from './glue.js';
import type { Host } from './host.js';
import type { Reply } from './reply.js';

export interface ClientOptions {
  /** A word for people; the engine makes nothing of it. */
  readonly name?: string;
  /** The database to start in. */
  readonly db?: number;
  /** The form of `callRaw` and `feed`: RESP3, or RESP2 as redis-cli speaks it by default. */
  readonly protocol?: 2 | 3;
}

export class Connection {
  readonly host: Host;
  readonly #options: ClientOptions;
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
    const { protocol = 3, db = 0 } = this.#options;
    return this.host.enter((instance) => {
      const id = instance.guarded(() => {
        const fresh = instance.engine.connect();
        instance.engine.setProtocol(fresh, protocol);
        return fresh;
      });
      const reply = db === 0 ? 'OK' : instance.call(id, ['SELECT', db], false);
      if (reply === 'OK') return id;
      instance.guarded(() => instance.engine.disconnect(id));
      throw reply ?? this.host.clockFailure();
    });
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

  info(): GlueClient {
    const id = this.id();
    const info = this.host.enter((instance) => instance.guarded(() => instance.engine.client(id)));
    if (info === undefined) throw new ClosedError('client');
    return info;
  }

  disconnect(): void {
    if (this.closed) return;
    const id = this.#id;
    this.closed = true;
    if (id === undefined || this.host.closed) return;
    this.host.enter((instance) => instance.guarded(() => instance.engine.disconnect(id)));
  }
}
