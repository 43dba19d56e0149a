/** Middleware of Hono, which answers with the types of `fetch`. */
import type { LockStore } from '../../locks/commander.js';
import { concat } from '../../resp/concat.js';
import { Idempotency, type IdempotencyOptions } from './idempotency.js';
import type { HandlerResponse } from './kept-response.js';
import { byName, type PlainResponse } from './plain-response.js';
import { RequestLimit, type RequestLimitOptions } from './request-limit.js';
import { Run } from './run.js';

/** Response of the platform, where the program's own types declare it. */
type PlatformResponse = typeof globalThis extends { Response: { prototype: infer Own } } ? Own : object;

/** Part of Hono's context that middleware needs. */
export interface HonoContextLike {
  /** The request. */
  readonly req: {
    /** Method. */
    readonly method: string;
    /** Whole address. */
    readonly url: string;
    /** A header. */
    header(name: string): string | undefined;
    /** The body, which later readers get too. */
    arrayBuffer(): Promise<ArrayBuffer>;
  };
  /** The response. */
  res: PlatformResponse;
  /** Sets a header of the response. */
  header(name: string, value?: string, options?: { append?: boolean }): void;
  /** A response with the headers that were set. */
  // biome-ignore lint/suspicious/noExplicitAny: Hono declares lists of its own.
  body(data: any, status?: any, headers?: any): PlatformResponse;
}

/** Middleware of Hono. */
export type HonoMiddleware<Context> = (
  context: Context,
  next: () => Promise<void>,
) => Promise<PlatformResponse | undefined>;

/** Middleware that limits requests: `app.use(honoLimit(db, { limit: 100, period: 60_000, key: (c) => c.get('user') }))`. */
export function honoLimit<Context extends HonoContextLike>(
  store: LockStore,
  options: RequestLimitOptions<Context>,
): HonoMiddleware<Context> {
  const limit = new RequestLimit('honoLimit', store, options);
  return async (context, next) => {
    const { headers, refusal } = await limit.decide(context);
    for (const [name, value] of headers) context.header(name, value, { append: true });
    if (refusal !== undefined) return reply(context, refusal);
    await next();
    return undefined;
  };
}

/**
 * Middleware that runs requests with the header Idempotency-Key once: `app.post('/pay', honoIdempotency(db, { scope: (c) =>
 * c.get('user') }), pay)`.
 */
export function honoIdempotency<Context extends HonoContextLike>(
  store: LockStore,
  options: IdempotencyOptions<Context>,
): HonoMiddleware<Context> {
  const idempotency = new Idempotency('honoIdempotency', store, options);
  return async (context, next) => {
    const { method, url } = context.req;
    const { pathname, search } = new URL(url);
    const begun = await idempotency.begin(context, {
      method,
      address: pathname + search,
      header: context.req.header('idempotency-key'),
      body: async () => new Uint8Array(await context.req.arrayBuffer()),
    });
    if (begun !== undefined && !(begun instanceof Run)) return reply(context, begun);
    try {
      await next();
    } catch (error) {
      begun?.abandon();
      throw error;
    }
    await begun?.end(await found(context.res as Response, idempotency.maxBytes));
    return undefined;
  };
}

/** The handler's response; the client gets another copy of its body. */
async function found(response: Response, maxBytes: number): Promise<HandlerResponse> {
  const headers: [string, string][] = [];
  response.headers.forEach((value, name) => {
    headers.push([name, value]);
  });
  return { status: response.status, headers, body: await bytesOf(response.clone(), maxBytes) };
}

/** Bytes of a body; undefined for one that is larger. */
async function bytesOf({ body }: Response, maxBytes: number): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  const reader = body?.getReader();
  for (let piece = await reader?.read(); piece !== undefined && !piece.done; piece = await reader?.read()) {
    size += piece.value.length;
    pieces.push(piece.value);
    if (size <= maxBytes) continue;
    // A copy that is not read to its end is waited for by nothing.
    void reader?.cancel().catch(() => {});
    return undefined;
  }
  return concat(pieces);
}

/** @internal A response in place of the handler's, with the headers that the context has already. */
export function reply(context: HonoContextLike, { status, headers, body }: PlainResponse): PlatformResponse {
  return context.body(body, status, Object.fromEntries(byName(headers)));
}
