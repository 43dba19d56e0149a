/**
 * Entry `keylatch/persist`: data that survives, in files, in IndexedDB where there is one, or in another store. For Node,
 * Deno and Bun.
 */
export * from '../persist/portable.js';
export { open } from '../persist/open-files.js';
