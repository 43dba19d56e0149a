/**
 * Entry `keylatch/upstash`: an engine of this process behind the REST protocol of Upstash. `upstashRequester` is for
 * `new Redis(...)` of @upstash/redis without HTTP, `handleUpstashRequest` answers requests of `fetch`, `upstashListener` those of
 * `node:http`. `signToken` makes tokens for Workers with
 * `keylatch/durable-object`. None imports @upstash/redis or an engine.
 */
export { type SigningKey, signToken, type TokenClaims } from '../adapters/durable-object/signed-token.js';
export { handleUpstashRequest } from '../adapters/upstash/fetch-handler.js';
export { type NodeRequest, type NodeResponse, upstashListener } from '../adapters/upstash/node-listener.js';
export type { UpstashHandlerOptions } from '../adapters/upstash/options.js';
export { upstashRequester, type UpstashRequester } from '../adapters/upstash/requester.js';
export type { UpstashDatabase } from '../adapters/upstash/runners.js';
