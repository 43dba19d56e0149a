/**
 * The log of one object in its SQLite storage: one entry for each turn that changed the keyspace, and from time to time
 * a snapshot that replaces them. Entries are opaque bytes here; the engine writes and reads them.
 *
 * Nothing is stored before the first append, so a namespace that was only read takes no storage. Limits and restoring are
 * those of `keylatch/persist`; appending is synchronous here, in the turn of the command.
 */

import { isDue, type Stored } from 'keylatch/persist';

/** Raised whenever the tables or the meaning of a column change. A newer one is refused, never touched. */
export const SCHEMA_VERSION = 1;

/** A row's blob is never longer. The platform's limit is 2 MB; local runtimes have not always enforced it. */
export const ROW_BYTES_MAX = 1_000_000;

type EntryKind = 'effects' | 'snapshot';

/** Effects of one turn, joined from its rows. */
interface Entry {
  readonly kind: EntryKind;
  readonly bytes: Uint8Array;
}

/** The stored log cannot be used: a newer version wrote it, or a row is missing. */
export class LogError extends Error {
  override readonly name = 'LogError';
}

export class Log {
  /**
   * Seed of the engine (64 bits). It is kept across restarts, so that a SCAN cursor returned before one stays valid.
   */
  readonly seed: bigint;
  /** The last instant an entry was written, in milliseconds since the epoch; 0 in an empty log. */
  readonly loggedMs: number;

  readonly #storage: DurableObjectStorage;
  #exists: boolean;
  #bytes: Record<EntryKind, number> = { effects: 0, snapshot: 0 };

  /** @throws LogError when a newer version of this template wrote the log. */
  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.#exists = this.#hasTables();
    this.seed = this.#exists ? this.#readMeta() : crypto.getRandomValues(new BigUint64Array(1))[0]!;
    this.loggedMs = this.#exists ? this.#measure() : 0;
  }

  /** The contents, to be restored into an engine. */
  stored(): Stored {
    const entries = [...this.#entries()];
    const [first] = entries;
    const snapshot = first?.kind === 'snapshot' ? first.bytes : null;
    const pieces = entries.slice(snapshot === null ? 0 : 1).map(({ bytes }) => bytes);
    return { snapshot, pieces, loggedMs: this.loggedMs, seed: this.seed, repairedBytes: 0 };
  }

  /** Every entry in the order of writing. A snapshot, if there is one, comes first. */
  *#entries(): Generator<Entry> {
    if (!this.#exists) return;
    let parts: Uint8Array[] = [];
    const rows = this.#storage.sql.exec<{ kind: EntryKind; more: number; bytes: ArrayBuffer }>(
      'SELECT kind, more, bytes FROM keylatch_log ORDER BY seq',
    );
    for (const row of rows) {
      parts.push(new Uint8Array(row.bytes));
      if (row.more === 1) continue;
      yield { kind: row.kind, bytes: join(parts) };
      parts = [];
    }
    if (parts.length > 0) throw new LogError('the last entry of the log is not complete');
  }

  /** Whether `length` more bytes of effects would make the log worth replacing by a snapshot. */
  isDue(length: number): boolean {
    return isDue(this.#bytes.effects + length, this.#bytes.snapshot);
  }

  /** Adds the effects of one turn. Durable before any reply of the same turn leaves: see README, "Guarantees". */
  append(effects: Uint8Array, nowMs: number): void {
    if (!this.#exists) this.#createTables();
    this.#write('effects', effects, nowMs);
    this.#bytes.effects += effects.length;
  }

  /** Puts `snapshot`, the state after this turn, in the place of everything written so far, or changes nothing. */
  replace(snapshot: Uint8Array, nowMs: number): void {
    if (!this.#exists) this.#createTables();
    this.#storage.transactionSync(() => {
      this.#storage.sql.exec('DELETE FROM keylatch_log');
      this.#write('snapshot', snapshot, nowMs);
    });
    this.#bytes = { effects: 0, snapshot: snapshot.length };
  }

  #write(kind: EntryKind, bytes: Uint8Array, nowMs: number): void {
    for (let start = 0; start < bytes.length; start += ROW_BYTES_MAX) {
      const part = bytes.subarray(start, start + ROW_BYTES_MAX);
      const more = start + part.length < bytes.length ? 1 : 0;
      this.#storage.sql.exec(
        'INSERT INTO keylatch_log (kind, more, logged_ms, bytes) VALUES (?, ?, ?, ?)',
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
    // The seed is text: SQLite's integers are signed and the binding's numbers are exact to 53 bits only.
    sql.exec('INSERT INTO keylatch_meta (version, seed) VALUES (?, ?)', SCHEMA_VERSION, String(this.seed));
    this.#exists = true;
  }

  #readMeta(): bigint {
    const meta = this.#storage.sql.exec<{ version: number; seed: string }>('SELECT * FROM keylatch_meta').one();
    if (meta.version > SCHEMA_VERSION) {
      throw new LogError(
        `the log has version ${meta.version}, this template knows ${SCHEMA_VERSION}; deploy the newer one`,
      );
    }
    return BigInt(meta.seed);
  }

  #measure(): number {
    const rows = this.#storage.sql.exec<{ kind: EntryKind; length: number; logged_ms: number }>(
      'SELECT kind, SUM(LENGTH(bytes)) AS length, MAX(logged_ms) AS logged_ms FROM keylatch_log GROUP BY kind',
    );
    let loggedMs = 0;
    for (const row of rows) {
      this.#bytes[row.kind] = row.length;
      loggedMs = Math.max(loggedMs, row.logged_ms);
    }
    return loggedMs;
  }
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0]!;
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
