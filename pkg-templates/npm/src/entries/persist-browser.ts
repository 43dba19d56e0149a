/** Entry `keylatch/persist` in browsers and Workers: data that survives in IndexedDB or in another store. */
export * from '../persist/portable.js';
export { open } from '../persist/open-browser.js';
