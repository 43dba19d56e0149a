/**
 * The log of one object in its SQLite storage: a row for each turn that changed the keyspace, and from time to time a
 * snapshot that replaces them. Rows are opaque bytes here; the engine writes and reads them.
 *
 * Nothing is stored before the first append, so a namespace that was only read takes no storage.
 */
import { LogSize } from '../../persist/log-size.js';
import type { Stored } from '../../persist/store.js';
import { concat } from '../../resp/concat.js';

/** Raised whenever the tables or the meaning of a column change. A newer one is refused, never touched. */
const SCHEMA_VERSION = 1;

/** A row's blob is never longer. The platform's limit is 2 MB; local runtimes have not always enforced it. */
const ROW_BYTES_MAX = 1_000_000;

/** Effects are joined up to about this size before they are replayed: each piece costs as much as a hundred commands. */
const JOINED_BYTES = 1_000_000;

/** Rows that are read when an object wakes, at most: each costs some microseconds, however short it is. */
const ROWS_MAX = 10_000;

/** Bytes of effects that are read at once for a copy, but for the last row. */
const PAGE_BYTES = 1_000_000;

type EntryKind = 'effects' | 'snapshot';

/** The stored log cannot be used: a newer version wrote it, or a row is missing. */
class LogError extends Error {
  override readonly name = 'LogError';
}

export class Log {
  readonly #storage: DurableObjectStorage;
  /** Seed of the engine (64 bits). It is kept across restarts, so that a cursor of SCAN stays valid. */
  readonly #seed: bigint;
  #exists: boolean;
  #rows = 0;
  /** Rows from which a snapshot replaces them: later after one that failed. */
  #rowsMax = ROWS_MAX;
  #position = 0;
  /** Number of the last row of the snapshot; 0 without one. */
  #snapshotEnd = 0;
  #size = new LogSize(0, 0, undefined);

  /** Throws if a newer version wrote the log. */
  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.#exists = this.#hasTables();
    this.#seed = this.#exists ? this.#readSeed() : crypto.getRandomValues(new BigUint64Array(1))[0]!;
  }

  /** Whether anything was stored. */
  get exists(): boolean {
    return this.#exists;
  }

  /** Number of the last row. Grows with each write, also when rows are replaced by a snapshot. */
  get position(): number {
    return this.#position;
  }

  /** Whether the effects since a position are all there: a snapshot replaces those before it. */
  reachesBack(position: number): boolean {
    return position >= this.#snapshotEnd && position <= this.#position;
  }

  /** Effects between two positions, from the first on: a page of them, and the position that it reaches. */
  page(from: number, end: number): { readonly bytes: Uint8Array; readonly position: number } {
    const query = 'SELECT seq, bytes FROM keylatch_log WHERE seq > ? AND seq <= ? ORDER BY seq';
    const parts: Uint8Array[] = [];
    let [length, position] = [0, from];
    for (const [seq, bytes] of this.#storage.sql.exec(query, from, end).raw() as Iterable<[number, ArrayBuffer]>) {
      parts.push(new Uint8Array(bytes));
      position = seq;
      length += bytes.byteLength;
      if (length >= PAGE_BYTES) break;
    }
    return { bytes: concat(parts), position };
  }

  get rows(): number {
    return this.#rows;
  }

  /** Length of the effects and of the snapshot in front of them. */
  get bytes(): number {
    const { logBytes, snapshotBytes } = this.#size.bytes;
    return logBytes + snapshotBytes;
  }

  /** The contents, to be restored into an engine; read in one pass, which also finds the sizes. */
  read(): Stored & { readonly seed: bigint } {
    const contents = new Contents();
    if (this.#exists) {
      const { sql } = this.#storage;
      const rows = sql.exec('SELECT seq, kind, more, logged_ms, bytes FROM keylatch_log ORDER BY seq').raw();
      for (const [seq, kind, more, loggedMs, bytes] of rows as Iterable<LogRow>) {
        this.#rows += 1;
        this.#position = seq;
        if (kind === 'snapshot') this.#snapshotEnd = seq;
        contents.add(kind, more === 1, loggedMs, new Uint8Array(bytes));
      }
    }
    const { snapshot, pieces, logBytes, loggedMs } = contents.whole();
    this.#size = new LogSize(logBytes, snapshot?.length ?? 0, undefined);
    return { snapshot, pieces, loggedMs, seed: this.#seed, repairedBytes: 0 };
  }

  /** Whether the log is worth replacing by a snapshot once `length` more bytes of effects are added. */
  isLong(length: number): boolean {
    return this.#rows >= this.#rowsMax || this.#size.isLong(length);
  }

  /** Adds the effects of one turn. */
  append(effects: Uint8Array, nowMs: number): void {
    const write = (): void => this.#write('effects', effects, nowMs);
    // One row is whole or not there without a transaction, which takes as long as the row.
    if (this.#exists && effects.length <= ROW_BYTES_MAX) write();
    else this.#inTables(write);
    this.#size.appended(effects.length);
  }

  /** Replaces everything by a snapshot. */
  replace(snapshot: Uint8Array, nowMs: number): void {
    this.#inTables(() => {
      this.#storage.sql.exec('DELETE FROM keylatch_log');
      this.#rows = 0;
      this.#write('snapshot', snapshot, nowMs);
    });
    this.#snapshotEnd = this.#position;
    this.#rowsMax = ROWS_MAX;
    this.#size.replaceBegan();
    this.#size.replaced(snapshot.length);
  }

  /** Puts the next attempt off, after one that failed with `length` bytes of effects. */
  replaceFailed(length: number): void {
    this.#rowsMax = this.#rows + ROWS_MAX;
    this.#size.replaceFailed(length);
  }

  /** Runs writes as one transaction, with the tables. */
  #inTables(work: () => void): void {
    this.#storage.transactionSync(() => {
      if (!this.#exists) this.#createTables();
      work();
    });
    this.#exists = true;
  }

  #write(kind: EntryKind, bytes: Uint8Array, nowMs: number): void {
    for (let start = 0; start < bytes.length; start += ROW_BYTES_MAX) {
      const part = bytes.subarray(start, start + ROW_BYTES_MAX);
      const more = start + part.length < bytes.length ? 1 : 0;
      this.#position += 1;
      this.#rows += 1;
      this.#storage.sql.exec(
        'INSERT INTO keylatch_log (seq, kind, more, logged_ms, bytes) VALUES (?, ?, ?, ?, ?)',
        this.#position,
        kind,
        more,
        nowMs,
        part,
      );
    }
  }

  #hasTables(): boolean {
    const found = this.#storage.sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'keylatch_meta'");
    return found.toArray().length > 0;
  }

  #createTables(): void {
    const { sql } = this.#storage;
    sql.exec('CREATE TABLE keylatch_meta (version INTEGER NOT NULL, seed TEXT NOT NULL)');
    sql.exec(
      'CREATE TABLE keylatch_log (seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, more INTEGER NOT NULL, logged_ms INTEGER NOT NULL, bytes BLOB NOT NULL)',
    );
    // The seed is text: SQLite's integers are signed, and numbers of JavaScript are exact to 53 bits only.
    sql.exec('INSERT INTO keylatch_meta (version, seed) VALUES (?, ?)', SCHEMA_VERSION, String(this.#seed));
  }

  #readSeed(): bigint {
    const [meta] = this.#storage.sql.exec('SELECT version, seed FROM keylatch_meta').toArray();
    if (meta === undefined) throw new LogError('the log has no version');
    const { version, seed } = meta as { readonly version: number; readonly seed: string };
    if (version > SCHEMA_VERSION)
      throw new LogError(`the log has version ${version}, this version of keylatch knows ${SCHEMA_VERSION}: update it`);
    return BigInt(seed);
  }
}

type LogRow = [seq: number, kind: EntryKind, more: number, loggedMs: number, bytes: ArrayBuffer];

/** Rows of a log as they are read, joined to a snapshot and pieces of effects. */
class Contents {
  #snapshot: Uint8Array | null = null;
  readonly #pieces: Uint8Array[] = [];
  /** Rows that are not joined yet, and their length. */
  #parts: Uint8Array[] = [];
  #partBytes = 0;
  #logBytes = 0;
  #loggedMs = 0;
  #isCut = false;

  add(kind: EntryKind, more: boolean, loggedMs: number, bytes: Uint8Array): void {
    this.#parts.push(bytes);
    this.#partBytes += bytes.length;
    this.#loggedMs = Math.max(this.#loggedMs, loggedMs);
    this.#isCut = more;
    if (kind === 'effects') this.#logBytes += bytes.length;
    if (more) return;
    if (kind === 'snapshot') this.#snapshot = this.#joined();
    else if (this.#partBytes >= JOINED_BYTES) this.#pieces.push(this.#joined());
  }

  whole(): { snapshot: Uint8Array | null; pieces: Uint8Array[]; logBytes: number; loggedMs: number } {
    if (this.#isCut) throw new LogError('the last entry of the log is not complete');
    if (this.#parts.length > 0) this.#pieces.push(this.#joined());
    return { snapshot: this.#snapshot, pieces: this.#pieces, logBytes: this.#logBytes, loggedMs: this.#loggedMs };
  }

  #joined(): Uint8Array {
    const joined = concat(this.#parts);
    this.#parts = [];
    this.#partBytes = 0;
    return joined;
  }
}
