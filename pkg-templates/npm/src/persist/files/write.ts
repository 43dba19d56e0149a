/** Files and folders, written so that a crash leaves the old contents or the new. */
import { closeSync, fsyncSync, mkdirSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { open as openFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf, fileError } from './file-error.js';

/** Makes a folder if it is missing. */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw fileError(error, path);
  }
}

/** Deletes a file that nothing reads any more. */
export function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // A file that cannot be deleted takes space only.
  }
}

/** Writes a small file and forces it to the medium. */
export function writeSynced(path: string, contents: string): void {
  const fd = openSync(path, 'w');
  try {
    writeSync(fd, contents);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Writes a file under another name, forces it to the medium, and gives it its name. */
export async function writeRenamed(path: string, bytes: Uint8Array): Promise<void> {
  const draft = join(dirname(path), `temp-${process.pid}.rdb`);
  try {
    const file = await openFile(draft, 'w');
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    remove(draft);
    throw fileError(error, path);
  }
  syncFolder(dirname(path));
}

/** Forces names in a folder to the medium. Some systems cannot. */
export function syncFolder(path: string): void {
  try {
    const fd = openSync(path, 'r');
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (!['EPERM', 'EISDIR', 'EINVAL', 'EACCES', 'ENOTSUP'].includes(codeOf(error))) throw fileError(error, path);
  }
}
