/** The parts of a socket that ioredis uses: the methods it calls, and the event at the end of connecting. */
import { Duplex } from 'node:stream';

const CONNECT_EVENTS: ReadonlySet<string | symbol> = new Set(['connect', 'secureConnect']);

/**
 * A duplex stream that begins as a socket does, connecting. The outcome comes once ioredis listens for it, and in a
 * reaction of a promise: fake timers replace `process.nextTick`, but no promises.
 */
export abstract class SocketStandIn extends Duplex {
  /** Read by ioredis, which then waits for the event `connect`. */
  connecting = true;

  constructor() {
    super({ allowHalfOpen: false });
    const begin = (event: string | symbol): void => {
      if (!CONNECT_EVENTS.has(event)) return;
      this.off('newListener', begin);
      void Promise.resolve().then(() => {
        if (!this.destroyed) this.decide(event);
      });
    };
    this.on('newListener', begin);
  }

  /** Ends connecting: emits `event`, or destroys the stream. */
  protected abstract decide(event: string | symbol): void;

  // Methods of sockets that ioredis calls, without effect here.
  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  setTimeout(): this {
    return this;
  }
}

/** A connection to a server that is down: ioredis receives the error and the end of the connection, and retries. */
export class RefusedConnection extends SocketStandIn {
  readonly #host: string;
  readonly #port: number;

  /** `port` is 0 for the path of a Unix socket. */
  constructor(host: string, port: number) {
    super();
    this.#host = host;
    this.#port = port;
  }

  protected override decide(): void {
    this.connecting = false;
    const at = this.#port === 0 ? { address: this.#host } : { address: this.#host, port: this.#port };
    this.destroy(
      Object.assign(new Error(`connect ECONNREFUSED ${Object.values(at).join(':')}`), {
        code: 'ECONNREFUSED',
        errno: -111,
        syscall: 'connect',
        ...at,
      }),
    );
  }

  override _read(): void {}

  override _write(_chunk: Uint8Array, _encoding: string, done: () => void): void {
    done();
  }
}
