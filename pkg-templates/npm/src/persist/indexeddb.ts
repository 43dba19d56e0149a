/**
 * A store in IndexedDB, one database a name. Each append is one transaction with one packed value: the cost of IndexedDB is
 * by value. A Web Lock keeps a second page from writing. A connection that the browser closes is opened again.
 */
import { PersistenceError } from './errors.js';
import { create, positionOf, readContents, SCHEMA, writeSnapshot, type Contents } from './idb-contents.js';
import {
  commit,
  completionOf,
  isBrokenError,
  isClosedError,
  newer,
  openDatabase,
  storageFailure,
  writing,
} from './idb-request.js';
import { RETRY_MS, RETRY_MS_MAX } from './limits.js';
import { databaseName } from './names.js';
import { NumberedLog, type LogRecord, type NumberedRecord } from './numbered.js';
import type { Durability } from './options.js';
import { PageEnd } from './page-end.js';
import type { Store, Stored } from './store.js';
import { decodeTail, encodeTail, missingRecords } from './tail.js';
import { TailStorage } from './tail-storage.js';
import { later } from './time.js';
import { acquireWithin, platformLocks, type HeldLock } from './web-lock.js';

/** Time for the browser to open the database. */
const OPEN_MS = 10_000;

/** Length up to which a tail is written anew with each write. */
const TAIL_BYTES = 16 * 1024;

/** Time for the lock: a page that is reloaded or closed holds it until it has gone. */
const LOCK_MS = 500;

/** Options of `indexedDbStore`. */
export interface IndexedDbOptions {
  /**
   * `relaxed`: a flushed write survives the end of tab and browser. `strict`: the system is asked to write it to the medium
   * first. Default `relaxed`.
   */
  readonly durability?: Durability | undefined;
  /** @internal The caller holds the lock of the name already. */
  readonly isLocked?: boolean | undefined;
  /** @internal Time for the browser to open the database. */
  readonly openMs?: number | undefined;
}

/** A transaction that takes the appends of one task. */
interface Collecting {
  readonly transaction: IDBTransaction;
  readonly done: Promise<void>;
}

class IndexedDbStore implements Store {
  readonly title: string;
  onLost: Store['onLost'];
  readonly #name: string;
  readonly #durability: Durability;
  readonly #isLocked: boolean;
  readonly #openMs: number;
  readonly #page = new PageEnd();
  readonly #log = new NumberedLog();
  readonly #tail: TailStorage;
  readonly #tried = new WeakSet<NumberedRecord>();
  /** Seeds that the database may have: a snapshot with another one may be there or not. */
  #seeds: readonly string[] = [];
  #lock: HeldLock | undefined;
  #db: IDBDatabase | undefined;
  #reopening: Promise<IDBDatabase> | undefined;
  #collecting: Collecting | undefined;
  #isTailDue = false;
  #isClosed = false;

  constructor(name: string, { durability = 'relaxed', isLocked = false, openMs = OPEN_MS }: IndexedDbOptions) {
    this.title = `IndexedDB ${JSON.stringify(name)}`;
    this.#name = databaseName(name);
    this.#tail = new TailStorage(name);
    this.#durability = durability;
    this.#isLocked = isLocked;
    this.#openMs = openMs;
  }

  get hasSlowTimers(): boolean {
    return this.#page.isHidden;
  }

  get isUrgent(): boolean {
    return this.#page.isUrgent;
  }

  async open(): Promise<Stored> {
    const factory = this.#factory();
    try {
      // Where site data is blocked, the lock is refused too.
      if (!this.#isLocked) this.#lock = await this.#acquire();
      this.#isClosed = false;
      const db = await this.#connect(factory, create);
      this.#db = db;
      this.#watch(db);
      return await this.#restored(await readContents(db, this.title));
    } catch (error) {
      await this.close();
      throw storageFailure(this.title, error);
    }
  }

  /** The transaction begins before this method returns, if the database is connected; after the page was left, behind its task. */
  async append(piece: Uint8Array, nowMs: number): Promise<void> {
    const number = this.#log.add(piece, nowMs);
    const isKept = this.isUrgent && this.#keepTail();
    // A page that was left ends at any moment. With the tail written, the database does not hold up what its program writes.
    if (isKept && this.#page.isCollecting) await undefined;
    await this.#run((db) => this.#write(db, number), isBrokenError);
    this.#confirm(number);
  }

  /** Every append has resolved with its transaction complete. */
  sync(): void {}

  async replace(snapshot: Uint8Array, seed: bigint, nowMs: number): Promise<void> {
    const lastNumber = this.#log.last;
    const meta = { seed: String(seed), nowMs, lastNumber };
    this.#seeds = [...new Set([...this.#seeds, meta.seed])];
    // A broken transaction may have been completed: repeated, it would remove later appends.
    await this.#run((db) => writeSnapshot(db, this.#durability, snapshot, meta), isClosedError);
    this.#seeds = [meta.seed];
    this.#confirm(lastNumber);
  }

  async close(): Promise<void> {
    if (this.isUrgent) this.#writeTail();
    const db = this.#db;
    this.#isClosed = true;
    this.#db = undefined;
    // Transactions that were started are completed all the same.
    db?.close();
    this.#lock?.release();
    this.#lock = undefined;
  }

  hasten(): void {
    this.#page.leave();
  }

  watchEnd(flush: () => boolean): () => void {
    return this.#page.watch(() => {
      flush();
      this.#writeTail();
    });
  }

  /** Runs work on the connection; once more on a new one if the browser has closed it. */
  async #run(work: (db: IDBDatabase) => Promise<void>, isRepeated: (error: unknown) => boolean): Promise<void> {
    const db = this.#db;
    try {
      if (db !== undefined) return await work(db);
    } catch (error) {
      this.#refuseClosed();
      if (isBrokenError(error)) this.#drop(db);
      if (!isRepeated(error)) throw storageFailure(this.title, error);
    }
    try {
      await work(await this.#connected());
    } catch (error) {
      throw storageFailure(this.title, error);
    }
  }

  /** Writes an append, and those before it that may be missing. */
  async #write(db: IDBDatabase, number: number): Promise<void> {
    const records = this.#log.upTo(number);
    if (records.length === 0) return;
    const collecting = this.#collecting;
    const transaction = collecting?.transaction ?? writing(db, ['log'], this.#durability);
    const log = transaction.objectStore('log');
    for (const record of collecting === undefined ? records : records.slice(-1)) this.#put(log, record);
    await (collecting?.done ?? this.#committed(transaction));
  }

  /** A number that was used by another page is an error; one that was tried before may be there. */
  #put(log: IDBObjectStore, record: NumberedRecord): void {
    const { number, nowMs, piece } = record;
    const method = this.#tried.has(record) ? 'put' : 'add';
    this.#tried.add(record);
    log[method]({ nowMs, piece } satisfies LogRecord, number);
  }

  /** After the page was left, each write is an append: those of one task share a transaction. */
  #committed(transaction: IDBTransaction): Promise<void> {
    if (!this.#page.isCollecting) return commit(transaction);
    const done = completionOf(transaction);
    this.#collecting = { transaction, done };
    queueMicrotask(() => {
      this.#collecting = undefined;
      transaction.commit?.();
    });
    return done;
  }

  #confirm(number: number): void {
    this.#log.confirm(number);
    if (this.#log.pending.length === 0) this.#tail.remove();
  }

  /** Writes a short tail before the call returns, and a long one once for all writes of a task. True if it was written. */
  #keepTail(): boolean {
    if (this.#log.pendingBytes <= TAIL_BYTES) return this.#writeTail();
    if (this.#isTailDue) return false;
    this.#isTailDue = true;
    queueMicrotask(() => {
      if (this.#isTailDue) this.#writeTail();
    });
    return false;
  }

  #writeTail(): boolean {
    this.#isTailDue = false;
    const records = this.#log.pending;
    // Without the lock, the database belongs to another page.
    if (records.length === 0 || this.#isClosed) return false;
    return this.#tail.write(encodeTail({ seeds: this.#seeds, records }));
  }

  #factory(): IDBFactory {
    const factory = globalThis.indexedDB as IDBFactory | undefined;
    // Some browsers have none, or null, in private windows and in frames of other sites.
    if (!factory) throw new PersistenceError('UNSUPPORTED', `${this.title}: ${UNAVAILABLE}`);
    return factory;
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

  async #connect(factory: IDBFactory, upgrade: (db: IDBDatabase, creation: IDBTransaction) => void) {
    try {
      return await openDatabase(factory, { name: this.#name, version: SCHEMA, limitMs: this.#openMs, upgrade });
    } catch (error) {
      if (!isClosedError(error)) throw error;
      throw new PersistenceError('UNSUPPORTED', `${this.title}: ${UNAVAILABLE}`, { cause: error });
    }
  }

  /** The connection, a new one if the browser has closed the last one. */
  #connected(): Promise<IDBDatabase> {
    if (this.#db !== undefined) return Promise.resolve(this.#db);
    this.#reopening ??= this.#reopen().finally(() => {
      this.#reopening = undefined;
    });
    return this.#reopening;
  }

  async #reopen(): Promise<IDBDatabase> {
    this.#refuseClosed();
    let isMissing = false;
    const refuse = (_: IDBDatabase, creation: IDBTransaction): void => {
      isMissing = true;
      creation.abort();
    };
    try {
      const db = await this.#connect(this.#factory(), refuse);
      this.#watch(db);
      await this.#checkContinued(db);
      this.#db = db;
      return db;
    } catch (error) {
      throw this.#judged(isMissing ? this.#gone('the browser removed it') : storageFailure(this.title, error));
    }
  }

  /** A database that was replaced by another one meanwhile must not be continued. */
  async #checkContinued(db: IDBDatabase): Promise<void> {
    try {
      const { seed, last } = await positionOf(db);
      this.#refuseClosed();
      if (!this.#seeds.includes(seed) || last < this.#log.confirmed || last > this.#log.last)
        throw this.#gone('another program replaced it');
      this.#confirm(last);
    } catch (error) {
      db.onclose = null;
      db.close();
      throw error;
    }
  }

  /** A failure to open again; the store ends if no later attempt can succeed. */
  #judged(error: PersistenceError): PersistenceError {
    if (!this.#isClosed && (error.code === 'LOST' || error.code === 'NEWER_VERSION')) this.#lose(error);
    return error;
  }

  #gone(reason: string): PersistenceError {
    return new PersistenceError('LOST', `${this.title}: ${reason}; what this page holds is in memory only`);
  }

  /** Listens for the end of the connection, which another page, the user or the browser can cause. */
  #watch(db: IDBDatabase): void {
    db.onversionchange = ({ newVersion }) => {
      const writer = newer('a newer version of keylatch in another tab');
      if (newVersion === null) this.#lose(this.#gone('it was deleted'));
      else this.#lose(new PersistenceError('NEWER_VERSION', `${this.title}: ${writer}`));
    };
    db.onclose = () => {
      this.#drop(db);
      this.#reconnect(RETRY_MS);
    };
  }

  /** Opens again without a write, so that a loss is reported. While the browser clears data, it refuses for a while. */
  #reconnect(pauseMs: number): void {
    if (this.#isClosed) return;
    this.#connected().catch(() => {
      if (pauseMs < RETRY_MS_MAX) later(pauseMs, () => this.#reconnect(2 * pauseMs), false);
    });
  }

  #drop(db: IDBDatabase | undefined): void {
    if (db === undefined) return;
    db.onclose = null;
    db.close();
    if (this.#db === db) this.#db = undefined;
  }

  #lose(error: PersistenceError): void {
    // An open connection would block the other page.
    void this.close();
    this.onLost?.(error);
  }

  /** The contents with the tail of a page that has ended, which is written into the database. */
  async #restored(contents: Contents): Promise<Stored> {
    const { snapshot, seed, nowMs, snapshotNumber, records } = contents;
    const text = this.#tail.read();
    const missing = this.#tailOf(text, contents);
    this.#seeds = [seed];
    this.#log.begin(records.at(-1)?.number ?? snapshotNumber, missing ?? []);
    await this.#writeMissing();
    if (text !== null && this.#log.pending.length === 0) this.#tail.remove(text);
    const all = [...records, ...(missing ?? [])];
    return {
      snapshot: snapshot.length === 0 ? null : snapshot,
      pieces: all.map(({ piece }) => piece),
      loggedMs: Math.max(nowMs, all.at(-1)?.nowMs ?? 0),
      seed: BigInt(seed),
      repairedBytes: missing === undefined ? (text?.length ?? 0) : 0,
    };
  }

  /** Appends of the tail that the database lacks; undefined if the tail is of no use. */
  #tailOf(text: string | null, contents: Contents): readonly NumberedRecord[] | undefined {
    if (text === null) return [];
    const tail = decodeTail(text);
    if (tail === 'newer')
      throw new PersistenceError('NEWER_VERSION', `${this.title}: ${newer('a newer version of keylatch')}`);
    const missing = tail && missingRecords(tail, contents);
    if (missing === undefined) {
      const reason = tail === undefined ? 'is damaged' : 'does not follow on the database';
      console.warn(`keylatch: ${this.title}: the end of the log in localStorage ${reason} and was left out`);
    }
    return missing;
  }

  /** Without the room for it, the tail stays in localStorage until a later append has written both. */
  async #writeMissing(): Promise<void> {
    const { last, pending } = this.#log;
    if (pending.length === 0) return;
    await this.#run((db) => this.#write(db, last), isBrokenError).then(
      () => this.#log.confirm(last),
      () => {},
    );
  }

  #refuseClosed(): void {
    if (this.#isClosed) throw new PersistenceError('LOST', `${this.title}: the connection is closed; open it again`);
  }
}

const UNAVAILABLE =
  'IndexedDB is not available here: a private window, a frame of another site, or a program outside browsers; ' +
  'use memoryStore(), or dir in Node';

/** A store in the IndexedDB of this browser: the database `keylatch:NAME`, for one page at a time. */
export function indexedDbStore(name: string, options: IndexedDbOptions = {}): Store {
  return new IndexedDbStore(name, options);
}
