/** Entry `keylatch/ioredis`: a connector that connects ioredis to an engine in this process, without a socket. */
import { Duplex } from 'node:stream';
import { PoisonedError, type Keylatch, type Stream, type StreamUser } from './index.js';

const NOTHING = new Uint8Array(0);
const ADDRESS = 'memory:0';
/** Longest delay of a timer, in milliseconds. */
const FOR_EVER_MS = 2 ** 31 - 1;

/** A connection as ioredis expects it from a socket; the other end is a client of the engine. */
class MemoryConnection extends Duplex implements StreamUser {
  readonly #stream: Stream;
  /** Output of the engine that ioredis has not read yet. */
  #output: Uint8Array[] = [];
  #keeper: NodeJS.Timeout | undefined;
  #hungUp = false;
  #isDelivering = false;
  /** Set while the engine's output waits to be read: continues with the requests behind it. */
  #goOn: (() => void) | undefined;

  constructor(db: Keylatch) {
    super({ allowHalfOpen: false });
    this.#stream = db.streams.open(this, ADDRESS, ADDRESS);
  }

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

  /** Called when a message or a late reply is ready for the client. */
  reached(): void {
    if (this.destroyed || this.#hungUp) return;
    if (this.#goOn !== undefined) this.#attempt(() => this.#stream.wake(this.#answer));
    else this.#run(NOTHING);
  }

  /** Called when the engine is closed or has trapped. */
  ended(error: Error): void {
    this.destroy(error instanceof PoisonedError ? error : undefined);
  }

  override _write(chunk: Uint8Array, _encoding: string, done: (error?: Error | null) => void): void {
    // Requests written after the end are dropped, as on a socket.
    if (this.#hungUp) done();
    else this.#run(chunk, done);
  }

  override _read(): void {
    const goOn = this.#goOn;
    this.#goOn = undefined;
    goOn?.();
  }

  override _final(done: () => void): void {
    this.#hangUp();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#stream.close();
    this.#keepAlive(false);
    done(error);
  }

  readonly #answer = (output: Uint8Array): void => {
    this.#output.push(Buffer.from(output));
    this.#deliverSoon();
  };

  #hangUp(): void {
    this.#stream.close();
    this.#keepAlive(false);
    this.#hungUp = true;
    this.#deliverSoon();
  }

  /**
   * Emits output as a socket does, never within the call that wrote the request: ioredis records a request only after
   * writing it.
   */
  #deliverSoon(): void {
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    process.nextTick(() => this.#deliver());
  }

  #deliver(): void {
    this.#isDelivering = false;
    const output = this.#output;
    this.#output = [];
    if (this.destroyed || this.readableEnded) return;
    for (const piece of output) this.push(piece);
    if (this.#hungUp) this.push(null);
  }

  #run(chunk: Uint8Array, done?: (error?: Error | null) => void): void {
    if (!this.#attempt(() => this.#stream.feed(chunk, this.#answer))) return done?.();
    if (!this.#stream.more) return done?.();
    // More is read from the engine only as fast as ioredis reads.
    this.#goOn = () => this.#run(NOTHING, done);
  }

  /** Feeds requests; false when the connection is over. */
  #attempt(work: () => void): boolean {
    try {
      work();
    } catch (error) {
      this.destroy(error as Error);
      return false;
    }
    this.#keepAlive(this.#stream.parked);
    if (this.#stream.closed) this.#hangUp();
    return !this.#stream.closed;
  }

  /** Keeps the process alive while a command is blocked, as a socket does. */
  #keepAlive(waiting: boolean): void {
    if (waiting) this.#keeper ??= setTimeout(() => {}, FOR_EVER_MS);
    else clearTimeout(this.#keeper);
    if (!waiting) this.#keeper = undefined;
  }
}

/** Interface that ioredis requires of a connector; an instance is created for each client. */
export interface Connector {
  /** Called by ioredis before it connects; the engine is always available. */
  check(): boolean;
  /** Connects a client; ioredis writes requests into the stream and reads replies from it. */
  connect(): Promise<Duplex>;
  /** Ends the connection. */
  disconnect(): void;
}

/**
 * A class for the option `Connector` of ioredis: `new Redis({ Connector: connector(db) })`. Duplicates and subscribers
 * made from such a client are further clients of the same engine.
 */
export function connector(db: Keylatch): new () => never {
  class MemoryConnector implements Connector {
    #connection: MemoryConnection | undefined;

    check(): boolean {
      return true;
    }

    async connect(): Promise<Duplex> {
      this.#connection = new MemoryConnection(db);
      return this.#connection;
    }

    disconnect(): void {
      this.#connection?.end();
    }
  }
  // ioredis declares its own base class here, on which this package does not depend; this type has the members it uses.
  return MemoryConnector as unknown as new () => never;
}
