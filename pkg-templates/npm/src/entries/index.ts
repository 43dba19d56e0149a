/** Entry `keylatch`: the engine is built in. The rest is that of `keylatch/core`. */
export * from './core.js';
export { Keylatch } from '../db/built-in.js';
