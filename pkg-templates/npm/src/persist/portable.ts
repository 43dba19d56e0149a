/** The part of `keylatch/persist` that every platform has. */
export { PersistenceError, type PersistenceCode, type PersistenceErrorOptions } from './errors.js';
export { indexedDbStore, type IndexedDbOptions } from './indexeddb.js';
export { COMPACT_BYTES_MIN, COMPACT_RATIO, isDue } from './limits.js';
export type { PersistenceState } from './log-settings.js';
export { memoryStore } from './memory.js';
export type { Durability, Fsync, OpenOptions } from './options.js';
export { PersistentKeylatch, type Persistence, type Restored } from './persistent.js';
export { restore, type Restorable, type Restoration } from './restore.js';
export type { Store, Stored, StoredLocation } from './store.js';
