/** Requests and transactions of IndexedDB as promises, and their failures as PersistenceError. */
import { PersistenceError } from './errors.js';
import type { Durability } from './options.js';

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
    transaction.onabort = () => reject(transaction.error ?? new Error('the transaction was aborted'));
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
  if (name === 'InvalidStateError')
    return new PersistenceError('LOST', `${title}: the connection is closed; open it again`, options);
  if (name === 'SecurityError')
    return new PersistenceError('UNSUPPORTED', `${title}: this page may not store data: ${message}`, options);
  return new PersistenceError('FAILED', `${title}: ${name ?? 'error'}: ${message ?? String(error)}`, options);
}

/** Sentence about a store of another version. */
export function newer(writer: string): string {
  return `${writer} wrote it: reload the page to get the newer program, or update keylatch; nothing was changed`;
}
