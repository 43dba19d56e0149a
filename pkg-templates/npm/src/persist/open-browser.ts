/** Opening of data where there are no files: in browsers and Workers. */
import { PersistenceError } from './errors.js';
import { indexedDbStore } from './indexeddb.js';
import { opener } from './open.js';

const NO_FILES = 'there are no files here; use name or store';

function noFiles(): never {
  throw new PersistenceError('UNSUPPORTED', `open: ${NO_FILES}`);
}

/** Opens a store and resolves to an engine with its data. The store belongs to this engine until `close()`. */
export const open = /* @__PURE__ */ opener({
  openDir: noFiles,
  readDir: noFiles,
  openName: (name, durability) => indexedDbStore(name, { durability }),
});
