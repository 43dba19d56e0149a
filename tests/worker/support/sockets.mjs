/** A client over a WebSocket: sends RESP, cut as a test likes, and gives replies and messages one by one. */

import { once } from 'node:events';

import WebSocket from 'ws';

import { TOKEN } from './host.mjs';

const TIMEOUT_MS = 20_000;
const LINE_END = 2;

export const encode = (...commands) =>
  Buffer.concat(
    commands.flatMap((words) => [
      Buffer.from(`*${words.length}\r\n`),
      ...words.flatMap((word) => {
        const bytes = Buffer.from(word.buffer ? word : String(word));
        return [Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from('\r\n')];
      }),
    ]),
  );

/** The subprotocols with which a browser sends a token. */
export const protocolsOf = (token) => ['keylatch', `keylatch.token.${Buffer.from(token).toString('base64url')}`];

/** Position behind the reply at `start`; undefined if it is not whole. */
export function replyEnd(bytes, start = 0) {
  const lineEnd = bytes.indexOf('\r\n', start);
  if (lineEnd === -1) return undefined;
  const type = String.fromCharCode(bytes[start]);
  const count = Number(bytes.toString('latin1', start + 1, lineEnd));
  let end = lineEnd + LINE_END;
  if ('$=!'.includes(type)) end = count < 0 ? end : end + count + LINE_END;
  const children = '*>~'.includes(type) ? count : '%|'.includes(type) ? 2 * count : 0;
  for (let child = 0; child < children && end !== undefined; child += 1) end = replyEnd(bytes, end);
  return end !== undefined && end <= bytes.length ? end : undefined;
}

export class Peer {
  #bytes = Buffer.alloc(0);
  #texts = [];
  #changed = () => {};
  #close;

  constructor(socket) {
    this.socket = socket;
    socket.on('message', (data, isBinary) => {
      if (isBinary) this.#bytes = Buffer.concat([this.#bytes, data]);
      else this.#texts.push(String(data));
      this.#changed();
    });
    socket.on('error', () => {});
    socket.on('close', (code, reason) => {
      this.#close = { code, reason: String(reason) };
      this.#changed();
    });
  }

  /** Sends a binary frame. */
  write(bytes) {
    this.socket.send(bytes, { binary: true });
  }

  text(line) {
    this.socket.send(line, { binary: false });
  }

  send(...commands) {
    this.write(encode(...commands));
  }

  async #take(taken) {
    for (const end = Date.now() + TIMEOUT_MS; ; ) {
      const found = taken();
      if (found !== undefined) return found;
      const left = end - Date.now();
      if (left <= 0) throw new Error(`nothing came; there is ${JSON.stringify(String(this.#bytes))}`);
      let timer;
      await new Promise((resolve) => {
        this.#changed = resolve;
        timer = setTimeout(resolve, left);
      });
      clearTimeout(timer);
    }
  }

  /** The next whole reply or message, as text of Latin-1. */
  async reply() {
    return (await this.replyBytes()).toString('latin1');
  }

  replyBytes() {
    return this.#take(() => {
      const end = replyEnd(this.#bytes);
      if (end === undefined) {
        if (this.#close) throw new Error(`closed: ${this.#close.code} ${this.#close.reason}`);
        return undefined;
      }
      const reply = this.#bytes.subarray(0, end);
      this.#bytes = this.#bytes.subarray(end);
      return reply;
    });
  }

  async ask(...words) {
    this.send(words);
    return this.reply();
  }

  /** The next text frame. */
  nextText() {
    return this.#take(() => this.#texts.shift());
  }

  /** Code and reason with which the server closes. */
  closed() {
    return this.#take(() => this.#close);
  }

  /** Number of bytes that came and were not taken. */
  get unread() {
    return this.#bytes.length;
  }
}

function opened({ url }, { path = '/', token = TOKEN, headers = {}, protocols = [] } = {}) {
  const authorization = token === null ? {} : { authorization: `Bearer ${token}` };
  const address = new URL(path, url.replace('http', 'ws'));
  return new WebSocket(address, protocols, { headers: { ...authorization, ...headers }, perMessageDeflate: false });
}

/** Connects a client, which is disconnected after the test `t`. */
export async function connect(t, worker, options) {
  const socket = opened(worker, options);
  const peer = new Peer(socket);
  t.after(() => socket.terminate());
  await once(socket, 'open');
  return peer;
}

/** Status and body of a refused upgrade. */
export async function refused(worker, options) {
  const socket = opened(worker, options);
  socket.on('error', () => {});
  const [, response] = await once(socket, 'unexpected-response');
  let body = '';
  for await (const chunk of response) body += chunk;
  socket.terminate();
  return { status: response.statusCode, error: JSON.parse(body).error };
}
