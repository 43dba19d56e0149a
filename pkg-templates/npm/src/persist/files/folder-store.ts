/** A store in a folder, in the layout of Redis 7: a base, logs, and a manifest that names them. */
import { renameSync, truncateSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { FolderOptions, Fsync } from '../options.js';
import type { Store, Stored } from '../store.js';
import { later, type Delay } from '../time.js';
import { LOG_FOLDER, LOG_NAME, pathOf, readContents, SNAPSHOT_NAME, type Contents } from './contents.js';
import { atExit } from './exit.js';
import { damaged, fileError, onFile } from './file-error.js';
import { lockFolder, type Release } from './lock.js';
import { LogFile } from './log-file.js';
import { formatManifest, type Manifest, type ManifestFile } from './manifest.js';
import { removeDrafts } from './unnamed.js';
import { draftName, makeFolder, remove, syncFolder, writeRenamed, writeSynced } from './write.js';

/** Interval of `everysec`. */
const SYNC_MS = 1000;

/** Replaying that much takes some 150 ms; replacing it forces three files and a folder to the medium. */
const COMPACT_BYTES_MIN = 16 * 2 ** 20;

type Written = Omit<Manifest, 'history'>;

export class FolderStore implements Store {
  readonly title: string;
  readonly compactBytesMin = COMPACT_BYTES_MIN;
  onLost: Store['onLost'];
  onFailed: Store['onFailed'];
  readonly #folder: string;
  readonly #flushesOnSignal: boolean;
  #fsync: Fsync;
  #release: Release | undefined;
  #manifestPath: string;
  /** Undefined until the folder has the layout of Redis 7. */
  #manifest: Written | undefined;
  #log: LogFile | undefined;
  #syncTimer: Delay | undefined;
  #replacing: Promise<void> | undefined;
  /** True while the name of the manifest is not forced to the medium. */
  #owesNames = false;

  constructor(dir: string, { fsync, flushOnSignal = false }: FolderOptions) {
    this.#folder = resolve(dir);
    this.#flushesOnSignal = flushOnSignal;
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
    // Bytes that were left to the system before are forced now.
    if (fsync !== 'no' && this.#log?.isDirty === true) this.#syncSoon();
  }

  /** True after the system failed to force bytes to the medium: it may have dropped them. */
  get mustReplace(): boolean {
    return this.#log?.failure !== undefined;
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
    this.#log = new LogFile(pathOf(this.#folder, last.name));
  }

  /** Begins a log behind the others, and names it in the manifest. With `isAlone` the others leave the manifest. */
  #beginLog(manifest: Written, isAlone = false): void {
    const seq = Math.max(0, ...manifest.logs.map((log) => log.seq)) + 1;
    const file = { name: `${this.#stem}.${seq}.incr.aof`, seq };
    makeFolder(join(this.#folder, LOG_FOLDER));
    this.#writeManifest({ ...manifest, logs: isAlone ? [file] : [...manifest.logs, file] }, () => {
      const log = emptyLog(pathOf(this.#folder, file.name));
      return {
        accept: () => {
          void this.#log?.close();
          this.#log = log;
        },
        drop: () => void log.close(),
      };
    });
  }

  /** Name of the log, from which the names of its files are made. */
  get #stem(): string {
    return this.#manifestPath.slice(join(this.#folder, LOG_FOLDER).length + 1, -'.manifest'.length);
  }

  /**
   * Writes the manifest, and begins a log that it names once its draft is there: a draft beside an empty log says that this
   * was cut off. Once the file has its name it counts, also if the name could not be forced to the medium.
   */
  #writeManifest(manifest: Written, beginLog?: () => { accept: () => void; drop: () => void }): void {
    const path = this.#manifestPath;
    const draft = join(dirname(path), draftName('manifest'));
    let begun: ReturnType<NonNullable<typeof beginLog>> | undefined;
    try {
      writeSynced(draft, formatManifest(manifest));
      begun = beginLog?.();
      renameSync(draft, path);
    } catch (error) {
      begun?.drop();
      remove(draft);
      throw fileError(error, path);
    }
    begun?.accept();
    this.#manifest = manifest;
    this.#owesNames = true;
    this.#syncNames();
  }

  /** Forces the name of the manifest to the medium, if that is owed: without it, nothing of its logs lasts. */
  #syncNames(): void {
    if (!this.#owesNames) return;
    syncFolder(dirname(this.#manifestPath));
    this.#owesNames = false;
  }

  append(piece: Uint8Array): void {
    const log = this.#log as LogFile;
    log.append(piece);
    if (this.#fsync === 'always') {
      log.syncNow();
      this.#syncNames();
    } else if (this.#fsync === 'everysec') this.#syncSoon();
  }

  #syncSoon(): void {
    this.#syncTimer ??= later(SYNC_MS, () => void this.#syncByTimer(), false);
  }

  async #syncByTimer(): Promise<void> {
    this.#syncTimer = undefined;
    await this.sync().catch((error: unknown) => this.onFailed?.(error));
  }

  /** Forces what was appended before the call to the medium. With `no` that is left to the system, unless `isForced`. */
  async sync(isForced = false): Promise<void> {
    if (this.#fsync === 'no' && !isForced) return;
    await this.#log?.sync();
    this.#syncNames();
  }

  replace(snapshot: Uint8Array, seed: bigint): Promise<void> {
    const before = this.#manifest;
    try {
      this.#beforeReplace(before);
    } catch (error) {
      return Promise.reject(error);
    }
    const replaced = this.#replaceBase(snapshot, seed, before);
    this.#replacing = replaced.catch(() => {});
    return replaced;
  }

  /**
   * Begins the new log before `replace` returns: later pieces belong behind the snapshot. A log of which a sync failed may
   * have holes. Nothing may follow it, so the new log is then begun behind the snapshot.
   */
  #beforeReplace(before: Written | undefined): void {
    if (this.#log === undefined || before === undefined) return makeFolder(join(this.#folder, LOG_FOLDER));
    this.#log.cut();
    if (this.#log.failure !== undefined) return;
    this.#log.syncNow();
    this.#beginLog(before);
  }

  async #replaceBase(snapshot: Uint8Array, seed: bigint, before: Written | undefined): Promise<void> {
    const seq = (before?.base?.seq ?? 0) + 1;
    const base = { name: `${this.#stem}.${seq}.base.rdb`, seq };
    await writeRenamed(pathOf(this.#folder, base.name), snapshot);
    // The log that was begun with the replacement, if one was.
    const logs = (this.#manifest?.logs ?? []).filter((log) => before?.logs.includes(log) !== true);
    if (logs.length > 0) this.#writeManifest({ base, logs, seed });
    else this.#beginLog({ base, logs: before?.logs ?? [], seed }, true);
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
    await this.#replacing;
    const log = this.#log;
    this.#log = undefined;
    await log?.close();
    this.#release?.();
    this.#release = undefined;
  }

  watchEnd(flush: () => boolean): () => void {
    return atExit({ flush, release: () => this.#release?.() }, this.#flushesOnSignal);
  }
}

/** A new log. The empty file that a replacement left behind when it failed is taken; one with data is never emptied. */
function emptyLog(path: string): LogFile {
  const log = new LogFile(path);
  if (log.bytes === 0) return log;
  void log.close();
  throw damaged(path, 0, 'the log holds data, but is not named by the manifest');
}
