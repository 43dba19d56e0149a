/** The contents of a database: object stores, the record of the format, snapshot and log. */
import { PersistenceError } from './errors.js';
import { commit, completionOf, newer, resultOf, writing } from './idb-request.js';
import type { LogRecord } from './numbered.js';
import type { Durability } from './options.js';
import { concat } from '../resp/concat.js';
import type { TailBase } from './tail.js';

/** Format of the contents; newer ones are refused. */
const FORMAT = 1;

/** Version of the database's object stores. */
export const SCHEMA = 1;

/** A snapshot is stored in pieces of this length: some browsers copy values once more than necessary. */
const CHUNK_BYTES = 1024 * 1024;

/** The only key of the object store `meta`. */
const META = 'store';

const STORES = ['log', 'snapshot', 'meta'] as const;

interface Meta {
  readonly format: number;
  /** Seed of the engine, decimal: not every version of IndexedDB stores a bigint. */
  readonly seed: string;
  /** Instant of the last snapshot. */
  readonly nowMs: number;
  /** Bytes of the snapshot. */
  readonly snapshotBytes: number;
  /** Number of the last append that the snapshot contains; missing in stores of the first version. */
  readonly lastNumber?: number;
}

/** Contents of the database. */
export interface Contents extends TailBase {
  readonly snapshot: Uint8Array;
  readonly nowMs: number;
}

/** Reads everything. Throws PersistenceError for damage and for newer versions. */
export async function readContents(db: IDBDatabase, title: string): Promise<Contents> {
  const transaction = db.transaction([...STORES], 'readonly');
  const done = completionOf(transaction);
  const log = transaction.objectStore('log');
  const [meta, chunks, records, keys] = await Promise.all([
    resultOf<Meta | undefined>(transaction.objectStore('meta').get(META)),
    resultOf<Uint8Array[]>(transaction.objectStore('snapshot').getAll()),
    resultOf<LogRecord[]>(log.getAll()),
    resultOf<IDBValidKey[]>(log.getAllKeys()),
    done,
  ]);
  if (meta === undefined) throw damage(db, title, 'it has no record of its format');
  if (meta.format > FORMAT)
    throw new PersistenceError('NEWER_VERSION', `${title}: ${newer('a newer version of keylatch')}`);
  const isOwn = records.every((record) => isBytes(record?.piece)) && keys.every(Number.isInteger);
  if (!isOwn || !chunks.every(isBytes)) throw damage(db, title, 'another program wrote into it');
  const snapshot = chunks.length === 1 ? (chunks[0] as Uint8Array) : concat(chunks);
  if (snapshot.length !== meta.snapshotBytes) throw damage(db, title, 'parts of the snapshot are missing');
  const { seed, nowMs, lastNumber: snapshotNumber = 0 } = meta;
  const numbered = records.map(({ nowMs, piece }, index) => ({ nowMs, piece, number: Number(keys[index]) }));
  return { snapshot, seed, nowMs, snapshotNumber, records: numbered };
}

/** Replaces everything by a snapshot that contains the appends up to a number. */
export async function writeSnapshot(
  db: IDBDatabase,
  durability: Durability,
  snapshot: Uint8Array,
  { seed, nowMs, lastNumber }: Required<Pick<Meta, 'seed' | 'nowMs' | 'lastNumber'>>,
): Promise<void> {
  // IndexedDB runs transactions that write in the order of their creation: later appends come after this one.
  const transaction = writing(db, STORES, durability);
  const chunks = transaction.objectStore('snapshot');
  transaction.objectStore('log').clear();
  chunks.clear();
  for (let at = 0, index = 0; at < snapshot.length; at += CHUNK_BYTES, index += 1)
    chunks.put(snapshot.slice(at, at + CHUNK_BYTES), index);
  const meta = { format: FORMAT, seed, nowMs, snapshotBytes: snapshot.length, lastNumber } satisfies Meta;
  transaction.objectStore('meta').put(meta, META);
  await commit(transaction);
}

function damage(db: IDBDatabase, title: string, reason: string): PersistenceError {
  const advice = `to start afresh, delete it with indexedDB.deleteDatabase(${JSON.stringify(db.name)})`;
  return new PersistenceError('DAMAGED', `${title}: ${reason}; ${advice}`);
}

/** Creates the object stores. */
export function create(db: IDBDatabase): void {
  db.createObjectStore('log', { autoIncrement: true });
  db.createObjectStore('snapshot');
  const seed = crypto.getRandomValues(new BigUint64Array(1)).toString();
  const meta = { format: FORMAT, seed, nowMs: 0, snapshotBytes: 0 } satisfies Meta;
  db.createObjectStore('meta').put(meta, META);
}

/** Seed and last number of a database. */
export async function positionOf(db: IDBDatabase): Promise<{ readonly seed: string; readonly last: number }> {
  const transaction = db.transaction([...STORES], 'readonly');
  const [meta, keys] = await Promise.all([
    resultOf<Meta | undefined>(transaction.objectStore('meta').get(META)),
    resultOf<IDBValidKey[]>(transaction.objectStore('log').getAllKeys()),
    completionOf(transaction),
  ]);
  return { seed: meta?.seed ?? '', last: Number(keys.at(-1) ?? meta?.lastNumber ?? 0) };
}

function isBytes(value: unknown): value is Uint8Array {
  return Object.prototype.toString.call(value) === '[object Uint8Array]';
}
