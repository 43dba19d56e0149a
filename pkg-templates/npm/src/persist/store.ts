/** The interface between the log and a storage medium. A store knows bytes only; the log module knows no medium. */
import type { PersistenceError } from './errors.js';

/** Location of damage in a store. */
export interface StoredLocation {
  /** Name of the file, or of the record in a database. */
  readonly file: string;
  /** Bytes before the damage. */
  readonly offset: number;
}

/** Contents of a store when it is opened. */
export interface Stored {
  /** The last snapshot, an RDB file, or null. */
  readonly snapshot: Uint8Array | null;
  /** Pieces of the log after the snapshot, in order, each checked. */
  readonly pieces: Iterable<Uint8Array>;
  /** The instant of the last append or snapshot in milliseconds since the epoch, 0 without one: the clock's floor. */
  readonly loggedMs: number;
  /**
   * Seed of the engine that wrote the store, which keeps cursors of SCAN valid. A new store draws one and keeps it; null if
   * another program wrote the store.
   */
  readonly seed: bigint | null;
  /** Bytes of a torn end that were cut off. */
  readonly repairedBytes: number;
  /** True if the data must be written anew, by `replace`, before anything is appended: another program's layout. */
  readonly mustReplace?: boolean | undefined;
  /** Translates an offset in a piece (-1: the snapshot) for messages. */
  readonly locate?: ((piece: number, offset: number) => StoredLocation) | undefined;
  /** Called once everything was restored, before the first append: only then may the store repair or delete anything. */
  readonly accept?: (() => void) | undefined;
}

/**
 * A storage medium for one log. Methods are called one after the other, except `append` during `replace`. An append that
 * was rejected is called again with the same array.
 */
export interface Store {
  /** Name in messages: `IndexedDB "todo"`, `directory /var/lib/app`. */
  readonly title: string;
  /** Acquires the lock and reads. Rejects with PersistenceError: in use, written by a newer version, damaged. */
  open(): Promise<Stored>;
  /**
   * Appends a piece, and resolves when it is flushed. Where the platform can, the method is synchronous and returns
   * nothing: only then can effects be appended before a call returns, or at the end of the process.
   */
  append(piece: Uint8Array, nowMs: number): void | Promise<void>;
  /**
   * Forces the pieces that were appended before the call onto the medium, as far as the platform can. `isForced`: also where
   * the options leave that to the system.
   */
  sync(isForced?: boolean): void | Promise<void>;
  /**
   * Replaces everything before by a snapshot, atomically. `append` may be called while it runs: those pieces come after the
   * snapshot.
   */
  replace(snapshot: Uint8Array, seed: bigint, nowMs: number): Promise<void>;
  /** Writes a snapshot beside the log, for SAVE and BGSAVE. Without this method, they replace the log by a snapshot. */
  saveSnapshot?(snapshot: Uint8Array): Promise<void>;
  /** True if the store keeps snapshots only: pieces are dropped, and no size of the log calls for a snapshot. */
  readonly isSnapshotOnly?: boolean | undefined;
  /** Releases locks and handles. */
  close(): Promise<void>;
  /**
   * Calls `flush` whenever the program may be about to end: exit of the process, a hidden page. It returns false if something
   * could not be appended. Returns a function that ends it.
   */
  watchEnd?(flush: () => boolean): () => void;
  /** True after a failure that may have damaged what was written before: the log then begins with `replace`. */
  readonly mustReplace?: boolean | undefined;
  /** Size below which the log is never replaced by itself. Default 256 KB. */
  readonly compactBytesMin?: number | undefined;
  /** True if effects must be appended before the call that caused them returns. */
  readonly isImmediate?: boolean | undefined;
  /** True while timers are slow or stopped, as in a hidden page: effects are appended without waiting for others. */
  readonly hasSlowTimers?: boolean | undefined;
  /** True while the page ends: `append` is then called also while another append runs. The store keeps their order. */
  readonly isUrgent?: boolean | undefined;
  /** Begins `isUrgent`: the page ends, or is frozen, before a promise resolves. */
  hasten?(): void;
  /** When files are forced to the medium, for stores of files. */
  fsync?: 'always' | 'everysec' | 'no';
  /** Called by the store when it could not force pieces onto the medium by itself. Set by the log. */
  onFailed?: ((error: unknown) => void) | undefined;
  /** Called by the store when it ends by itself: deleted, taken over by a newer version. Set by the log. */
  onLost?: ((error: PersistenceError) => void) | undefined;
}
