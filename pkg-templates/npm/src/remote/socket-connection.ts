/** One WebSocket: opens within a time, carries RESP in binary frames, and notices a server that has gone silent. */
import { toBase64Url } from '../base/base64.js';
import { Encoder } from '../base/encoders.js';
import { ReplySplitter } from '../resp/reply-splitter.js';

/** A WebSocket as platforms and the package `ws` have it. */
export interface WebSocketLike {
  /** Form of binary messages: `arraybuffer`. */
  binaryType: string;
  /** Sends a message. */
  send(data: string | Uint8Array): void;
  /** Begins to close. */
  close(code?: number, reason?: string): void;
  /** Adds a listener of `open`, `message`, `error` or `close`. */
  addEventListener(type: string, listener: (event: never) => void): void;
}

/** The class of such sockets. */
export type WebSocketClass = new (url: string, protocols: string[]) => WebSocketLike;

/** Subprotocol that the server selects. */
const PROTOCOL = 'keylatch';
/** @internal Close code of a server that ends a socket with its token. */
export const TOKEN_ENDED = 4401;

/** @internal */
export interface ConnectionListener {
  opened(): void;
  replies(replies: readonly Uint8Array[]): void;
  /** Called once, also for a connection that was never open; not after `end`. */
  closed(code: number, reason: string, wasOpen: boolean): void;
}

/** @internal */
export interface ConnectionOptions {
  readonly url: string;
  readonly token: string | undefined;
  readonly WebSocket: WebSocketClass;
  /** Time to open, and time between two signs of life while an answer is expected. */
  readonly timeoutMs: number;
}

/** @internal */
export class SocketConnection {
  readonly #socket: WebSocketLike;
  readonly #listener: ConnectionListener;
  readonly #timeoutMs: number;
  readonly #splitter = new ReplySplitter();
  #isOver = false;
  #hasOpened = false;
  /** Whether a byte or a pong came since the last ping, and when one came by the clock of this machine, which goes on in its sleep. */
  #isAlive = true;
  #aliveAtMs = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor({ url, token, WebSocket, timeoutMs }: ConnectionOptions, listener: ConnectionListener) {
    this.#listener = listener;
    this.#timeoutMs = timeoutMs;
    this.#socket = new WebSocket(url, protocolsOf(token));
    this.#socket.binaryType = 'arraybuffer';
    this.#timer = setTimeout(() => this.#close(0, `no connection within ${timeoutMs} ms`), timeoutMs);
    this.#socket.addEventListener('open', () => this.#open());
    this.#socket.addEventListener('message', ({ data }: { readonly data: unknown }) => this.#received(data));
    this.#socket.addEventListener('error', ({ message }: { readonly message?: string }) =>
      this.#close(0, message || 'the connection failed'),
    );
    this.#socket.addEventListener('close', ({ code, reason }: { readonly code: number; readonly reason: string }) =>
      this.#close(code, reason),
    );
  }

  get isOpen(): boolean {
    return this.#hasOpened && !this.#isOver;
  }

  /** Whether a sign of life came in the time in which a watched server gives one. */
  get isAlive(): boolean {
    return this.isOpen && Date.now() - this.#aliveAtMs <= 2 * this.#timeoutMs;
  }

  send(bytes: Uint8Array): void {
    this.#socket.send(bytes);
  }

  /** Expects signs of life, or no longer does. */
  watch(isWatched: boolean): void {
    if (!this.isOpen || isWatched === (this.#timer !== undefined)) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!isWatched) return;
    this.#isAlive = true;
    this.#check();
  }

  /** Closes without a call of the listener. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    closeQuietly(this.#socket);
  }

  #open(): void {
    if (this.#isOver) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#hasOpened = true;
    this.#listener.opened();
  }

  #received(data: unknown): void {
    if (this.#isOver) return;
    this.#isAlive = true;
    this.#aliveAtMs = Date.now();
    // Text is the answer to a ping.
    if (typeof data === 'string') return;
    try {
      const replies = this.#splitter.push(new Uint8Array(data as ArrayBuffer));
      if (replies.length > 0) this.#listener.replies(replies);
    } catch (error) {
      this.#close(0, (error as Error).message);
    }
  }

  /** Sends a ping, and looks for a sign of life after a while. */
  #check(): void {
    if (!this.#isAlive) return this.#close(0, `no sign of life within ${this.#timeoutMs} ms`);
    this.#isAlive = false;
    this.#socket.send('ping');
    this.#timer = setTimeout(() => this.#check(), this.#timeoutMs);
  }

  #close(code: number, reason: string): void {
    if (this.#isOver) return;
    this.end();
    this.#listener.closed(code, reason, this.#hasOpened);
  }
}

/**
 * @internal Subprotocols to offer, the one to be selected first. Browsers cannot set headers of an upgrade, and addresses are
 * logged: the token is the name of a subprotocol.
 */
export function protocolsOf(token: string | undefined): string[] {
  return token === undefined ? [PROTOCOL] : [PROTOCOL, `keylatch.token.${toBase64Url(new Encoder().encode(token))}`];
}

function closeQuietly(socket: WebSocketLike): void {
  try {
    socket.close(1000);
  } catch {
    // The socket was closed already, or never opened.
  }
}
