/** The REST protocol as a listener of `node:http`, without objects of `fetch` in between. */
import { BodyTooLarge, NO_QUERY, type RestRequest, type RestResponse } from './exchange.js';
import { settingsOf, type UpstashHandlerOptions } from './options.js';
import { concat } from '../../resp/concat.js';
import { respond } from './respond.js';
import { runnerOf, type UpstashDatabase } from './runners.js';
import { Encoder } from '../../base/encoders.js';

/** Part of `http.IncomingMessage` that the listener needs. */
export interface NodeRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  on(event: 'data', listener: (chunk: Uint8Array) => void): unknown;
  on(event: 'end' | 'close', listener: () => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  resume(): unknown;
}

/** Part of `http.ServerResponse` that the listener needs. */
export interface NodeResponse {
  readonly writableLength: number;
  readonly destroyed: boolean;
  writeHead(status: number, headers: Record<string, string | number>): unknown;
  write(text: string): unknown;
  end(body?: string | Uint8Array): unknown;
  destroy(error?: Error): unknown;
  on(event: 'close', listener: () => void): unknown;
}

const encoder = /* @__PURE__ */ new Encoder();
/** Bytes of a piece of a live body on average: what a client leaves unread is counted in bytes here. */
const PIECE_BYTES = 256;

/** A listener for `http.createServer`: `createServer(upstashListener(db, { token }))`. */
export function upstashListener(
  db: UpstashDatabase,
  options: UpstashHandlerOptions,
): (request: NodeRequest, response: NodeResponse) => void {
  const settings = settingsOf(options);
  const runner = runnerOf(db);
  return (request, response) => {
    const asked = requestOf(request, response);
    void respond(runner, asked, settings).then((answer) => send(answer, asked, response));
  };
}

function requestOf(request: NodeRequest, response: NodeResponse): RestRequest {
  const { method = 'GET', url = '/', headers } = request;
  const mark = url.indexOf('?');
  return {
    method,
    path: mark === -1 ? url : url.slice(0, mark),
    query: mark === -1 ? NO_QUERY : new URLSearchParams(url.slice(mark + 1)),
    header: (name) => {
      const value = headers[name];
      return typeof value === 'object' ? value.join(', ') : value;
    },
    body: (maxBytes) => bodyOf(request, maxBytes),
    whenGone: (callback) => response.on('close', callback),
  };
}

/** Reads a body up to the limit. The rest of a longer one is read and dropped, or the client would not read the response. */
function bodyOf(request: NodeRequest, maxBytes: number): Promise<Uint8Array> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) {
    request.resume();
    return Promise.reject(new BodyTooLarge(maxBytes));
  }
  return new Promise((resolve, reject) => {
    let pieces: Uint8Array[] = [];
    let length = 0;
    request.on('data', (piece) => {
      length += piece.length;
      if (length <= maxBytes) pieces.push(piece);
      else {
        pieces = [];
        reject(new BodyTooLarge(maxBytes));
      }
    });
    request.on('end', () => resolve(concat(pieces)));
    request.on('error', reject);
    request.on('close', () => reject(new Error('the client has gone')));
  });
}

function send({ status, headers, body }: RestResponse, request: RestRequest, response: NodeResponse): void {
  if (response.destroyed) return;
  if (typeof body !== 'function') {
    const sent: Record<string, string | number> = headers;
    if (body !== null) sent['content-length'] = typeof body === 'string' ? lengthOf(body) : body.length;
    // A client that is refused may still be sending: the connection ends with the response.
    if (status === 413) sent['connection'] = 'close';
    response.writeHead(status, sent);
    // A text leaves together with the head.
    response.end(body ?? undefined);
    return;
  }
  response.writeHead(status, headers);
  const stop = body({
    get unread() {
      return response.writableLength / PIECE_BYTES;
    },
    write: (text) => response.write(text),
    end: () => response.end(),
    fail: (reason) => response.destroy(reason),
  });
  request.whenGone(stop);
}

/** Bytes of a text in UTF-8. JSON has no control characters. */
function lengthOf(text: string): number {
  return /^[ -~]*$/.test(text) ? text.length : encoder.encode(text).length;
}
