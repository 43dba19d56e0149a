/** Hooks of Fastify 4 and 5. */
import type { LockStore } from '../../locks/commander.js';
import { byName, type PlainResponse } from './plain-response.js';
import { RequestLimit, type RequestLimitOptions } from './request-limit.js';

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
  /** Sends the response. */
  send(body?: unknown): unknown;
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
    for (const [name, value] of headers) {
      const before = reply.getHeader(name);
      reply.header(name, before === undefined ? value : `${before}, ${value}`);
    }
    return refusal && send(reply, refusal);
  };
}

/** @internal Sends a response in place of the handler's; a hook resolves to its result. */
export function send(reply: FastifyReplyLike, { status, headers, body }: PlainResponse): FastifyReplyLike {
  reply.code(status);
  for (const [name, value] of byName(headers)) reply.header(name, value);
  reply.send(body);
  return reply;
}
