/**
 * Entry `keylatch/limits`: rate limits for servers, over an engine of this process, a keylatch elsewhere, or a client object of
 * a server. Middleware for Express, Fastify and Hono, a store for express-rate-limit, and a limiter in place of
 * rate-limiter-flexible. Imports neither an engine nor a framework.
 */
export {
  FlexibleLimiter,
  type FlexibleCallOptions,
  type FlexibleInsurance,
  type FlexibleLimiterOptions,
} from '../adapters/limits/flexible-limiter.js';
export { RateLimiterRes } from '../adapters/limits/limiter-result.js';
export { RateLimitStore, type ClientHits, type RateLimitStoreOptions } from '../adapters/limits/rate-limit-store.js';
export {
  expressIdempotency,
  expressLimit,
  type ConnectMiddleware,
  type ConnectRequest,
  type ConnectResponse,
} from '../adapters/limits/connect.js';
export {
  fastifyIdempotency,
  fastifyLimit,
  type FastifyHook,
  type FastifyReplyLike,
  type FastifyRequestLike,
  type IdempotencyHooks,
} from '../adapters/limits/fastify.js';
export { honoIdempotency, honoLimit, type HonoContextLike, type HonoMiddleware } from '../adapters/limits/hono.js';
export type { IdempotencyOptions } from '../adapters/limits/idempotency.js';
export type { RequestLimitOptions } from '../adapters/limits/request-limit.js';
export type { StoreFailureOptions } from '../adapters/limits/store-failure.js';
