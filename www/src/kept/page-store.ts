/**
 * Records of the page in IndexedDB. Where that is forbidden, full or blocked, the records are kept in memory for this
 * visit, and `problem` says so.
 */

import { answered, NoAnswerError } from '../base/answer.ts';
import { Emitter } from '../base/emitter.ts';

export type StoreName = 'sessions' | 'workspace';

/** A record with its key. */
export interface Stored {
  readonly id: string;
}

const DATABASE = 'keylatch-page';
const VERSION = 1;
const STORES: readonly StoreName[] = ['sessions', 'workspace'];
/** Time after which a database that another version blocks is given up, in milliseconds. */
const OPEN_LIMIT_MS = 3000;
/** Time for the first answer: the page waits for it. A transaction of a page that was left may hold it up for ever. */
const FIRST_ANSWER_LIMIT_MS = 1000;
const ANSWER_LIMIT_MS = 10_000;

export class PageStore {
  readonly changes = new Emitter<'problem'>();
  /** Reason why nothing is kept beyond this visit. */
  problem: string | undefined;
  private readonly memory = new Map<string, Stored>();
  private hasAnswered = false;
  private opened: Promise<IDBDatabase | undefined> | undefined;

  async all<T extends Stored>(store: StoreName): Promise<T[]> {
    const kept = await this.attempt(store, 'readonly', (records) => records.getAll() as IDBRequest<T[]>);
    const records = new Map((kept ?? []).map((record) => [record.id, record]));
    for (const [key, record] of this.memory) if (key.startsWith(`${store}/`)) records.set(record.id, record as T);
    return [...records.values()];
  }

  async get<T extends Stored>(store: StoreName, id: string): Promise<T | undefined> {
    const inMemory = this.memory.get(`${store}/${id}`) as T | undefined;
    return (
      inMemory ?? (await this.attempt(store, 'readonly', (records) => records.get(id) as IDBRequest<T | undefined>))
    );
  }

  /**
   * Writes what `next` makes of the present record, in one transaction: two tabs do not overwrite each other. Returns
   * what was written; nothing is written when `next` returns undefined.
   */
  async update<T extends Stored>(
    store: StoreName,
    id: string,
    next: (present: T | undefined) => T | undefined,
  ): Promise<T | undefined> {
    let written: T | undefined;
    const inMemory = this.memory.has(`${store}/${id}`);
    const done = inMemory
      ? undefined
      : await this.attempt(store, 'readwrite', (records) => {
          const reading = records.get(id) as IDBRequest<T | undefined>;
          reading.onsuccess = () => {
            written = next(reading.result);
            try {
              if (written) records.put(written);
            } catch (error) {
              this.report(error);
              reading.transaction?.abort();
            }
          };
          return reading;
        });
    if (done !== undefined || this.problem === undefined) return written;
    written = next(this.memory.get(`${store}/${id}`) as T | undefined);
    if (written) this.memory.set(`${store}/${id}`, written);
    return written;
  }

  /** Writes a record over the present one, without reading: a page that is left gets no more answers. */
  async put<T extends Stored>(store: StoreName, record: T): Promise<void> {
    const done = await this.attempt(store, 'readwrite', (records) => {
      const request = records.put(record);
      records.transaction.commit();
      return request;
    });
    if (done === undefined) this.memory.set(`${store}/${record.id}`, record);
  }

  async remove(store: StoreName, id: string): Promise<void> {
    this.memory.delete(`${store}/${id}`);
    await this.attempt(store, 'readwrite', (records) => records.delete(id));
  }

  /** Runs a request; undefined when there is no database, or it refuses. */
  private async attempt<T>(
    store: StoreName,
    mode: IDBTransactionMode,
    request: (records: IDBObjectStore) => IDBRequest<T>,
  ): Promise<T | undefined> {
    const database = await (this.opened ??= this.open());
    if (!database) return undefined;
    try {
      const transaction = database.transaction(store, mode);
      const asked = request(transaction.objectStore(store));
      await answered(finished(transaction), this.hasAnswered ? ANSWER_LIMIT_MS : FIRST_ANSWER_LIMIT_MS);
      this.hasAnswered = true;
      return asked.result;
    } catch (error) {
      this.giveUp(error);
      return undefined;
    }
  }

  /** Reports a failure. A database that does not answer is not asked again: what it holds is left as it is. */
  private giveUp(error: unknown): void {
    if (error instanceof NoAnswerError) this.opened = Promise.resolve(undefined);
    this.report(error);
  }

  private async open(): Promise<IDBDatabase | undefined> {
    try {
      return await answered(openDatabase(), OPEN_LIMIT_MS);
    } catch (error) {
      this.report(error);
      return undefined;
    }
  }

  private report(error: unknown): void {
    if (this.problem !== undefined) return;
    const full = error instanceof DOMException && error.name === 'QuotaExceededError';
    this.problem = full
      ? 'The storage of this browser is full: what you write now is lost when the page is closed. Save it as a file.'
      : 'This browser keeps nothing for this page: what you write is lost when it is closed. Save it as a file.';
    this.changes.emit('problem');
  }
}

function openDatabase(): Promise<IDBDatabase> {
  return new Promise((done, fail) => {
    const request = indexedDB.open(DATABASE, VERSION);
    request.onupgradeneeded = () => {
      for (const store of STORES)
        if (!request.result.objectStoreNames.contains(store))
          request.result.createObjectStore(store, { keyPath: 'id' });
    };
    request.onerror = () => fail(request.error ?? new Error('the database did not open'));
    request.onsuccess = () => {
      // A newer page in another tab may change the database: this one lets go.
      request.result.onversionchange = () => request.result.close();
      done(request.result);
    };
  });
}

function finished(transaction: IDBTransaction): Promise<void> {
  return new Promise((done, fail) => {
    transaction.oncomplete = () => done();
    transaction.onabort = () => fail(transaction.error ?? new Error('the transaction was aborted'));
    transaction.onerror = () => fail(transaction.error ?? new Error('the transaction failed'));
  });
}
