/** The connection between ioredis and an engine in this process, without a socket. */
import { PoisonedError } from '../../base/errors.js';
import type { StreamUser } from '../../host/streams.js';
import { SocketStandIn } from './socket.js';
import type { ClientStream } from '../../server/stream-source.js';

const NOTHING = /* @__PURE__ */ new Uint8Array(0);
/** Longest delay of a timer, in milliseconds. */
const FOR_EVER_MS = 2 ** 31 - 1;
// Read before a test replaces them: the timer below is none of the program's.
const { setTimeout: startTimer, clearTimeout: endTimer } = globalThis;

/** A connection as ioredis expects it from a socket; the other end is a client of the engine. */
export class MemoryConnection extends SocketStandIn implements StreamUser {
  readonly #stream: ClientStream;
  /** Output of the engine that ioredis has not read yet. */
  #output: Uint8Array[] = [];
  #keeper: NodeJS.Timeout | undefined;
  #hungUp = false;
  #isDelivering = false;
  /** Set while the engine's output waits to be read: continues with the requests behind it. */
  #goOn: (() => void) | undefined;

  /** `open` connects a client of the engine. */
  constructor(open: (user: StreamUser) => ClientStream) {
    super();
    this.#stream = open(this);
  }

  protected override decide(event: string | symbol): void {
    this.connecting = false;
    this.emit(event);
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
   * writing it. A promise is what fake timers leave alone.
   */
  #deliverSoon(): void {
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    void Promise.resolve().then(() => this.#deliver());
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
    if (waiting) this.#keeper ??= startTimer(() => {}, FOR_EVER_MS);
    else endTimer(this.#keeper);
    if (!waiting) this.#keeper = undefined;
  }
}
