/** Middleware in the form of Connect, which Express has: for Express 4 and 5, and servers of `node:http`. */
import type { LockStore } from '../../locks/commander.js';
import { bodyBytes } from './fingerprint.js';
import { HeldResponse, type HeldServerResponse } from './held-response.js';
import { headerIn } from './idempotency-key.js';
import { Idempotency, type IdempotencyOptions, type IdempotentCall } from './idempotency.js';
import { byName, type PlainResponse, withItem } from './plain-response.js';
import { RequestLimit, type RequestLimitOptions } from './request-limit.js';
import { Run } from './run.js';
import { CallerTypeError } from '../../base/caller-errors.js';

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
      for (const [name, value] of headers) response.setHeader(name, withItem(response.getHeader(name), value));
      if (refusal === undefined) next();
      else send(response, refusal);
    }, next);
  };
}

/** Part of a request that the middleware of idempotency keys reads; a parser in front of it sets `body`. */
export interface ConnectRequest {
  /** Method. */
  readonly method?: string | undefined;
  /** Path and query. */
  readonly url?: string | undefined;
  /** Path and query before a router took a part of it. */
  readonly originalUrl?: string | undefined;
  /** Headers. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The body as its parser made it. */
  readonly body?: unknown;
}

/**
 * Middleware that runs requests with the header Idempotency-Key once: `app.post('/pay', express.json(),
 * expressIdempotency(db, { scope: (request) => request.user.id }), pay)`. A parser of the body stands in front of it.
 */
export function expressIdempotency<Request extends ConnectRequest>(
  store: LockStore,
  options: IdempotencyOptions<Request>,
): ConnectMiddleware<Request> {
  const idempotency = new Idempotency('expressIdempotency', store, options);
  return (request, response, next) => {
    idempotency.begin(request, callOf(request)).then((begun) => {
      if (begun === undefined) next();
      else if (begun instanceof Run) run(begun, response as unknown as HeldServerResponse, idempotency.maxBytes, next);
      else send(response, begun);
    }, next);
  };
}

function callOf(request: ConnectRequest): IdempotentCall {
  const { method = 'GET', url = '/', originalUrl = url, headers } = request;
  return {
    method,
    address: originalUrl,
    header: headerIn(headers),
    body: () => {
      const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
      if (hasBody && request.body === undefined)
        throw new CallerTypeError('expressIdempotency: the body was not read: put a parser of it in front');
      return bodyBytes(request.body);
    },
  };
}

/** Lets the handler run, and its response leave once it is stored. */
function run(begun: Run, response: HeldServerResponse, maxBytes: number, next: () => void): void {
  const held = new HeldResponse(response, maxBytes);
  response.on('close', () => begun.clientGone());
  void held.response.then(async (found) => {
    await begun.end(found);
    held.send();
  });
  next();
}

/** @internal Sends a response in place of the handler's. */
export function send(response: ConnectResponse, { status, headers, body }: PlainResponse): void {
  response.statusCode = status;
  for (const [name, value] of byName(headers)) response.setHeader(name, value);
  response.end(body);
}
