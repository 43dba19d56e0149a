/** One connection: transfers bytes between socket and engine, with back pressure in both directions. */
import type { Socket } from 'node:net';
import { PoisonedError, ReplyError } from '../base/errors.js';
import type { StreamUser } from '../host/streams.js';
import { encodeError } from '../resp/encode.js';
import type { OutputBatch } from './output-batch.js';
import { OutputGauge, type OutputLimit } from './output-limit.js';
import type { ClientStream, StreamSource } from './stream-source.js';

const NOTHING = /* @__PURE__ */ new Uint8Array(0);
/** Bytes of input accepted behind a blocked command; reading stops beyond. */
const BLOCKED_INPUT_BYTES_MAX = 2 ** 20;
/** Time a closed connection has to read its last reply. */
const FAREWELL_MS = 2_000;

/** Interface of the server for its connections. */
export interface PeerHost {
  readonly outputLimit: OutputLimit;
  readonly output: OutputBatch;
  /** True while connections must record the time of their last input. */
  readonly countsIdleness: boolean;
  /** Runs work of which the effects are stored before its output leaves. */
  grouped<T>(work: () => T): T;
  /** Called when a script of the connection is suspended. */
  scriptSuspended(): void;
  peerEnded(peer: Peer): void;
  failed(error: unknown): void;
}

export class Peer implements StreamUser {
  readonly #host: PeerHost;
  readonly #socket: Socket;
  readonly #stream: ClientStream;
  readonly #gauge = new OutputGauge();
  #resting = false;
  #over = false;
  #blockedBytes = 0;
  #lastInputMs = Date.now();

  constructor(host: PeerHost, socket: Socket, streams: StreamSource, address: string, localAddress: string) {
    this.#host = host;
    this.#socket = socket;
    this.#stream = streams.open(this, address, localAddress);
    socket.on('data', (chunk: Uint8Array) => this.#receive(chunk));
    socket.on('drain', () => this.#goOn());
    // Errors of a connection concern its client only; the close event follows.
    socket.on('error', () => {});
    socket.on('close', () => this.#end());
  }

  /** Time of the last input. A blocked client is never idle. */
  get lastInputMs(): number {
    return this.#stream.parked ? Infinity : this.#lastInputMs;
  }

  /** True for subscribers and monitors, which wait for messages without sending anything. */
  get isListening(): boolean {
    return this.#stream.listening;
  }

  /** Called when a message or a late reply is ready for the client. */
  reached(): void {
    if (this.#over) return;
    // The reply of a blocked command depends on the effects of another client's.
    this.#host.output.wrote(this.#stream.parked ? this.#socket : undefined);
    if (this.#resting && !this.#stream.parked) this.#attempt(() => this.#stream.wake(this.#write));
    else this.#run(NOTHING);
    if (this.#gauge.exceeds(this.#host.outputLimit, this.#socket.writableLength, Date.now())) this.#socket.destroy();
  }

  /** Called when the engine is closed or has trapped. */
  ended(error: Error): void {
    this.#socket.destroy();
    if (error instanceof PoisonedError) this.#host.failed(error);
  }

  /** Sends pending output, then disconnects. */
  hangUp(): void {
    if (this.#over) return;
    this.#end();
    this.#socket.removeAllListeners('data');
    this.#host.output.end(this.#socket);
    // A connection closed with unread input would be reset, and its last reply lost.
    this.#socket.resume();
    const farewell = setTimeout(() => this.#socket.destroy(), FAREWELL_MS);
    this.#socket.once('close', () => clearTimeout(farewell));
  }

  readonly #write = (output: Uint8Array): void => {
    if (this.#stream.wrote) this.#host.output.wrote(this.#socket);
    this.#host.output.write(this.#socket, output);
  };

  #receive(chunk: Uint8Array): void {
    if (this.#host.countsIdleness) this.#lastInputMs = Date.now();
    if (this.#stream.parked) this.#blockedBytes += chunk.length;
    this.#run(chunk);
  }

  #run(chunk: Uint8Array): void {
    const goesOn = this.#attempt(() => this.#host.grouped(() => this.#stream.feed(chunk, this.#write)));
    if (this.#stream.suspended) this.#host.scriptSuspended();
    if (!goesOn) return;
    // Without a reply there was no output.
    if (this.#stream.wrote) this.#host.output.wrote(this.#socket);
    if (!this.#stream.parked) this.#blockedBytes = 0;
    const isFull = this.#socket.writableNeedDrain;
    // Other connections have their turn before a long pipeline goes on.
    if (this.#stream.more && !isFull) setImmediate(() => this.#goOn());
    this.#rest(isFull || this.#stream.more || this.#blockedBytes > BLOCKED_INPUT_BYTES_MAX);
  }

  /** Continues after the output was sent, or after the turns of other connections. */
  #goOn(): void {
    if (!this.#over && !this.#socket.writableNeedDrain) this.#run(NOTHING);
  }

  #rest(resting: boolean): void {
    if (resting === this.#resting) return;
    this.#resting = resting;
    if (resting) this.#socket.pause();
    else this.#socket.resume();
  }

  /** False when the connection has ended, or the engine has trapped. */
  #attempt(work: () => void): boolean {
    try {
      work();
    } catch (error) {
      this.#fail(error);
      return false;
    }
    if (this.#stream.closed) this.hangUp();
    return !this.#over;
  }

  #fail(error: unknown): void {
    // The client sent more than the memory holds.
    if (error instanceof ReplyError) {
      this.#socket.write(encodeError(error.message));
      return this.hangUp();
    }
    this.#socket.destroy();
    this.#host.failed(error);
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#stream.close();
    this.#host.peerEnded(this);
  }
}
