/**
 * RESP clients over a byte stream, for hosts with sockets or a similar transport. The user of a stream is
 * notified when output is ready for its client, and then feeds or wakes the stream.
 */
import { ClosedError } from '../base/errors.js';
import { exportClient } from './client-words.js';
import type { GlueClient } from './glue.js';
import type { Host } from './host.js';
import { connected, type Instance } from './instance.js';
import { CallerRangeError } from '../base/caller-errors.js';

/** Owner of a stream's transport. */
export interface StreamUser {
  /**
   * Called when a message or a late reply is ready, or the client was disconnected: feed an empty chunk, or wake the
   * stream.
   */
  reached(): void;
  /** Called when the engine was closed or has trapped. */
  ended?(error: Error): void;
}

/** Request of a client by SHUTDOWN. */
export interface ShutdownRequest {
  /** Whether a snapshot is saved before the end; undefined: if the parameter `save` has a rule. */
  readonly saves: boolean | undefined;
  /** Whether the server ends even if that fails. */
  readonly isForced: boolean;
}

/** A server of the engine. */
export interface StreamHost {
  /** Called when a configuration parameter changed, or a script was suspended that had waited for the end of CLIENT PAUSE. */
  configured(): void;
  /** Called when a client asks for the end of the server, which calls `endsByShutdown` in any case. Without it, SHUTDOWN is refused. */
  shutdown?(request: ShutdownRequest): void;
}

/** @internal Result bits of feeding. */
export const FED_MORE = 1;
/** @internal */
export const FED_BLOCKED = 2;
/** @internal */
export const FED_CLOSED = 4;
/** @internal */
export const FED_WROTE = 8;
/** @internal */
export const FED_SUSPENDED = 16;

/** One client's stream. */
export class Stream {
  /** Number of the client, as CLIENT ID returns it. */
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

  /** True when reading stopped because too much output is pending: when it is sent, feed an empty chunk to continue. */
  get more(): boolean {
    return (this.#fed & FED_MORE) !== 0;
  }

  /** True if the last feeding left a script suspended. */
  get suspended(): boolean {
    return (this.#fed & FED_SUSPENDED) !== 0;
  }

  /** True while the client is blocked or waits for a suspended script; the input behind its command waits too. */
  get parked(): boolean {
    return (this.#fed & FED_BLOCKED) !== 0;
  }

  /** True when the client must be disconnected after its pending output was written. */
  get closed(): boolean {
    return (this.#fed & FED_CLOSED) !== 0;
  }

  /** True if the last feeding caused effects: a host with a log appends them before the output leaves. */
  get wrote(): boolean {
    return (this.#fed & FED_WROTE) !== 0;
  }

  /** True for subscribers and monitors. */
  get listening(): boolean {
    return this.#client?.listening ?? false;
  }

  /** Name of the client; '' without one. */
  get name(): string {
    return this.#client?.name ?? '';
  }

  /** Database of the client. */
  get db(): number {
    return this.#client?.db ?? 0;
  }

  /** True between MULTI and EXEC. */
  get inTransaction(): boolean {
    return this.#client?.inTransaction ?? false;
  }

  get #client(): GlueClient | null {
    return this.#host.enter((instance) => instance.guarded(() => instance.engine.client(this.id)));
  }

  /**
   * Feeds the next bytes, cut anywhere, and passes the output to `write`: a view of the engine's memory that must be
   * copied immediately.
   */
  feed(chunk: Uint8Array, write: (output: Uint8Array) => void): void {
    this.#run(write, (instance) => instance.feedStream(this.id, chunk));
  }

  /** Passes messages and late replies to `write` without running requests, for when the output cannot be sent. */
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

  /**
   * @internal The client as words for `adopt` of another engine, for connections that outlive this one; undefined if it is to
   * be disconnected.
   */
  carried(): Uint8Array | undefined {
    return exportClient(this.#host, this.id);
  }

  /** Disconnects the client when the connection has ended. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#ended();
  }
}

/** All streams of one engine. */
export class Streams {
  readonly #host: Host;
  readonly #servers = new Set<StreamHost>();

  /** @internal */
  constructor(host: Host) {
    this.#host = host;
  }

  /** Connects a client; CLIENT LIST shows the addresses. */
  open(user: StreamUser, address = '', localAddress = ''): Stream {
    return this.#open(user, (instance) =>
      connected(instance.guarded(() => instance.engine.accept(address, localAddress))),
    );
  }

  /** @internal Connects a client of the program itself, over RESP2: it needs no password. */
  openOwn(user: StreamUser): Stream {
    return this.#open(user, (instance) => instance.connect(2));
  }

  /**
   * @internal Connects a client that another engine carried. Such that are blocked come last, in the order of their positions;
   * `tick` serves them then.
   */
  adopt(user: StreamUser, words: Uint8Array): Stream {
    return this.#open(user, (instance) =>
      connected(instance.withInput(words, (length) => instance.engine.importState(length, true))),
    );
  }

  #open(user: StreamUser, connect: (instance: Instance) => number): Stream {
    return this.#host.enter((instance) => {
      const id = connect(instance);
      const stopObserving = this.#host.observe(id, user);
      return new Stream(this.#host, id, () => {
        stopObserving();
        this.#disconnect(id);
      });
    });
  }

  /**
   * Marks the engine as served: the timer runs, and `host` is notified of the configuration. Returns a function that
   * ends it.
   */
  serve(host: StreamHost): () => void {
    const stopObserving = this.#host.observeConfiguration(() => {
      host.configured();
      const words = this.#host.enter((instance) => instance.guarded(() => instance.engine.takeShutdown()))?.split(' ');
      if (words === undefined) return;
      const saves = words.includes('SAVE') ? true : words.includes('NOSAVE') ? false : undefined;
      for (const server of [...this.#servers]) server.shutdown?.({ saves, isForced: words.includes('FORCE') });
    });
    this.#servers.add(host);
    this.#acceptShutdown();
    return () => {
      stopObserving();
      this.#servers.delete(host);
      this.#acceptShutdown();
    };
  }

  #acceptShutdown(): void {
    if (this.#host.closed || this.#host.poisoned) return;
    const on = [...this.#servers].some((server) => server.shutdown !== undefined);
    this.#host.enter((instance) => instance.guarded(() => instance.engine.declare('server', on)));
  }

  /**
   * @internal Whether the server ends as requested by SHUTDOWN. Otherwise it goes on serving, because what was to be done before
   * failed, or the request was withdrawn: the clients that wait get an error.
   */
  endsByShutdown(hasFailed: boolean): boolean {
    return this.#host.enter((instance) => instance.guarded(() => instance.engine.endsByShutdown(hasFailed)));
  }

  /**
   * @internal Suspends scripts of clients with an address after about so many instructions; 0: never. Between the slices
   * other streams are served, and their requests wait. `resumeScript` has to be called until it returns false.
   */
  suspendScripts(instructions: number): void {
    this.#host.enter((instance) => instance.guarded(() => instance.engine.suspendScripts(instructions)));
  }

  /**
   * @internal Runs the suspended script for another slice; true if it is suspended again. With `refuses`, requests that wait
   * for it fail with BUSY, but for a few such as SCRIPT KILL.
   */
  resumeScript(elapsedMs: number, refuses: boolean): boolean {
    return this.#host.enter((instance) => instance.guarded(() => instance.engine.resumeScript(elapsedMs, refuses)));
  }

  /**
   * @internal Ends the suspended script: it is killed, unless it has written, and runs to its end otherwise. `abandon`: it is
   * dropped with its effects, because the engine is closed next.
   */
  endScript(way: 'kill' | 'abandon'): void {
    this.#host.enter((instance) => instance.guarded(() => instance.engine.endScript(way)));
  }

  /** Value of a configuration parameter; '' for unknown names. */
  parameter(name: string): string {
    return this.#host.enter((instance) => instance.guarded(() => instance.engine.parameter(name)));
  }

  /** Sets a parameter as a configuration file does, also those that CONFIG SET refuses. */
  configure(name: string, value: string): void {
    this.#host.enter((instance) => {
      const refusal = instance.guarded(() => instance.engine.configure(name, value));
      if (refusal !== undefined) throw new CallerRangeError(`${name}: ${refusal}`);
    });
  }

  #disconnect(id: number): void {
    if (this.#host.closed || this.#host.poisoned) return;
    this.#host.enter((instance) => instance.guarded(() => instance.engine.disconnect(id)));
  }
}
