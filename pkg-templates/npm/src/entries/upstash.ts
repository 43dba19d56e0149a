/**
 * Entry `keylatch/upstash`: an engine of this process behind the REST protocol of Upstash. `upstashRequester` is for
 * `new Redis(...)` of @upstash/redis without HTTP, `handleUpstashRequest` answers requests of `fetch`. Neither imports
 * @upstash/redis or an engine.
 */
export { handleUpstashRequest, type UpstashHandlerOptions } from '../adapters/upstash/handler.js';
export { upstashRequester, type UpstashRequester } from '../adapters/upstash/requester.js';
export type { UpstashDatabase } from '../adapters/upstash/run.js';
