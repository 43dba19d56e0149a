/** Files and folders, written so that a crash leaves the old contents or the new. */
import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { open as openFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf, fileError } from './file-error.js';

/** Beginning of the names of drafts: files that are written before they get their name. */
export const DRAFT_PREFIX = 'temp-keylatch-';

/** Makes a folder if it is missing, and forces its name to the medium. */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return;
    throw fileError(error, path);
  }
  syncFolder(dirname(path));
}

/** Deletes a file that nothing reads any more. */
export function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // A file that cannot be deleted takes space only.
  }
}

/** Writes a small new file and forces it to the medium. */
export function writeSynced(path: string, contents: string): void {
  const fd = openSync(path, 'wx');
  try {
    const bytes = Buffer.from(contents);
    for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Name of a draft: no other save has it, in this process or another. `kind` is the ending of its file. */
export function draftName(kind: 'rdb' | 'manifest'): string {
  return `${DRAFT_PREFIX}${randomUUID().slice(0, 13)}.${kind}`;
}

/** Writes a file under a name of its own, forces it to the medium, and gives it its name. */
export async function writeRenamed(path: string, bytes: Uint8Array): Promise<void> {
  const draft = join(dirname(path), draftName('rdb'));
  try {
    const file = await openFile(draft, 'wx');
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
