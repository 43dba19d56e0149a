/**
 * A store in IndexedDB, one database a name. Each append is one transaction with one packed value: the cost of IndexedDB is
 * by value. A Web Lock keeps a second page from writing.
 */
import { PersistenceError } from './errors.js';
import { commit, completionOf, newer, resultOf, storageFailure, writing } from './idb-request.js';
import { databaseName } from './names.js';
import type { Durability } from './options.js';
import type { Store, Stored } from './store.js';
import { acquireWithin, platformLocks, type HeldLock } from './web-lock.js';

/** Format of the contents; newer ones are refused. */
const FORMAT = 1;

/** Version of the database's object stores. */
const SCHEMA = 1;

/** A snapshot is stored in pieces of this length: some browsers copy values once more than necessary. */
const CHUNK_BYTES = 1024 * 1024;

/** Time for the lock: a page that is reloaded or closed holds it until it has gone. */
const LOCK_MS = 500;

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
}

interface LogRecord {
  readonly nowMs: number;
  readonly piece: Uint8Array;
}

/** Options of `indexedDbStore`. */
export interface IndexedDbOptions {
  /**
   * `relaxed`: a flushed write survives the end of tab and browser. `strict`: the system is asked to write it to the medium
   * first. Default `relaxed`.
   */
  readonly durability?: Durability | undefined;
  /** @internal The caller holds the lock of the name already. */
  readonly isLocked?: boolean | undefined;
}

class IndexedDbStore implements Store {
  readonly title: string;
  onLost: Store['onLost'];
  readonly #name: string;
  readonly #durability: Durability;
  readonly #isLocked: boolean;
  #lock: HeldLock | undefined;
  #db: IDBDatabase | undefined;

  constructor(name: string, { durability = 'relaxed', isLocked = false }: IndexedDbOptions) {
    this.title = `IndexedDB ${JSON.stringify(name)}`;
    this.#name = databaseName(name);
    this.#durability = durability;
    this.#isLocked = isLocked;
  }

  async open(): Promise<Stored> {
    const factory = globalThis.indexedDB as IDBFactory | undefined;
    // Some browsers have none, or null, in private windows and in frames of other sites.
    if (!factory) throw new PersistenceError('UNSUPPORTED', `${this.title}: ${UNAVAILABLE}`);
    if (!this.#isLocked) this.#lock = await this.#acquire();
    try {
      const db = await this.#connect(factory);
      this.#db = db;
      this.#watch(db);
      return await this.#read(db);
    } catch (error) {
      await this.close();
      throw storageFailure(this.title, error);
    }
  }

  async append(piece: Uint8Array, nowMs: number): Promise<void> {
    try {
      const transaction = writing(this.#connected(), ['log'], this.#durability);
      transaction.objectStore('log').add({ nowMs, piece: compact(piece) } satisfies LogRecord);
      await commit(transaction);
    } catch (error) {
      throw storageFailure(this.title, error);
    }
  }

  /** Every append has resolved with its transaction complete. */
  sync(): void {}

  async replace(snapshot: Uint8Array, seed: bigint, nowMs: number): Promise<void> {
    try {
      // IndexedDB runs transactions that write in the order of their creation: later appends come after this one.
      const transaction = writing(this.#connected(), STORES, this.#durability);
      const chunks = transaction.objectStore('snapshot');
      transaction.objectStore('log').clear();
      chunks.clear();
      for (let at = 0, index = 0; at < snapshot.length; at += CHUNK_BYTES, index += 1)
        chunks.put(snapshot.slice(at, at + CHUNK_BYTES), index);
      const meta = { format: FORMAT, seed: String(seed), nowMs, snapshotBytes: snapshot.length } satisfies Meta;
      transaction.objectStore('meta').put(meta, META);
      await commit(transaction);
    } catch (error) {
      throw storageFailure(this.title, error);
    }
  }

  async close(): Promise<void> {
    const db = this.#db;
    this.#db = undefined;
    // Transactions that were started are completed all the same.
    db?.close();
    this.#lock?.release();
    this.#lock = undefined;
  }

  /** A hidden page may end without another event. */
  watchEnd(flush: () => void): () => void {
    const page = globalThis as { readonly document?: Document } & Partial<EventTarget>;
    const hidden = (): void => {
      if (page.document?.visibilityState === 'hidden') flush();
    };
    page.document?.addEventListener('visibilitychange', hidden);
    page.addEventListener?.('pagehide', flush);
    return () => {
      page.document?.removeEventListener('visibilitychange', hidden);
      page.removeEventListener?.('pagehide', flush);
    };
  }

  async #acquire(): Promise<HeldLock> {
    const locks = platformLocks();
    if (locks === undefined) {
      const reason = 'Web Locks are missing here, so two pages could write one store; serve the page over https';
      throw new PersistenceError('UNSUPPORTED', `${this.title}: ${reason}`);
    }
    const lock = await acquireWithin(locks, this.#name, LOCK_MS);
    if (lock !== undefined) return lock;
    const advice = 'another tab or worker has it open; close that one, or use share() of keylatch/tabs in all of them';
    throw new PersistenceError('IN_USE', `${this.title}: ${advice}`);
  }

  async #connect(factory: IDBFactory): Promise<IDBDatabase> {
    let creation: IDBTransaction | null = null;
    try {
      const request = factory.open(this.#name, SCHEMA);
      request.onupgradeneeded = () => {
        creation = request.transaction;
        create(request.result);
      };
      return await resultOf(request);
    } catch (error) {
      // The error of the transaction says why, as a quota that is used up; that of the request only that it was aborted.
      const reason = (creation as IDBTransaction | null)?.error ?? error;
      if ((reason as { name?: string } | null)?.name !== 'InvalidStateError') throw reason;
      throw new PersistenceError('UNSUPPORTED', `${this.title}: ${UNAVAILABLE}`, { cause: reason });
    }
  }

  /** Listens for the end of the connection, which another page or the user can cause. */
  #watch(db: IDBDatabase): void {
    db.onversionchange = ({ newVersion }) =>
      newVersion === null
        ? this.#lose('LOST', 'it was deleted; what this page holds is in memory only')
        : this.#lose('NEWER_VERSION', newer('a newer version of keylatch in another tab'));
    db.onclose = () => this.#lose('LOST', 'the browser closed it, as when site data are cleared');
  }

  #lose(code: 'LOST' | 'NEWER_VERSION', reason: string): void {
    // An open connection would block the other page.
    void this.close();
    this.onLost?.(new PersistenceError(code, `${this.title}: ${reason}`));
  }

  async #read(db: IDBDatabase): Promise<Stored> {
    const transaction = db.transaction([...STORES], 'readonly');
    const done = completionOf(transaction);
    const [meta, chunks, records] = await Promise.all([
      resultOf<Meta | undefined>(transaction.objectStore('meta').get(META)),
      resultOf<Uint8Array[]>(transaction.objectStore('snapshot').getAll()),
      resultOf<LogRecord[]>(transaction.objectStore('log').getAll()),
      done,
    ]);
    if (meta === undefined) throw this.#damage('it has no record of its format');
    if (meta.format > FORMAT)
      throw new PersistenceError('NEWER_VERSION', `${this.title}: ${newer('a newer version of keylatch')}`);
    if (!chunks.every(isBytes) || !records.every((record) => isBytes(record?.piece)))
      throw this.#damage('another program wrote into it');
    const snapshot = joined(chunks);
    if (snapshot.length !== meta.snapshotBytes) throw this.#damage('parts of the snapshot are missing');
    return {
      snapshot: snapshot.length === 0 ? null : snapshot,
      pieces: records.map(({ piece }) => piece),
      loggedMs: Math.max(meta.nowMs, records.at(-1)?.nowMs ?? 0),
      seed: BigInt(meta.seed),
      repairedBytes: 0,
    };
  }

  #damage(reason: string): PersistenceError {
    const advice = `to start afresh, delete it with indexedDB.deleteDatabase(${JSON.stringify(this.#name)})`;
    return new PersistenceError('DAMAGED', `${this.title}: ${reason}; ${advice}`);
  }

  #connected(): IDBDatabase {
    if (this.#db !== undefined) return this.#db;
    throw new PersistenceError('LOST', `${this.title}: the connection is closed; open it again`);
  }
}

const UNAVAILABLE =
  'IndexedDB is not available here: a private window, a frame of another site, or a program outside browsers; ' +
  'use memoryStore(), or dir in Node';

function create(db: IDBDatabase): void {
  db.createObjectStore('log', { autoIncrement: true });
  db.createObjectStore('snapshot');
  const seed = crypto.getRandomValues(new BigUint64Array(1)).toString();
  const meta = { format: FORMAT, seed, nowMs: 0, snapshotBytes: 0 } satisfies Meta;
  db.createObjectStore('meta').put(meta, META);
}

function isBytes(value: unknown): value is Uint8Array {
  return Object.prototype.toString.call(value) === '[object Uint8Array]';
}

/** A copy where the bytes are part of a larger buffer: IndexedDB would store all of that. */
function compact(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice();
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const [only] = chunks;
  if (chunks.length === 1 && only !== undefined) return only;
  const bytes = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** A store in the IndexedDB of this browser: the database `keylatch:NAME`, for one page at a time. */
export function indexedDbStore(name: string, options: IndexedDbOptions = {}): Store {
  return new IndexedDbStore(name, options);
}
