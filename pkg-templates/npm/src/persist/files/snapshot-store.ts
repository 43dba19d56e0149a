/** A store that keeps snapshots only, in `dump.rdb`: a server with `appendonly no`. Changes since the last one are lost. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Store, Stored } from '../store.js';
import { SNAPSHOT_NAME } from './contents.js';
import { atExit } from './exit.js';
import { onFile } from './file-error.js';
import { lockFolder, type Release } from './lock.js';
import { rdbHead } from './rdb-head.js';
import { removeDrafts } from './unnamed.js';
import { makeFolder, writeRenamed } from './write.js';

export class SnapshotStore implements Store {
  readonly title: string;
  readonly isSnapshotOnly = true;
  onLost: Store['onLost'];
  readonly #folder: string;
  #release: Release | undefined;
  /** End of the last write: a later state never gives way to an earlier one. */
  #writing: Promise<unknown> = Promise.resolve();

  constructor(dir: string) {
    this.#folder = resolve(dir);
    this.title = `directory ${this.#folder}`;
  }

  get #path(): string {
    return join(this.#folder, SNAPSHOT_NAME);
  }

  async open(): Promise<Stored> {
    makeFolder(this.#folder);
    this.#release = await lockFolder(this.#folder);
    const path = this.#path;
    const accept = (): void => removeDrafts(this.#folder);
    if (!existsSync(path)) return { snapshot: null, pieces: [], loggedMs: 0, seed: null, repairedBytes: 0, accept };
    const snapshot = onFile(path, () => readFileSync(path));
    const { seed, writtenMs } = rdbHead(snapshot);
    const locate = (_: number, offset: number) => ({ file: path, offset });
    return { snapshot, pieces: [], loggedMs: writtenMs, seed, repairedBytes: 0, locate, accept };
  }

  append(): void {}

  sync(): void {}

  replace(snapshot: Uint8Array): Promise<void> {
    return this.saveSnapshot(snapshot);
  }

  saveSnapshot(snapshot: Uint8Array): Promise<void> {
    const written = this.#writing.then(() => writeRenamed(this.#path, snapshot));
    this.#writing = written.catch(() => {});
    return written;
  }

  watchEnd(flush: () => boolean): () => void {
    return atExit({ flush, release: () => this.#release?.() }, false);
  }

  async close(): Promise<void> {
    await this.#writing;
    this.#release?.();
    this.#release = undefined;
  }
}
