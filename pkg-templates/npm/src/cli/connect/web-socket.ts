/**
 * A WebSocket of Node, where version 20 has none. Unlike that of later versions it has back-pressure, and says why a server
 * refuses it.
 */
import { createHash, randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { Encoder } from '../../base/encoders.js';
import type { WebSocketLike } from '../../remote/socket-connection.js';
import { BINARY, CLOSE, encodeFrame, type FrameListener, FrameReader, PING, PONG, TEXT } from './frames.js';
import { noConnection, refusalText } from './refusal.js';

/** Constant of RFC 6455, which the server hashes with the key. */
const ACCEPT_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const VERSION = '13';
const KEY_BYTES = 16;
const MASK_BYTES = 4;
/** Tokens that a header can have. */
const PRINTABLE = /^[ -~]+$/;
/** Time for the server's end of the connection after that of this one. */
const FAREWELL_MS = 1000;
/** Close codes for a connection that was lost, and for a frame without a code. */
const LOST = 1006;
const WITHOUT_CODE = 1005;

/**
 * Events: `open`, `message` with data that is a text or an ArrayBuffer, `drain`, `error` with a message, and `close` with code
 * and reason. A message may be a part of one that the server sent.
 */
export class NodeWebSocket extends EventEmitter implements WebSocketLike, FrameListener {
  binaryType = 'arraybuffer';
  readonly #url: URL;
  readonly #request: ClientRequest;
  readonly #reader = new FrameReader(this);
  #socket: Socket | undefined;
  #isClosing = false;
  #closed: { readonly code: number; readonly reason: string } | undefined;

  /** The token is sent in a header too: a server without WebSockets then answers that, and not that a token is missing. */
  constructor(url: string, protocols: readonly string[], token?: string) {
    super();
    this.#url = new URL(url);
    const isSecure = this.#url.protocol === 'wss:';
    const key = randomBytes(KEY_BYTES).toString('base64');
    const { hostname, port, pathname } = this.#url;
    const begin = isSecure ? httpsRequest : httpRequest;
    this.#request = begin({
      host: hostname.replace(/^\[(.*)\]$/, '$1'),
      port: port === '' ? undefined : port,
      path: pathname,
      agent: false,
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': VERSION,
        'sec-websocket-key': key,
        'sec-websocket-protocol': protocols.join(', '),
        ...(PRINTABLE.test(token ?? '') ? { authorization: `Bearer ${token}` } : {}),
      },
    });
    this.#request.on('upgrade', (response, socket, head) =>
      this.#upgraded(response, socket as Socket, head, { key, protocol: protocols[0] }),
    );
    this.#request.on('response', (response) => void this.#refused(response));
    this.#request.on('error', (error) => this.#failed(noConnection(this.#url, error)));
    this.#request.end();
  }

  addEventListener(type: string, listener: (event: never) => void): void {
    this.on(type, listener as (event: unknown) => void);
  }

  /** Whether the system takes no more for now: `drain` follows. */
  get isFull(): boolean {
    return this.#socket?.writableNeedDrain === true;
  }

  /** Stops reading, so that the server has to wait. */
  pause(): void {
    this.#socket?.pause();
  }

  resume(): void {
    this.#socket?.resume();
  }

  send(data: string | Uint8Array): void {
    if (typeof data === 'string') this.#write(TEXT, new Encoder().encode(data));
    else this.#write(BINARY, data);
  }

  /** Begins to close; a connection that is not there yet is given up. */
  close(code = 1000): void {
    if (this.#socket === undefined) return void this.#request.destroy();
    this.#end(Uint8Array.of(code >> 8, code & 0xff));
  }

  bytes(part: Uint8Array): void {
    this.emit('message', { data: new Uint8Array(part).buffer });
  }

  text(message: string): void {
    this.emit('message', { data: message });
  }

  control(opcode: number, payload: Uint8Array): void {
    if (opcode === PING) return this.#write(PONG, payload);
    if (opcode !== CLOSE) return;
    const [high, low] = payload;
    const code = high === undefined || low === undefined ? WITHOUT_CODE : high * 256 + low;
    this.#closed ??= { code, reason: Buffer.from(payload.subarray(2)).toString() };
    this.#end(payload.slice(0, 2));
  }

  #upgraded(
    response: IncomingMessage,
    socket: Socket,
    head: Uint8Array,
    expected: { readonly key: string; readonly protocol: string | undefined },
  ): void {
    const accept = createHash('sha1').update(`${expected.key}${ACCEPT_SUFFIX}`).digest('base64');
    const { 'sec-websocket-accept': accepted, 'sec-websocket-protocol': protocol } = response.headers;
    if (accepted !== accept || protocol !== expected.protocol) {
      socket.destroy();
      return this.#failed(`${this.#url.origin} is no keylatch: it does not speak the protocol ${expected.protocol}`);
    }
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.#received(chunk));
    socket.on('drain', () => this.emit('drain'));
    socket.on('error', (error) => this.#lost(error.message));
    socket.on('close', () => this.#lost('the connection was lost'));
    this.emit('open', {});
    if (head.length > 0) this.#received(head);
  }

  async #refused(response: IncomingMessage): Promise<void> {
    const text = await refusalText(this.#url, response).catch((error: Error) => noConnection(this.#url, error));
    this.#failed(text);
    this.#request.destroy();
  }

  #received(chunk: Uint8Array): void {
    try {
      this.#reader.push(chunk);
    } catch (error) {
      this.#socket?.destroy();
      this.#lost((error as Error).message);
    }
  }

  #write(opcode: number, payload: Uint8Array): void {
    if (!this.#isClosing) this.#socket?.write(encodeFrame(opcode, payload, randomBytes(MASK_BYTES)));
  }

  /** Writes the close frame and what is before it. */
  #end(payload: Uint8Array): void {
    if (this.#isClosing) return;
    this.#write(CLOSE, payload);
    this.#isClosing = true;
    this.#socket?.end();
    setTimeout(() => this.#socket?.destroy(), FAREWELL_MS).unref();
  }

  #failed(message: string): void {
    if (this.#closed !== undefined) return;
    this.#closed = { code: LOST, reason: message };
    this.emit('error', { message });
  }

  /** The connection has ended, after a close frame or without one. */
  #lost(reason: string): void {
    if (this.#socket === undefined) return;
    this.#socket = undefined;
    this.emit('close', this.#closed ?? { code: LOST, reason });
  }
}

/** The class of sockets with a token. */
export function socketClassWith(token: string | undefined): new (url: string, protocols: string[]) => NodeWebSocket {
  return class extends NodeWebSocket {
    constructor(url: string, protocols: string[]) {
      super(url, protocols, token);
    }
  };
}
