/** Reads what a folder holds: an append-only file of Redis 7 or keylatch, one of older servers, or a lone snapshot. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PersistenceError } from '../errors.js';
import type { StoredLocation } from '../store.js';
import { damaged, onFile } from './file-error.js';
import { scanLog, type Scan } from './frames.js';
import { parseManifest, type Manifest } from './manifest.js';
import { isRdb, rdbHead, rdbLength } from './rdb-head.js';
import { dataIn, isDraft, namesIn, refuseUnnamed } from './unnamed.js';
import { DRAFT_PREFIX } from './write.js';

/** Names that Redis gives its files unless configured otherwise. */
export const LOG_FOLDER = 'appendonlydir';
export const LOG_NAME = 'appendonly.aof';
export const SNAPSHOT_NAME = 'dump.rdb';

/** Bytes that are replayed at once; a longer piece is replayed whole. */
const PIECE_BYTES = 4 * 2 ** 20;

/** A part of a file that is replayed at once. */
interface Part {
  readonly path: string;
  readonly start: number;
  readonly bytes: Uint8Array;
}

/** Contents of a folder. */
export interface Contents {
  /** Undefined for another layout, and for an empty folder. */
  readonly manifest: Manifest | undefined;
  /** Path of the manifest, if there is one. */
  readonly manifestPath: string | undefined;
  readonly snapshot: Uint8Array | null;
  readonly parts: readonly Part[];
  readonly loggedMs: number;
  readonly seed: bigint | null;
  /** The file with a torn end and its length without; undefined if none is torn. */
  readonly torn: { readonly path: string; readonly wholeBytes: number; readonly tornBytes: number } | undefined;
  readonly locate: (piece: number, offset: number) => StoredLocation;
}

/** The files of a folder that hold its data, in the order of reading. */
export interface Layout {
  readonly manifest: Manifest | undefined;
  readonly manifestPath: string | undefined;
  readonly paths: readonly string[];
}

/** Finds the files of a folder. @throws PersistenceError for a manifest that is damaged or missing. */
export function layoutOf(folder: string): Layout {
  const alone = [LOG_NAME, SNAPSHOT_NAME].map((name) => join(folder, name)).find((path) => existsSync(path));
  const manifestPath = findManifest(join(folder, LOG_FOLDER), alone !== undefined);
  if (manifestPath !== undefined) {
    const manifest = parseManifest(text(manifestPath), manifestPath);
    const files = [...(manifest.base === undefined ? [] : [manifest.base]), ...manifest.logs];
    const paths = files.map(({ name }) => pathOf(folder, name));
    const missing = paths.find((path) => !existsSync(path));
    if (missing !== undefined) throw damaged(missing, 0, 'the manifest names the file, but it is missing');
    refuseUnnamed(manifestPath, manifest);
    return { manifest, manifestPath, paths };
  }
  return { manifest: undefined, manifestPath, paths: alone === undefined ? [] : [alone] };
}

/** Reads a folder. @throws PersistenceError for damage, with file and offset. */
export function readContents(folder: string): Contents {
  return readFiles(layoutOf(folder));
}

/** Reads files. @throws PersistenceError for damage, with file and offset. */
export function readFiles({ manifest, manifestPath, paths }: Layout): Contents {
  const reader = new ContentsReader();
  paths.forEach((path, index) => {
    reader.add(path, index === paths.length - 1);
  });
  return reader.contents(manifest, manifestPath);
}

/** Where the snapshot at the head of a file ends; 0 without one. Undefined if it ends nowhere. */
export function snapshotEnd(path: string, bytes: Uint8Array): number | undefined {
  if (!isRdb(bytes)) return 0;
  return path.endsWith('.rdb') ? bytes.length : rdbLength(bytes);
}

/** Path of a file of the manifest. A server that is upgraded may have left its old file one folder above. */
export function pathOf(folder: string, name: string): string {
  const path = join(folder, LOG_FOLDER, name);
  const above = join(folder, name);
  return name === LOG_NAME && !existsSync(path) && existsSync(above) ? above : path;
}

/**
 * The manifest of a folder of logs, whatever the name of the log is. `isConverted`: the folder above has a file of another
 * layout. A process that ends while it converts that leaves a base and no log, or an empty one beside the draft of its
 * manifest; where there was a manifest there is a log.
 */
function findManifest(folder: string, isConverted: boolean): string | undefined {
  const names = namesIn(folder);
  const found = names.filter((name) => name.endsWith('.manifest') && !isDraft(name));
  if (found.length > 1)
    throw new PersistenceError('UNSUPPORTED', `${folder}: several manifests (${found.join(', ')}); keep one`, {
      file: folder,
    });
  if (found[0] !== undefined) return join(folder, found[0]);
  const data = dataIn(folder);
  const isBegun = names.some((name) => name.startsWith(DRAFT_PREFIX) && name.endsWith('.manifest'));
  const hasLog = (isBegun ? data : names).some((name) => name.endsWith('.aof'));
  if (data.length === 0 || (isConverted && !hasLog)) return undefined;
  const message = `${folder}: the manifest ${LOG_NAME}.manifest is missing beside ${data[0]}; restore it, or move the folder away`;
  throw new PersistenceError('DAMAGED', message, { file: join(folder, `${LOG_NAME}.manifest`) });
}

function text(path: string): string {
  return onFile(path, () => readFileSync(path, 'utf8'));
}

/** Collects snapshot and pieces from the files of a log, in their order. */
class ContentsReader {
  #snapshot: { readonly path: string; readonly bytes: Uint8Array } | undefined;
  readonly #parts: Part[] = [];
  #loggedMs = 0;
  #seed: bigint | null = null;
  #torn: Contents['torn'];

  /** Reads the next file. Only the last one may have a torn end. */
  add(path: string, isLast: boolean): void {
    const bytes = onFile(path, () => readFileSync(path));
    let start = 0;
    if (path.endsWith('.rdb') && !isRdb(bytes))
      throw damaged(path, 0, bytes.length === 0 ? 'the snapshot is empty' : 'not a snapshot');
    if (isRdb(bytes)) {
      if (this.#snapshot !== undefined || this.#parts.length > 0)
        throw damaged(path, 0, 'a snapshot stands behind other files');
      start = this.#addSnapshot(path, bytes);
    }
    if (start === bytes.length) return;
    const scan = scanLog(bytes, start);
    this.#refuseDamage(path, bytes, scan, isLast);
    this.#split(path, bytes, start, scan);
    this.#loggedMs = Math.max(this.#loggedMs, scan.lastMs);
  }

  /** Returns where the snapshot ends. */
  #addSnapshot(path: string, bytes: Buffer): number {
    const { seed, writtenMs } = rdbHead(bytes);
    this.#seed = seed;
    this.#loggedMs = Math.max(this.#loggedMs, writtenMs);
    // The engine reports the damage of a snapshot that ends nowhere.
    const length = snapshotEnd(path, bytes) ?? bytes.length;
    this.#snapshot = { path, bytes: bytes.subarray(0, length) };
    return length;
  }

  #refuseDamage(path: string, bytes: Uint8Array, { damage, wholeBytes }: Scan, isLast: boolean): void {
    if (damage !== undefined) throw damaged(path, damage.offset, damage.reason);
    if (wholeBytes === bytes.length) return;
    if (!isLast) throw damaged(path, wholeBytes, 'the file ends within a command, and another file follows');
    this.#torn = { path, wholeBytes, tornBytes: bytes.length - wholeBytes };
  }

  #split(path: string, bytes: Uint8Array, start: number, { ends, wholeBytes }: Scan): void {
    let from = start;
    let last = start;
    for (const end of [...ends.filter((end) => end <= wholeBytes), wholeBytes]) {
      if (end - from > PIECE_BYTES && last > from) {
        this.#parts.push({ path, start: from, bytes: bytes.subarray(from, last) });
        from = last;
      }
      last = end;
    }
    if (last > from) this.#parts.push({ path, start: from, bytes: bytes.subarray(from, last) });
  }

  contents(manifest: Manifest | undefined, manifestPath: string | undefined): Contents {
    const [snapshot, parts] = [this.#snapshot, this.#parts];
    return {
      manifest,
      manifestPath,
      snapshot: snapshot?.bytes ?? null,
      parts,
      loggedMs: this.#loggedMs,
      seed: this.#seed ?? manifest?.seed ?? null,
      torn: this.#torn,
      locate: (piece, offset) => {
        const part = parts[piece];
        return { file: part?.path ?? snapshot?.path ?? '', offset: (part?.start ?? 0) + offset };
      },
    };
  }
}
