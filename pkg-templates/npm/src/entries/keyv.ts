/** Entry `keylatch/keyv`: a store for Keyv 5 and 6 in an engine of this process. */
export * from '../adapters/keyv/store.js';
