/**
 * Clients that speak RESP over a stream of bytes, for hosts that have sockets or something like them. Knows the engine,
 * and no socket: whoever opens a stream is told when something reached its client, and asks for it.
 */
import { ClosedError } from './errors.js';
import type { GlueClient } from './glue.js';
import type { Host } from './host.js';
import { connected, type Instance } from './instance.js';

/** Whoever carries a stream's bytes. */
export interface StreamUser {
  /** A message, a late reply or the end reached the client from elsewhere: feed the stream nothing, or wake it. */
  reached(): void;
  /** The engine was closed, or it trapped. */
  ended?(error: Error): void;
}

/** Whoever serves the engine to others. */
export interface StreamHost {
  /** A configuration parameter changed. */
  configured(): void;
}

/** How feeding ended, in bits. */
export const FED_MORE = 1;
export const FED_BLOCKED = 2;
export const FED_CLOSED = 4;

/** One client's stream. */
export class Stream {
  readonly id: number;
  readonly #host: Host;
  readonly #ended: () => void;
  #fed = 0;
  #closed = false;

  /** @internal */
  constructor(host: Host, id: number, ended: () => void) {
    this.#host = host;
    this.id = id;
    this.#ended = ended;
  }

  /** So much output waits that reading stopped: when it has left, feed nothing to go on. */
  get more(): boolean {
    return (this.#fed & FED_MORE) !== 0;
  }

  /** A command waits, and what came behind it waits too. */
  get parked(): boolean {
    return (this.#fed & FED_BLOCKED) !== 0;
  }

  /** Write what is left, then hang up. */
  get closed(): boolean {
    return (this.#fed & FED_CLOSED) !== 0;
  }

  /** Gets messages of others: a subscriber, a monitor. */
  get listening(): boolean {
    return this.#client?.listening ?? false;
  }

  /** The database the client is in. */
  get db(): number {
    return this.#client?.db ?? 0;
  }

  /** Between MULTI and EXEC. */
  get inTransaction(): boolean {
    return this.#client?.inTransaction ?? false;
  }

  get #client(): GlueClient | undefined {
    return this.#host.enter((instance) => instance.guarded(() => instance.engine.client(this.id)));
  }

  /**
   * Takes in the next bytes, cut anywhere, and hands what they are answered to `write`: a view of the engine's memory
   * that is to be copied at once.
   */
  feed(chunk: Uint8Array, write: (output: Uint8Array) => void): void {
    this.#run(write, (instance) => instance.feedStream(this.id, chunk));
  }

  /** Hands on what reached the client from elsewhere and runs nothing, for when its output does not leave. */
  wake(write: (output: Uint8Array) => void): void {
    this.#run(write, (instance) => instance.wakeStream(this.id));
  }

  #run(write: (output: Uint8Array) => void, work: (instance: Instance) => Uint8Array | undefined): void {
    if (this.#closed) throw new ClosedError('client');
    this.#host.enter((instance) => {
      const output = work(instance);
      if (output === undefined) throw this.#host.clockFailure();
      this.#fed = instance.engine.fed();
      if (output.length > 0) write(output);
    });
  }

  /** The other side is gone. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#ended();
  }
}

/** All streams of one engine. */
export class Streams {
  readonly #host: Host;

  /** @internal */
  constructor(host: Host) {
    this.#host = host;
  }

  /** A client comes; the addresses are what CLIENT LIST shows. */
  open(user: StreamUser, address = '', localAddress = ''): Stream {
    return this.#host.enter((instance) => {
      const id = connected(instance.guarded(() => instance.engine.accept(address, localAddress)));
      const stopObserving = this.#host.observe(id, user);
      return new Stream(this.#host, id, () => {
        stopObserving();
        this.#disconnect(id);
      });
    });
  }

  /** While somebody serves the engine, what is due happens in time. Answers the way to end it. */
  serve(host: StreamHost): () => void {
    return this.#host.observeConfiguration(() => host.configured());
  }

  /** The value of a configuration parameter; '' when there is no such parameter. */
  parameter(name: string): string {
    return this.#host.enter((instance) => instance.guarded(() => instance.engine.parameter(name)));
  }

  /** Sets a parameter as a configuration file would, also those that CONFIG SET refuses. */
  configure(name: string, value: string): void {
    this.#host.enter((instance) => {
      const refusal = instance.guarded(() => instance.engine.configure(name, value));
      if (refusal !== undefined) throw new RangeError(`${name}: ${refusal}`);
    });
  }

  #disconnect(id: number): void {
    if (this.#host.closed || this.#host.poisoned) return;
    this.#host.enter((instance) => instance.guarded(() => instance.engine.disconnect(id)));
  }
}
