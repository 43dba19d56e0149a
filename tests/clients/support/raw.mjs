/** A client that sends raw bytes and collects the response. */
import { connect } from 'node:net';
import { until } from './server.mjs';

/** A request as RESP. */
export function resp(...argv) {
  const parts = [Buffer.from(`*${argv.length}\r\n`)];
  for (const argument of argv.map((word) => Buffer.from(word)))
    parts.push(Buffer.from(`$${argument.length}\r\n`), argument, Buffer.from('\r\n'));
  return Buffer.concat(parts);
}

export class Raw {
  #chunks = [];
  bytes = 0;
  ended = false;
  closed = false;
  error = undefined;

  constructor(socket) {
    this.socket = socket;
    socket.on('data', (chunk) => {
      this.#chunks.push(chunk);
      this.bytes += chunk.length;
    });
    socket.on('end', () => {
      this.ended = true;
    });
    socket.on('close', () => {
      this.closed = true;
    });
    socket.on('error', (error) => {
      this.error = error;
    });
  }

  /** Bytes received so far, as latin1. */
  get text() {
    this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0].toString('latin1');
  }

  /** Clears the received bytes. */
  clear() {
    this.#chunks = [];
    this.bytes = 0;
  }

  send(...data) {
    for (const piece of data) this.socket.write(typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece);
    return this;
  }

  /** Waits until the received text has the given end; returns and clears it. */
  async receive(end) {
    await until(
      () => this.text.endsWith(end) || this.ended || this.closed,
      `the answer ${JSON.stringify(end)}, after ${JSON.stringify(this.text.slice(-200))},`,
    );
    const { text } = this;
    if (!text.endsWith(end)) throw new Error(`the connection ended after ${JSON.stringify(text.slice(-200))}`);
    this.clear();
    return text;
  }

  async ask(request, end = '\r\n') {
    this.send(request);
    return this.receive(end);
  }

  /** All bytes up to the end of the connection. */
  async rest() {
    await until(() => this.ended || this.closed, 'the end of the connection');
    return this.text;
  }

  destroy() {
    this.socket.destroy();
  }
}

/** Connects to a port, or to the path of a Unix socket. */
export async function dial(t, place, options = {}) {
  const target = typeof place === 'string' ? { path: place } : { port: place, host: '127.0.0.1' };
  const socket = connect({ ...target, ...options });
  const raw = new Raw(socket);
  t?.after(() => socket.destroy());
  await until(() => !socket.connecting, 'a connection');
  if (raw.error) throw raw.error;
  return raw;
}
