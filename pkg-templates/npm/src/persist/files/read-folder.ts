/**
 * Reads a folder without a lock and without writing to it. Its owner may replace the manifest and the files meanwhile, so
 * a failure counts only if a second look finds it again.
 */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { PersistenceError } from '../errors.js';
import type { Stored } from '../store.js';
import { later } from '../time.js';
import { readContents, type Contents } from './contents.js';
import { codeOf, fileError } from './file-error.js';

const ATTEMPTS_MAX = 10;
/** Pause before the second look; later ones take longer. */
const PAUSE_MS = 5;

/** Reads a folder that may be in use. A torn end is left out: an owner may be writing it. */
export async function readFolder(dir: string): Promise<Stored> {
  const folder = resolve(dir);
  let before: string | undefined;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return storedOf(contentsOf(folder));
    } catch (error) {
      const failure = readError(error, folder);
      const isConfirmed = failure.code === 'DAMAGED' && failure.message === before;
      if (isConfirmed || attempt === ATTEMPTS_MAX || !mayPass(failure)) throw failure;
      before = failure.message;
      await new Promise<void>((pass) => later(attempt * PAUSE_MS, pass, true));
    }
  }
}

function contentsOf(folder: string): Contents {
  // A folder that is missing is not an empty one.
  if (statSync(folder, { throwIfNoEntry: false }) === undefined)
    throw new PersistenceError('FAILED', `${folder}: no such folder; readOnly creates none`, { file: folder });
  return readContents(folder);
}

function storedOf({ snapshot, parts, torn, loggedMs, seed, locate }: Contents): Stored {
  const pieces = parts.map(({ bytes }) => bytes);
  return { snapshot, pieces, loggedMs, seed, repairedBytes: torn?.tornBytes ?? 0, locate };
}

/** A file that was deleted between two reads, and damage, may be gone at the next look. */
function mayPass({ code, cause }: PersistenceError): boolean {
  return code === 'DAMAGED' || codeOf(cause) === 'ENOENT';
}

/** The advice for folders that cannot be written does not help here. */
function readError(error: unknown, folder: string): PersistenceError {
  const failure = fileError(error, folder);
  if (failure.code !== 'READ_ONLY') return failure;
  const { file, reason, cause } = failure;
  const message = `${file}: ${reason}; the folder and its files must be readable for this user`;
  return new PersistenceError('FAILED', message, { file, reason, cause });
}
