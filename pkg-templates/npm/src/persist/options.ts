/** The options of `open`, checked, and the engine's options among them. */
import type { KeylatchOptions } from '../db/options.js';
import type { Shape } from '../base/option-check.js';
import type { Store, Stored } from './store.js';
import { CallerTypeError } from '../base/caller-errors.js';

/** Transactions of IndexedDB: `relaxed` leaves it to the system when data reaches the medium, `strict` waits for it. */
export type Durability = 'relaxed' | 'strict';

/** When files are forced to the medium: before a call returns, once a second, or when the system does. */
export type Fsync = 'always' | 'everysec' | 'no';

/** Options of `open`: one of `name`, `dir` and `store`, and those of the engine. */
export interface OpenOptions extends KeylatchOptions {
  /** Name of a database in IndexedDB. */
  readonly name?: string | undefined;
  /** Folder for files, created if it is missing. Its parent must exist. Node, Deno and Bun. */
  readonly dir?: string | undefined;
  /** Any other store. */
  readonly store?: Store | undefined;
  /** With `name`: transactions of IndexedDB. Default `relaxed`. */
  readonly durability?: Durability | undefined;
  /** With `dir`: when files are forced to the medium. Default `everysec`. */
  readonly fsync?: Fsync | undefined;
  /**
   * With `dir`: when a call that writes returns. `memory`: at once; its change is appended within 10 ms, which the end of the
   * process by a signal cuts off. `flushed`: once the system has it, so that it survives the end of the process. Calls are
   * synchronous, so a database of IndexedDB has `await db.flush()` instead. Default `memory`; `fsync: 'always'` implies
   * `flushed`.
   */
  readonly acknowledge?: 'memory' | 'flushed' | undefined;
  /**
   * With `dir`: on SIGTERM, SIGINT and SIGHUP, changes that wait are appended, and the signal then takes its course. For
   * programs that do not handle these signals: with another listener, also one of a library, the process goes on. Default
   * false.
   */
  readonly flushOnSignal?: boolean | undefined;
  /**
   * While the store cannot be written: `continue` accepts writes, which are kept in memory and written later; `refuse`
   * refuses them with the error MISCONF. Default `continue`; `fsync: 'always'` and `acknowledge: 'flushed'` imply `refuse`,
   * and a call throws a PersistenceError if its change could not be written.
   */
  readonly onFailure?: 'continue' | 'refuse' | undefined;
  /**
   * With `dir`: reads the folder without a lock and without writing to it, also while another process uses it. Writes are
   * refused with the error READONLY; keys expire in memory. Default false.
   */
  readonly readOnly?: boolean | undefined;
  /**
   * With `readOnly`: `unsupported` leaves out values of types that the engine lacks, such as streams.
   * `db.persistence.restored.skipped` lists them. Without it they are refused.
   */
  readonly skip?: 'unsupported' | undefined;
}

/** Engine options are checked by the engine. */
export const OPEN: Shape<OpenOptions> = {
  name: 'text',
  dir: 'text',
  store: 'object',
  durability: ['relaxed', 'strict'],
  fsync: ['always', 'everysec', 'no'],
  acknowledge: ['memory', 'flushed'],
  flushOnSignal: 'flag',
  onFailure: ['continue', 'refuse'],
  readOnly: 'flag',
  skip: ['unsupported'],
  maxmemory: 'any',
  maxmemoryPolicy: 'any',
  now: 'function',
  clock: 'any',
  seed: 'any',
  floorMs: 'integer',
  module: 'any',
};

/** Options of a store of files. */
export interface FolderOptions {
  readonly fsync: Fsync;
  readonly flushOnSignal?: boolean | undefined;
}

/** Stores that a platform has; the others are refused with its sentence. */
export interface Platform {
  openDir(dir: string, options: FolderOptions): Store;
  openName(name: string, durability: Durability): Store;
  /** Reads a folder that may be in use, and changes nothing. */
  readDir(dir: string): Promise<Stored>;
}

/** The folder that is only read; undefined if it is to be written. */
export function readOnlyDir(options: OpenOptions): string | undefined {
  const { name, dir, store, fsync, onFailure, readOnly, skip, acknowledge, flushOnSignal, durability } = options;
  if (readOnly !== true) {
    if (skip === undefined) return undefined;
    throw new CallerTypeError('open: skip goes with readOnly: true; writing the log anew would drop the keys for good');
  }
  if (dir === undefined || name !== undefined || store !== undefined)
    throw new CallerTypeError('open: readOnly goes with dir (files), and not with name or store');
  if (dir === '') throw new CallerTypeError('open: dir must not be empty');
  for (const [option, value] of Object.entries({ fsync, onFailure, acknowledge, flushOnSignal, durability }))
    if (value !== undefined)
      throw new CallerTypeError(`open: ${option} has no meaning with readOnly, which writes nothing`);
  return dir;
}

/** Chooses the store. Exactly one of the three must be given, and only options that concern it. */
export function storeOf(options: OpenOptions, platform: Platform): Store {
  const { name, dir, store, durability, fsync, acknowledge, flushOnSignal } = options;
  const given = [name, dir, store].filter((value) => value !== undefined);
  if (given.length !== 1)
    throw new CallerTypeError(
      `open: pass exactly one of name (IndexedDB), dir (files) and store, got ${given.length === 0 ? 'none' : given.length}`,
    );
  if (durability !== undefined && name === undefined)
    throw new CallerTypeError('open: durability goes with name (IndexedDB)');
  for (const [option, value] of Object.entries({ fsync, acknowledge, flushOnSignal }))
    if (value !== undefined && dir === undefined) throw new CallerTypeError(`open: ${option} goes with dir (files)`);
  if (options.onFailure === 'continue' && isKeptInCall(options))
    throw new CallerTypeError(
      "open: fsync 'always' and acknowledge 'flushed' refuse writes while the store fails; leave out onFailure",
    );
  if (name === '' || dir === '') throw new CallerTypeError(`open: ${name === '' ? 'name' : 'dir'} must not be empty`);
  if (store !== undefined) return store;
  if (dir !== undefined) return platform.openDir(dir, { fsync: fsync ?? 'everysec', flushOnSignal });
  return platform.openName(name as string, durability ?? 'relaxed');
}

/** Whether changes are appended before the call that caused them returns. */
export function isKeptInCall({ fsync, acknowledge }: OpenOptions): boolean {
  return fsync === 'always' || acknowledge === 'flushed';
}

/** The engine's own options. */
export function engineOptionsOf(options: OpenOptions): KeylatchOptions {
  const { name, dir, store, durability, fsync, acknowledge, flushOnSignal, onFailure, readOnly, skip, ...engine } =
    options;
  return engine;
}
