/** Requests and transactions of IndexedDB as promises, and their failures as PersistenceError. */
import { PersistenceError } from './errors.js';
import type { Durability } from './options.js';
import { later } from './time.js';

/** A request to open a database. */
export interface Opening {
  readonly name: string;
  readonly version: number;
  /** Time for the answer: some browsers never give one. */
  readonly limitMs: number;
  /** Creates the object stores, or aborts the transaction. */
  readonly upgrade: (db: IDBDatabase, creation: IDBTransaction) => void;
}

/** Opens a database. Rejects with the error of the creation if that failed, as when a quota is used up. */
export function openDatabase(factory: IDBFactory, { name, version, limitMs, upgrade }: Opening): Promise<IDBDatabase> {
  let creation: IDBTransaction | null = null;
  let isBlocked = false;
  const request = factory.open(name, version);
  request.onblocked = () => {
    isBlocked = true;
  };
  request.onupgradeneeded = () => {
    creation = request.transaction;
    if (creation !== null) upgrade(request.result, creation);
  };
  return new Promise((resolve, reject) => {
    const timer = later(limitMs, () => giveUp(request, isBlocked, limitMs, reject), true);
    request.onsuccess = () => {
      timer.cancel();
      resolve(request.result);
    };
    request.onerror = () => {
      timer.cancel();
      reject(creation?.error ?? request.error);
    };
  });
}

/** Closes a database that is opened too late. */
function giveUp(
  request: IDBOpenDBRequest,
  isBlocked: boolean,
  limitMs: number,
  reject: (error: unknown) => void,
): void {
  request.onupgradeneeded = () => request.transaction?.abort();
  request.onsuccess = () => request.result.close();
  request.onerror = null;
  const reason = isBlocked ? 'another page keeps an older version open' : 'the browser does not answer';
  reject(new DOMException(`not opened within ${limitMs} ms: ${reason}; reload the page`, 'TimeoutError'));
}

/** The result of a request. */
export function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** Resolves when a transaction is complete, which is when its changes survive the end of the page. */
export function completionOf(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () =>
      reject(transaction.error ?? new DOMException('the transaction was aborted', 'AbortError'));
  });
}

/** Starts a transaction that writes. */
export function writing(db: IDBDatabase, stores: readonly string[], durability: Durability): IDBTransaction {
  return db.transaction([...stores], 'readwrite', { durability });
}

/** Commits without waiting for the requests' events, where the browser can. */
export function commit(transaction: IDBTransaction): Promise<void> {
  const done = completionOf(transaction);
  transaction.commit?.();
  return done;
}

/** Whether a connection no longer accepts transactions. */
export function isClosedError(error: unknown): boolean {
  return (error as { readonly name?: string } | null)?.name === 'InvalidStateError';
}

/** Whether an error may come from a connection that the browser has closed. */
export function isBrokenError(error: unknown): boolean {
  return isClosedError(error) || BROKEN.includes((error as { readonly name?: string } | null)?.name ?? '');
}

const BROKEN: readonly string[] = ['UnknownError', 'AbortError'];

const QUOTA =
  'the storage quota of this site is used up: delete data, or ask for more with navigator.storage.persist() ' +
  'after a click; nothing that was flushed is lost';

/** A failure of IndexedDB in the words of stores. */
export function storageFailure(title: string, error: unknown): PersistenceError {
  if (error instanceof PersistenceError) return error;
  const { name, message } = (error ?? {}) as { readonly name?: string; readonly message?: string };
  const options = { cause: error };
  if (name === 'QuotaExceededError') return new PersistenceError('QUOTA', `${title}: ${QUOTA}`, options);
  if (name === 'VersionError')
    return new PersistenceError('NEWER_VERSION', `${title}: ${newer('a newer version of keylatch')}`, options);
  if (name === 'SecurityError')
    return new PersistenceError('UNSUPPORTED', `${title}: this page may not store data: ${message}`, options);
  return new PersistenceError('FAILED', `${title}: ${name ?? 'error'}: ${message ?? String(error)}`, options);
}

/** Sentence about a store of another version. */
export function newer(writer: string): string {
  return `${writer} wrote it: reload the page to get the newer program, or update keylatch; nothing was changed`;
}
