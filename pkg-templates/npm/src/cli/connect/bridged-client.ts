/**
 * One Redis client on a bridge, with a WebSocket of its own: bytes pass both ways as they are, and each side waits for the other
 * one. If one side is lost, so is the other: the client knows what it had sent, and its own rule decides.
 */
import type { Socket } from 'node:net';
import { encodeError } from '../../resp/encode.js';
import { closeText } from './refusal.js';
import { CONNECT_MS } from './target.js';
import type { NodeWebSocket } from './web-socket.js';

/** Time without a byte of the server after which it is asked for a sign of life, which has as long to come. */
const SILENT_MS = 20_000;
/** Time that a client has to take the last bytes. */
const FAREWELL_MS = 5000;
const NORMAL = 1000;

export class BridgedClient {
  readonly #client: Socket;
  readonly #server: NodeWebSocket;
  readonly #failed: (reason: string) => void;
  #timer: ReturnType<typeof setTimeout>;
  #isOpen = false;
  #isOver = false;
  /** Whether the server is read, and something came from it since it was looked at. */
  #isRead = true;
  #isAlive = true;

  /** `failed` is called if the server is the reason of the end. */
  constructor(client: Socket, server: NodeWebSocket, failed: (reason: string) => void) {
    this.#client = client;
    this.#server = server;
    this.#failed = failed;
    this.#timer = setTimeout(() => this.#refuse(`no connection within ${CONNECT_MS} ms`), CONNECT_MS);
    client.pause();
    client.on('error', () => this.close());
    client.on('close', () => this.close());
    server.on('open', () => this.#opened());
    server.on('message', ({ data }: { readonly data: string | ArrayBuffer }) => this.#received(data));
    server.on('error', ({ message }: { readonly message: string }) => this.#refuse(message));
    server.on('close', ({ code, reason }: { readonly code: number; readonly reason: string }) =>
      this.#lost(closeText(code, reason), code),
    );
  }

  /** Ends both connections. What the server has sent is delivered first. */
  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#server.close(NORMAL);
    this.#client.destroySoon();
    const late = setTimeout(() => this.#client.destroy(), FAREWELL_MS);
    this.#client.once('close', () => clearTimeout(late));
  }

  #opened(): void {
    if (this.#isOver) return this.#server.close(NORMAL);
    this.#isOpen = true;
    this.#client.on('data', (bytes) => {
      this.#server.send(bytes);
      if (this.#server.isFull) this.#client.pause();
    });
    this.#server.on('drain', () => this.#client.resume());
    this.#client.on('drain', () => this.#read(true));
    this.#client.resume();
    this.#look();
  }

  #received(data: string | ArrayBuffer): void {
    this.#isAlive = true;
    // Text is the answer to a ping.
    if (typeof data === 'string' || this.#isOver) return;
    if (!this.#client.write(new Uint8Array(data))) this.#read(false);
  }

  #read(isRead: boolean): void {
    this.#isRead = isRead;
    this.#isAlive = true;
    if (isRead) this.#server.resume();
    else this.#server.pause();
  }

  /** Looks for a sign of life of a server that is read, and asks for one. */
  #look(): void {
    clearTimeout(this.#timer);
    if (!this.#isAlive) return this.#lost(`no sign of life within ${2 * SILENT_MS} ms`);
    this.#timer = setTimeout(() => {
      if (!this.#isRead) return this.#look();
      this.#isAlive = false;
      this.#server.send('ping');
      this.#timer = setTimeout(() => this.#look(), SILENT_MS);
    }, SILENT_MS);
  }

  /** Answers the first request of a client that has no server. */
  #refuse(reason: string): void {
    if (this.#isOver || this.#isOpen) return this.#lost(reason);
    clearTimeout(this.#timer);
    this.#failed(reason);
    this.#client.once('data', () => {
      this.#client.write(encodeError(`ERR keylatch connect: ${reason}`));
      this.close();
    });
    this.#client.resume();
  }

  #lost(reason: string, code = 0): void {
    if (this.#isOver) return;
    if (code !== NORMAL) this.#failed(reason);
    this.close();
  }
}
