/** Middleware of Hono, which answers with the types of `fetch`. */
import type { LockStore } from '../../locks/commander.js';
import { byName, type PlainResponse } from './plain-response.js';
import { RequestLimit, type RequestLimitOptions } from './request-limit.js';

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

/** @internal A response in place of the handler's, with the headers that the context has already. */
export function reply(context: HonoContextLike, { status, headers, body }: PlainResponse): PlatformResponse {
  return context.body(body, status, Object.fromEntries(byName(headers)));
}
