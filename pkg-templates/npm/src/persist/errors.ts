/** The error of stores and their contents. */
import { fromCaller } from '../base/stack.js';
import { shareClass } from '../base/shared-classes.js';

/** Kinds of failures of a store. */
export type PersistenceCode =
  /** Another process, tab or engine has the store open. */
  | 'IN_USE'
  /** A newer version wrote the store. */
  | 'NEWER_VERSION'
  /** The contents are damaged. */
  | 'DAMAGED'
  /** The storage quota of the origin is exhausted. */
  | 'QUOTA'
  /** The store cannot be written: permissions, or a read-only medium. */
  | 'READ_ONLY'
  /** The medium is full. */
  | 'FULL'
  /** The store is gone: deleted, or taken over. */
  | 'LOST'
  /** The platform or this version cannot do what was asked. */
  | 'UNSUPPORTED'
  /** Any other failure of the medium; the cause is the platform's error. */
  | 'FAILED';

/** Details of a PersistenceError. */
export interface PersistenceErrorOptions extends ErrorOptions {
  /** File of the damage or failure. */
  readonly file?: string | undefined;
  /** Bytes before the damage. */
  readonly offset?: number | undefined;
  /** The reason without paths, for clients of a server. */
  readonly reason?: string | undefined;
}

/** A store that cannot be opened, read or written. The message says what to do. */
export class PersistenceError extends Error {
  /** @internal */
  static readonly isShared: boolean = /* @__PURE__ */ shareClass(this, 'PersistenceError');
  /** `PersistenceError`. */
  override readonly name = 'PersistenceError';
  /** Kind of the failure. */
  readonly code: PersistenceCode;
  /** File of the damage or failure, if it is known. */
  readonly file: string | undefined;
  /** Bytes before the damage, if they are known. */
  readonly offset: number | undefined;
  /** The reason without paths, for clients of a server; undefined if there is none. */
  readonly reason: string | undefined;

  constructor(code: PersistenceCode, message: string, options: PersistenceErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.file = options.file;
    this.offset = options.offset;
    this.reason = options.reason;
    fromCaller(this);
  }
}

const REASONS: Readonly<Partial<Record<PersistenceCode, string>>> = {
  FULL: 'the disk is full',
  QUOTA: 'the storage quota is exhausted',
  READ_ONLY: 'the store cannot be written',
  LOST: 'the store is gone',
};

/** @internal The reason of a failure for clients: messages name files of the server, and are for its log. */
export function reasonOf(error: unknown): string {
  const { reason, code } = isPersistenceError(error) ? error : {};
  return reason ?? (code && REASONS[code]) ?? 'writing to the store failed';
}

/** @internal A PersistenceError for a failure of a store's method. */
export function failureOf(error: unknown, title: string): PersistenceError {
  if (isPersistenceError(error)) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new PersistenceError('FAILED', `${title}: ${reason}`, { cause: error });
}

/** @internal The error of a call that could not write its change, for the failure of the store if there is one. */
export function unwritten(title: string, failure: PersistenceError | undefined): PersistenceError {
  const { code, file, message } =
    failure ?? new PersistenceError('FAILED', `${title}: the state is written anew; await flush()`);
  const reason = `${message}; this change is in memory, not on the medium`;
  return new PersistenceError(code, reason, { file, cause: failure });
}

/** @internal Compared by name: another entry of the package may have made the error. */
export function isPersistenceError(error: unknown): error is PersistenceError {
  return (error as { readonly name?: unknown } | null)?.name === 'PersistenceError';
}
