/** Messages between the Worker and the object, by RPC: a request that was admitted, and its response. */
import { type Access, tokenOf } from '../upstash/access.js';
import type { Command } from '../upstash/commands.js';
import { NO_QUERY, type RestRequest } from '../upstash/exchange.js';
import type { ShardClaim } from './shards/table.js';

/** Headers that the object reads, by their names. */
const HEADERS = ['keylatch-request-id', 'upstash-encoding', 'upstash-response-format'] as const;

const NOTHING = /* @__PURE__ */ new Uint8Array(0);

export interface WireRequest {
  readonly method: string;
  /** The path below the base and the namespace. */
  readonly path: string;
  readonly access: Access;
  // Absent if empty: what is not there is not copied.
  /** Parameters in their order, without the token and the namespace. */
  readonly query?: readonly (readonly [name: string, value: string])[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** A pipeline, in place of a body. */
  readonly commands?: readonly Command[];
  /** The shard that the object is taken for, if its namespace has several. */
  readonly shard?: ShardClaim;
}

/** Status with which a new shard answers nothing: the first one has to confirm their number before. */
export const UNCONFIRMED = 421;

export interface WireResponse {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array | ReadableStream<Uint8Array> | null;
}

/** The headers of a request for the object. The token goes with an id alone: the reply that is kept belongs to both. */
export function wireHeaders(request: RestRequest): Record<string, string> | undefined {
  let headers: Record<string, string> | undefined;
  for (const name of HEADERS) {
    const value = request.header(name);
    if (value !== undefined) headers = { ...headers, [name]: value };
  }
  if (headers !== undefined && HEADERS[0] in headers) headers['authorization'] = `Bearer ${tokenOf(request)}`;
  return headers;
}

/** The request as the exchange reads it. A client that goes is noticed by what is written to it. */
export function requestOf({ method, path, query, headers, body = NOTHING }: WireRequest): RestRequest {
  return {
    method,
    path,
    query: query === undefined ? NO_QUERY : { get: () => null, [Symbol.iterator]: () => query.values() as never },
    header: (name) => headers?.[name],
    body: () => Promise.resolve(body),
    whenGone: () => {},
  };
}
