/** Files of data that `keylatch check` and `keylatch dump` read: of a folder, or one by name. */
import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { Keylatch } from '../db/built-in.js';
import { ManualClock } from '../host/clock.js';
import { LOG_FOLDER, layoutOf, readFiles, snapshotEnd, type Layout } from '../persist/files/contents.js';
import { onFile } from '../persist/files/file-error.js';
import { scanLog, type Scan } from '../persist/files/frames.js';
import { restore } from '../persist/restore.js';
import type { SkipOptions, Skipped } from '../db/skipped.js';
import { foundElsewhere } from './log-folders.js';

/** The data of a folder or file. */
export interface DataFiles extends Layout {
  /** Folder that a process locks while it uses the data. */
  readonly folder: string;
}

/** Finds the data of a folder, of a folder of logs, of a manifest, or of one file. @throws Error if there is none. */
export function dataFilesOf(path: string): DataFiles {
  const files = filesOf(path);
  if (files.paths.length > 0) return files;
  throw new Error(foundElsewhere(path) ?? `${path} holds no data: neither a log nor a snapshot`);
}

function filesOf(path: string): DataFiles {
  const whole = resolve(path);
  const isFolder = onFile(path, () => statSync(path)).isDirectory();
  if (isFolder) return folderOf(whole);
  if (path.endsWith('.manifest')) return folderOf(dirname(whole));
  return { folder: outerFolder(dirname(whole)), manifest: undefined, manifestPath: undefined, paths: [path] };
}

function folderOf(path: string): DataFiles {
  const folder = outerFolder(path);
  return { folder, ...layoutOf(folder) };
}

function outerFolder(path: string): string {
  return basename(path) === LOG_FOLDER ? dirname(path) : path;
}

/** One file: its snapshot and the scan of its log. */
export interface Examined {
  readonly path: string;
  readonly bytes: number;
  /** Where the snapshot ends; 0 without one, undefined if it is damaged. */
  readonly snapshotEnd: number | undefined;
  readonly scan: Scan | undefined;
}

/** Reads a file and checks its log; a snapshot is checked by loading it. */
export function examine(path: string): Examined {
  const bytes = onFile(path, () => readFileSync(path));
  const end = snapshotEnd(path, bytes);
  const isLog = end !== undefined && end < bytes.length;
  return { path, bytes: bytes.length, snapshotEnd: end, scan: isLog ? scanLog(bytes, end) : undefined };
}

/** An engine with data, and what was left out of it. */
export interface LoadedData {
  readonly db: Keylatch;
  readonly skipped: Skipped;
}

/**
 * An engine with the data as of its last write: nothing expires meanwhile. @throws PersistenceError for damage, and without
 * `skip` for types that the engine lacks.
 */
export function loaded(files: DataFiles, options: SkipOptions = {}): LoadedData {
  const { snapshot, parts, loggedMs, locate } = readFiles(files);
  const clock = new ManualClock(loggedMs);
  const db = new Keylatch({ clock });
  const pieces = parts.map(({ bytes }) => bytes);
  const stored = { snapshot, pieces, loggedMs, seed: null, repairedBytes: 0, locate };
  const { skipped } = restore(db, stored, files.folder, options);
  return { db, skipped };
}

/** Numbers of the databases that have keys. */
export function databasesOf(db: Keylatch): number[] {
  return [...String(db.call('INFO', 'keyspace')).matchAll(/^db(\d+):/gm)].map(([, number]) => Number(number));
}
