/** Opening of data in files, for Node, Deno and Bun. */
import { FolderStore } from './files/folder-store.js';
import { readFolder } from './files/read-folder.js';
import { SnapshotStore } from './files/snapshot-store.js';
import { indexedDbStore } from './indexeddb.js';
import { opener } from './open.js';
import type { Fsync } from './options.js';
import type { Store } from './store.js';

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
export const open = /* @__PURE__ */ opener({
  openDir: (dir, options) => new FolderStore(dir, options),
  openName: (name, durability) => indexedDbStore(name, { durability }),
  readDir: readFolder,
});
