/** Hooks of Fastify 4 and 5. */
import type { LockStore } from '../../locks/commander.js';
import { bodyBytes } from './fingerprint.js';
import { headersOf } from './held-response.js';
import { headerIn } from './idempotency-key.js';
import { Idempotency, type IdempotencyOptions } from './idempotency.js';
import { byName, type PlainResponse, withItem } from './plain-response.js';
import { RequestLimit, type RequestLimitOptions } from './request-limit.js';
import { Run } from './run.js';

/** Part of Fastify's reply that hooks need. */
export interface FastifyReplyLike {
  /** Status of the response. */
  statusCode: number;
  /** Sets the status. */
  code(status: number): unknown;
  /** Sets a header. */
  header(name: string, value: unknown): unknown;
  /** A header that was set. */
  getHeader(name: string): number | string | string[] | undefined;
  /** Headers that were set. */
  getHeaders(): Readonly<Record<string, number | string | string[] | undefined>>;
  /** Sends the response. */
  send(body?: unknown): unknown;
  /** Response of `node:http`. */
  readonly raw: { on(event: 'close', listener: () => void): unknown };
}

/** Part of Fastify's request that the hooks of idempotency keys read. */
export interface FastifyRequestLike {
  /** Method. */
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** Headers. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The parsed body. */
  readonly body?: unknown;
}

/** Hooks of routes with idempotency keys. */
export interface IdempotencyHooks<Request> {
  /** Looks for an earlier response. */
  readonly preHandler: FastifyHook<Request>;
  /** Stores the response. */
  readonly onSend: (request: Request, reply: FastifyReplyLike, payload: unknown) => Promise<unknown>;
}

/** A hook that decides about a request. */
export type FastifyHook<Request> = (request: Request, reply: FastifyReplyLike) => Promise<unknown>;

/** A hook that limits requests: `app.addHook('onRequest', fastifyLimit(db, { limit: 100, period: 60_000, key: ({ ip }) => ip }))`. */
export function fastifyLimit<Request extends object>(
  store: LockStore,
  options: RequestLimitOptions<Request>,
): FastifyHook<Request> {
  const limit = new RequestLimit('fastifyLimit', store, options);
  return async (request, reply) => {
    const { headers, refusal } = await limit.decide(request);
    for (const [name, value] of headers) reply.header(name, withItem(reply.getHeader(name), value));
    return refusal && send(reply, refusal);
  };
}

/**
 * Hooks that run requests with the header Idempotency-Key once: options of a route, `app.post('/pay',
 * fastifyIdempotency(db, { scope: (request) => request.user.id }), pay)`, or two hooks of an app.
 */
export function fastifyIdempotency<Request extends FastifyRequestLike>(
  store: LockStore,
  options: IdempotencyOptions<Request>,
): IdempotencyHooks<Request> {
  const idempotency = new Idempotency('fastifyIdempotency', store, options);
  const runs = new WeakMap<Request, Run>();
  return {
    async preHandler(request, reply) {
      const { method, url, headers, body } = request;
      const header = headerIn(headers);
      const begun = await idempotency.begin(request, { method, address: url, header, body: () => bodyBytes(body) });
      if (!(begun instanceof Run)) return begun && send(reply, begun);
      runs.set(request, begun);
      reply.raw.on('close', () => begun.clientGone());
      return undefined;
    },
    async onSend(request, reply, payload) {
      const body = wholeBody(payload);
      await runs.get(request)?.end({ status: reply.statusCode, headers: headersOf(reply), body });
      runs.delete(request);
      return payload;
    },
  };
}

/** Bytes of a payload; undefined for streams, which are not kept. */
function wholeBody(payload: unknown): Uint8Array | undefined {
  const isWhole = payload instanceof Uint8Array || typeof payload !== 'object' || payload === null;
  return isWhole ? bodyBytes(payload) : undefined;
}

/** @internal Sends a response in place of the handler's; a hook resolves to its result. */
export function send(reply: FastifyReplyLike, { status, headers, body }: PlainResponse): FastifyReplyLike {
  reply.code(status);
  for (const [name, value] of byName(headers)) reply.header(name, value);
  reply.send(body);
  return reply;
}
