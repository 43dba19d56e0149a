/** Entry `keylatch/persist` in browsers and Workers: data that survives in IndexedDB or in another store. */
import { PersistenceError } from './persist/errors.js';
import { indexedDbStore } from './persist/indexeddb.js';
import { opener } from './persist/open.js';

export * from './persist/portable.js';

const NO_FILES = 'there are no files here; use name or store';

function noFiles(): never {
  throw new PersistenceError('UNSUPPORTED', `open: ${NO_FILES}`);
}

/** Opens a store and resolves to an engine with its data. The store belongs to this engine until `close()`. */
export const open = opener({
  openDir: noFiles,
  readDir: noFiles,
  openName: (name, durability) => indexedDbStore(name, { durability }),
});
