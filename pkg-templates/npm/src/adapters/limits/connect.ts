/** Middleware in the form of Connect, which Express has: for Express 4 and 5, and servers of `node:http`. */
import type { LockStore } from '../../locks/commander.js';
import { byName, type Header, type PlainResponse } from './plain-response.js';
import { RequestLimit, type RequestLimitOptions } from './request-limit.js';

/** Part of `http.ServerResponse` that middleware needs. */
export interface ConnectResponse {
  /** Status of the response. */
  statusCode: number;
  /** A header that was set. */
  getHeader(name: string): number | string | string[] | undefined;
  /** Sets a header. */
  setHeader(name: string, value: number | string | readonly string[]): unknown;
  /** Ends the response. */
  end(body?: string | Uint8Array): unknown;
}

/** Middleware of Connect and Express. */
export type ConnectMiddleware<Request> = (
  request: Request,
  response: ConnectResponse,
  next: (error?: unknown) => void,
) => void;

/** Middleware that limits requests: `app.use(expressLimit(db, { limit: 100, period: 60_000, key: (request) => request.ip }))`. */
export function expressLimit<Request extends object>(
  store: LockStore,
  options: RequestLimitOptions<Request>,
): ConnectMiddleware<Request> {
  const limit = new RequestLimit('expressLimit', store, options);
  return (request, response, next) => {
    limit.decide(request).then(({ headers, refusal }) => {
      addHeaders(response, headers);
      if (refusal === undefined) next();
      else send(response, refusal);
    }, next);
  };
}

/** Adds headers to those that earlier middleware has set: each policy is an item of a list. */
function addHeaders(response: ConnectResponse, headers: readonly Header[]): void {
  for (const [name, value] of headers) {
    const before = response.getHeader(name);
    response.setHeader(name, before === undefined ? value : `${before}, ${value}`);
  }
}

/** @internal Sends a response in place of the handler's. */
export function send(response: ConnectResponse, { status, headers, body }: PlainResponse): void {
  response.statusCode = status;
  for (const [name, value] of byName(headers)) response.setHeader(name, value);
  response.end(body);
}
