/** Errors of the file system as PersistenceErrors, which name the file and say what to do. */
import { isPersistenceError, PersistenceError, type PersistenceCode } from '../errors.js';

const CODES: Readonly<Record<string, readonly [PersistenceCode, string]>> = {
  ENOSPC: ['FULL', 'the disk is full; free space, and writing goes on by itself'],
  EDQUOT: ['FULL', 'the disk quota is used up; free space, and writing goes on by itself'],
  EFBIG: ['FULL', 'the file would exceed the largest size that the system allows'],
  EROFS: ['READ_ONLY', 'the file system is read-only; choose another folder'],
  EACCES: ['READ_ONLY', 'permission denied; the folder must be readable and writable for this user'],
  EPERM: ['READ_ONLY', 'operation not permitted; the folder must be readable and writable for this user'],
  ENOENT: ['FAILED', 'no such file or folder; the parent of the folder must exist'],
  ENOTDIR: ['FAILED', 'not a folder'],
};

/** Translates an error of the file system. */
export function fileError(error: unknown, file: string): PersistenceError {
  if (isPersistenceError(error)) return error;
  const [code, hint] = CODES[codeOf(error)] ?? ['FAILED', error instanceof Error ? error.message : String(error)];
  return new PersistenceError(code, `${file}: ${hint}`, { file, cause: error });
}

/** The system's code of an error, such as ENOENT; '' without one. */
export function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException | null)?.code ?? '');
}

/** Runs work on a file; its errors name the file. */
export function onFile<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw fileError(error, file);
  }
}

/** Damage of a file at an offset. */
export function damaged(file: string, offset: number, reason: string): PersistenceError {
  const message = `${file}, byte ${offset}: ${reason}; see keylatch check --help`;
  return new PersistenceError('DAMAGED', message, { file, offset });
}
