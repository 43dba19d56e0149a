/** Messages between the Worker and the object, by RPC: a request that was admitted, and its response. */
import type { Access } from '../upstash/access.js';
import type { RestQuery, RestRequest } from '../upstash/exchange.js';

/** Headers that the object reads, by their names. */
const HEADERS = ['keylatch-request-id', 'upstash-encoding', 'upstash-response-format'] as const;

export interface WireRequest {
  readonly method: string;
  /** The path below the base and the namespace. */
  readonly path: string;
  /** Parameters in their order, without the token and the namespace. */
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly headers: Readonly<Record<string, string>>;
  /** Empty for a request without one. */
  readonly body: Uint8Array;
  readonly access: Access;
}

export interface WireResponse {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array | ReadableStream<Uint8Array> | null;
}

/** The headers of a request for the object. The token goes with an id alone: the reply that is kept belongs to both. */
export function wireHeaders(request: RestRequest, token: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of HEADERS) {
    const value = request.header(name);
    if (value !== undefined) headers[name] = value;
  }
  if (HEADERS[0] in headers) headers['authorization'] = `Bearer ${token}`;
  return headers;
}

const NO_QUERY: RestQuery = { get: () => null, *[Symbol.iterator]() {} };

/** The request as the exchange reads it. A client that goes is noticed by what is written to it. */
export function requestOf({ method, path, query, headers, body }: WireRequest): RestRequest {
  return {
    method,
    path,
    query:
      query.length === 0 ? NO_QUERY : { get: () => null, [Symbol.iterator]: () => query[Symbol.iterator]() as never },
    header: (name) => headers[name],
    body: () => Promise.resolve(body),
    whenGone: () => {},
  };
}
