/** A store in a folder, in the layout of Redis 7: a base, logs, and a manifest that names them. */
import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  renameSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { PersistenceError } from '../errors.js';
import type { Fsync } from '../options.js';
import type { Store, Stored } from '../store.js';
import { later, type Delay } from '../time.js';
import { LOG_FOLDER, LOG_NAME, pathOf, readContents, SNAPSHOT_NAME, type Contents } from './contents.js';
import { atExit } from './exit.js';
import { damaged, fileError, onFile } from './file-error.js';
import { frameHeader } from './frames.js';
import { lockFolder, type Release } from './lock.js';
import { formatManifest, type Manifest, type ManifestFile } from './manifest.js';
import { removeDrafts } from './unnamed.js';
import { makeFolder, remove, syncFolder, writeRenamed, writeSynced } from './write.js';

/** Interval of `everysec`. */
const SYNC_MS = 1000;

/** Replaying that much takes some 150 ms; replacing it forces three files and a folder to the medium. */
const COMPACT_BYTES_MIN = 16 * 2 ** 20;

/** Size of a piece up to which it is written together with the line in front of it. */
const COPIED_BYTES_MAX = 4096;

type Written = Omit<Manifest, 'history'>;

/** The log that pieces are appended to. */
interface OpenLog {
  readonly path: string;
  readonly fd: number;
  /** Length without a piece that was written in part. */
  bytes: number;
}

export class FolderStore implements Store {
  readonly title: string;
  readonly compactBytesMin = COMPACT_BYTES_MIN;
  onLost: Store['onLost'];
  readonly #folder: string;
  #fsync: Fsync;
  #release: Release | undefined;
  #manifestPath: string;
  /** Undefined until the folder has the layout of Redis 7. */
  #manifest: Written | undefined;
  #log: OpenLog | undefined;
  #isCut = true;
  /** True while appended bytes are not forced to the medium. */
  #isDirty = false;
  #syncTimer: Delay | undefined;
  #syncFailure: PersistenceError | undefined;
  #running: Promise<void> | undefined;

  constructor(dir: string, fsync: Fsync) {
    this.#folder = resolve(dir);
    this.#fsync = fsync;
    this.title = `directory ${this.#folder}`;
    this.#manifestPath = join(this.#folder, LOG_FOLDER, `${LOG_NAME}.manifest`);
  }

  get isImmediate(): boolean {
    return this.#fsync === 'always';
  }

  /** When bytes are forced to the medium; may be changed at any time (`CONFIG SET appendfsync`). */
  get fsync(): Fsync {
    return this.#fsync;
  }

  set fsync(fsync: Fsync) {
    this.#fsync = fsync;
  }

  /** True after the system failed to force bytes to the medium: it may have dropped them. */
  get mustReplace(): boolean {
    return this.#syncFailure !== undefined;
  }

  async open(): Promise<Stored> {
    makeFolder(this.#folder);
    this.#release = await lockFolder(this.#folder);
    try {
      return this.#opened(readContents(this.#folder));
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  #opened(contents: Contents): Stored {
    const { manifest, snapshot, parts, torn, loggedMs, locate } = contents;
    const isForeign = manifest === undefined && (snapshot !== null || parts.length > 0 || torn !== undefined);
    let { seed } = contents;
    if (!isForeign && manifest === undefined) seed = crypto.getRandomValues(new BigUint64Array(1))[0] as bigint;
    const accept = (): void => {
      if (!isForeign) this.#accept(contents, seed);
      removeDrafts(this.#folder, join(this.#folder, LOG_FOLDER));
    };
    const pieces = parts.map(({ bytes }) => bytes);
    const repairedBytes = torn?.tornBytes ?? 0;
    return { snapshot, pieces, loggedMs, seed, repairedBytes, mustReplace: isForeign, locate, accept };
  }

  /** Cuts a torn end, opens the log, and deletes files that were replaced. */
  #accept({ manifest, manifestPath, torn }: Contents, seed: bigint | null): void {
    if (torn !== undefined) onFile(torn.path, () => truncateSync(torn.path, torn.wholeBytes));
    this.#manifestPath = manifestPath ?? this.#manifestPath;
    this.#openLog(manifest ?? { base: undefined, logs: [], seed });
    manifest?.history.forEach((name) => {
      remove(pathOf(this.#folder, name));
    });
  }

  /** Opens the last log, or begins the first one. */
  #openLog(manifest: Written): void {
    const last = manifest.logs.at(-1);
    this.#manifest = manifest;
    if (last === undefined) return this.#beginLog(manifest);
    const path = pathOf(this.#folder, last.name);
    this.#log = openedLog(path);
  }

  /** Begins a log behind the others, and names it in the manifest. */
  #beginLog(manifest: Written | undefined): void {
    const seq = Math.max(0, ...(manifest?.logs ?? []).map((log) => log.seq)) + 1;
    const file = { name: `${this.#stem}.${seq}.incr.aof`, seq };
    makeFolder(join(this.#folder, LOG_FOLDER));
    const log = emptyLog(pathOf(this.#folder, file.name));
    try {
      if (manifest === undefined) return;
      this.#writeManifest({ ...manifest, logs: [...manifest.logs, file] });
    } catch (error) {
      closeSync(log.fd);
      throw error;
    }
    if (this.#log !== undefined) closeSync(this.#log.fd);
    this.#log = log;
  }

  /** Name of the log, from which the names of its files are made. */
  get #stem(): string {
    return this.#manifestPath.slice(join(this.#folder, LOG_FOLDER).length + 1, -'.manifest'.length);
  }

  #writeManifest(manifest: Written): void {
    const path = this.#manifestPath;
    const draft = join(dirname(path), `temp-${this.#stem}.manifest`);
    onFile(path, () => {
      writeSynced(draft, formatManifest(manifest));
      renameSync(draft, path);
    });
    syncFolder(dirname(path));
    this.#manifest = manifest;
  }

  append(piece: Uint8Array): void {
    if (this.#syncFailure !== undefined) throw this.#syncFailure;
    const log = this.#log as OpenLog;
    onFile(log.path, () => {
      this.#cut(log);
      const header = Buffer.from(frameHeader(piece));
      this.#isCut = false;
      // A copy of a small piece takes less time than another call of the system.
      const isSmall = piece.length < COPIED_BYTES_MAX;
      for (const bytes of isSmall ? [Buffer.concat([header, piece])] : [header, piece])
        for (let done = 0; done < bytes.length; ) done += writeSync(log.fd, bytes, done);
      if (this.#fsync === 'always') this.#syncNow(log);
      log.bytes += header.length + piece.length;
      this.#isCut = true;
    });
    if (this.#fsync !== 'always') this.#isDirty = true;
    if (this.#fsync === 'everysec') this.#syncTimer ??= later(SYNC_MS, () => void this.#syncLater(), false);
  }

  /** Removes what a failed append left behind. */
  #cut(log: OpenLog): void {
    if (this.#isCut) return;
    ftruncateSync(log.fd, log.bytes);
    this.#isCut = true;
  }

  #syncNow(log: OpenLog): void {
    try {
      fdatasyncSync(log.fd);
    } catch (error) {
      // Bytes of which the system said so once may be gone, whatever it says next.
      this.#syncFailure = fileError(error, log.path);
      throw error;
    }
  }

  async #syncLater(): Promise<void> {
    this.#syncTimer = undefined;
    await this.sync().catch(() => {});
  }

  /** Forces appended bytes to the medium. With `no` that is left to the system. */
  async sync(): Promise<void> {
    if (this.#syncFailure !== undefined) throw this.#syncFailure;
    if (this.#fsync === 'no' || !this.#isDirty || this.#log === undefined) return;
    const { fd, path } = this.#log;
    this.#isDirty = false;
    await new Promise<void>((pass, fail) => {
      fdatasync(fd, (error) => {
        // The log was replaced, synced and closed meanwhile.
        if (error === null || this.#log?.fd !== fd) return pass();
        this.#syncFailure = fileError(error, path);
        fail(this.#syncFailure);
      });
    });
  }

  replace(snapshot: Uint8Array, seed: bigint): Promise<void> {
    // The new log is begun before this method returns: later pieces belong behind the snapshot.
    const before = this.#manifest;
    try {
      if (this.#log !== undefined && before !== undefined) {
        const log = this.#log;
        onFile(log.path, () => this.#cut(log));
        if (this.#syncFailure === undefined) onFile(log.path, () => this.#syncNow(log));
        this.#beginLog(before);
      } else makeFolder(join(this.#folder, LOG_FOLDER));
    } catch (error) {
      return Promise.reject(error);
    }
    const replaced = this.#replaceBase(snapshot, seed, before);
    this.#running = replaced.catch(() => {});
    return replaced;
  }

  async #replaceBase(snapshot: Uint8Array, seed: bigint, before: Written | undefined): Promise<void> {
    const seq = (before?.base?.seq ?? 0) + 1;
    const base = { name: `${this.#stem}.${seq}.base.rdb`, seq };
    await writeRenamed(pathOf(this.#folder, base.name), snapshot);
    const logs = this.#manifest?.logs.slice(-1) ?? [];
    if (logs.length > 0) this.#writeManifest({ base, logs, seed });
    else this.#beginLog({ base, logs, seed });
    this.#syncFailure = undefined;
    const old: ManifestFile[] = before === undefined ? [] : [...(before.base === undefined ? [] : [before.base])];
    // A large file takes a while to delete.
    await Promise.all(
      [...old, ...(before?.logs ?? [])].map(({ name }) => unlink(pathOf(this.#folder, name)).catch(() => {})),
    );
  }

  /** Writes `dump.rdb`, as SAVE and BGSAVE do. */
  saveSnapshot(snapshot: Uint8Array): Promise<void> {
    return writeRenamed(join(this.#folder, SNAPSHOT_NAME), snapshot);
  }

  async close(): Promise<void> {
    this.#syncTimer?.cancel();
    this.#syncTimer = undefined;
    await this.#running;
    if (this.#log !== undefined) closeSync(this.#log.fd);
    this.#log = undefined;
    this.#release?.();
    this.#release = undefined;
  }

  watchEnd(flush: () => void): () => void {
    // The lock is released too: a worker thread ends before its process.
    return atExit(() => {
      flush();
      this.#release?.();
    });
  }
}

function openedLog(path: string): OpenLog {
  return onFile(path, () => {
    const fd = openSync(path, 'a');
    return { path, fd, bytes: fstatSync(fd).size };
  });
}

/** Opens a new log, or an empty one that a replacement left behind when it failed. */
function emptyLog(path: string): OpenLog {
  const log = openedLog(path);
  if (log.bytes === 0) return log;
  closeSync(log.fd);
  throw damaged(path, 0, 'the log holds data, but is not named by the manifest');
}
