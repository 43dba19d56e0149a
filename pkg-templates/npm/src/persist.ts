/**
 * Entry `keylatch/persist`: data that survives, in files, in IndexedDB where there is one, or in another store. For Node,
 * Deno and Bun.
 */
import { FolderStore } from './persist/files/folder-store.js';
import { readFolder } from './persist/files/read-folder.js';
import { SnapshotStore } from './persist/files/snapshot-store.js';
import { indexedDbStore } from './persist/indexeddb.js';
import { opener } from './persist/open.js';
import type { Fsync } from './persist/options.js';
import type { Store } from './persist/store.js';

export * from './persist/portable.js';

/** @internal The store of a server, which keeps a log, or snapshots only (`appendonly no`). */
export function serverStore(dir: string, appendonly: boolean, fsync: Fsync): Store {
  return appendonly ? new FolderStore(dir, { fsync }) : new SnapshotStore(dir);
}

/**
 * Opens a store and resolves to an engine with its data. The store belongs to this engine until `close()`.
 *
 * @example
 * const db = await open({ dir: './data' });
 */
export const open = opener({
  openDir: (dir, options) => new FolderStore(dir, options),
  openName: (name, durability) => indexedDbStore(name, { durability }),
  readDir: readFolder,
});
