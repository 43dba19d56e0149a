/**
 * Entry `keylatch/durable-object`, for Workers: an engine as a Durable Object, and the function that answers requests of the
 * REST protocol by such objects.
 */
export type { KeylatchLimits } from '../adapters/durable-object/limits.js';
export { KeylatchObject } from '../adapters/durable-object/object.js';
export type { KeylatchFetchOptions, Tokens } from '../adapters/durable-object/options.js';
export type { Jurisdiction, KeylatchNamespace, LocationHint } from '../adapters/durable-object/placement.js';
export { keylatchFetch } from '../adapters/durable-object/worker.js';
export { type SigningKey, signToken, type TokenClaims } from '../adapters/durable-object/signed-token.js';
