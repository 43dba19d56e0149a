/**
 * Entry `keylatch/limits`: rate limits for servers, over an engine of this process, a keylatch elsewhere, or a client object of
 * a server. Stores for express-rate-limit and in place of rate-limiter-flexible. Imports neither an engine nor a framework.
 */
export {
  FlexibleLimiter,
  type FlexibleCallOptions,
  type FlexibleInsurance,
  type FlexibleLimiterOptions,
} from '../adapters/limits/flexible-limiter.js';
export { RateLimiterRes } from '../adapters/limits/limiter-result.js';
export { RateLimitStore, type ClientHits, type RateLimitStoreOptions } from '../adapters/limits/rate-limit-store.js';
