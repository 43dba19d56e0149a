/** Errors of the file system as PersistenceErrors, which name the file and say what to do. */
import { isPersistenceError, PersistenceError, type PersistenceCode } from '../errors.js';

/** How to read a folder that cannot be written. */
const READ = 'or read it with readOnly: true';

/** Kind, reason and advice by the system's code. */
const CODES: Readonly<Record<string, readonly [PersistenceCode, string, string?]>> = {
  ENOSPC: ['FULL', 'the disk is full', `free space, ${READ}`],
  EDQUOT: ['FULL', 'the disk quota is used up', `free space, ${READ}`],
  EFBIG: ['FULL', 'the file would exceed the largest size that the system allows'],
  EROFS: ['READ_ONLY', 'the file system is read-only', `choose another folder, ${READ}`],
  EACCES: ['READ_ONLY', 'permission denied', `the folder must be readable and writable for this user, ${READ}`],
  EPERM: ['READ_ONLY', 'operation not permitted', `the folder must be readable and writable for this user, ${READ}`],
  ENOENT: ['FAILED', 'no such file or folder', 'the parent of the folder must exist'],
  ENOTDIR: ['FAILED', 'not a folder'],
};

/** Translates an error of the file system. */
export function fileError(error: unknown, file: string): PersistenceError {
  if (isPersistenceError(error)) return error;
  const known = CODES[codeOf(error)];
  if (known === undefined) {
    const text = error instanceof Error ? error.message : String(error);
    return new PersistenceError('FAILED', `${file}: ${text}`, { file, cause: error, reason: systemReason(text) });
  }
  const [code, reason, advice] = known;
  const hint = advice === undefined ? reason : `${reason}; ${advice}`;
  return new PersistenceError(code, `${file}: ${hint}`, { file, cause: error, reason });
}

/** The words of the system in a message of Node, such as `EIO: i/o error, write`. What follows may be a path. */
function systemReason(message: string): string | undefined {
  return /^E[A-Z0-9]+: ([^,'"]+),/.exec(message)?.[1];
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
