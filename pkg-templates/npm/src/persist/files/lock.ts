/**
 * The lock of a folder: a file that names its owner, and a socket on which the owner listens. A dead process does not keep
 * it. It holds among the processes of one machine, in containers too.
 */
import { randomBytes } from 'node:crypto';
import { constants, copyFileSync, existsSync, linkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PersistenceError } from '../errors.js';
import { crc32 } from './crc.js';
import { codeOf, fileError, onFile } from './file-error.js';
import { liveOwner, ownOwner, parseOwner } from './lock-owner.js';
import { isListening, isSocketName, listenIn, type LockSocket } from './lock-socket.js';
import { readIfThere } from './processes.js';
import { namesIn } from './unnamed.js';
import { remove } from './write.js';

/** Name of the lock in its folder. */
export const LOCK_NAME = 'keylatch.lock';

/** Names of files that exist while a lock is acquired. */
const TRANSIENT = /^keylatch\.lock\.(?:draft|takeover)-/;

/** Function that releases the lock, without waiting. */
export type Release = () => void;

/** Locks a folder. @throws PersistenceError that names a live owner. */
export async function lockFolder(folder: string): Promise<Release> {
  for (;;) {
    const release = await attempt(folder);
    if (release !== undefined) return release;
  }
}

/**
 * Undefined if the socket is gone: a process that had the lock before took it for one of a dead process while it was made.
 * The lock counts as dead then, and the next attempt removes it.
 */
async function attempt(folder: string): Promise<Release | undefined> {
  const id = randomBytes(8).toString('hex');
  const socket = await listenIn(folder, id);
  const path = join(folder, LOCK_NAME);
  const draft = `${path}.draft-${id}`;
  const own = JSON.stringify(ownOwner(id, socket?.name));
  const release = (): void => {
    // The lock goes first: without its socket it would be a dead one.
    if (readIfThere(path) === own) remove(path);
    socket?.close();
  };
  try {
    onFile(folder, () => writeFileSync(draft, own));
    // A link appears with its contents, and only if there is none: no other process ever reads half a lock.
    while (!linked(draft, path)) await removeDead(folder, path, draft);
    if (socket !== undefined && !existsSync(join(folder, socket.name))) return void socket.close();
    await removeRemains(folder, own, socket);
    return release;
  } catch (error) {
    release();
    throw error;
  } finally {
    remove(draft);
  }
}

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    return copied(from, to);
  }
}

/** For file systems without links. */
function copied(from: string, to: string): boolean {
  try {
    copyFileSync(from, to, constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw fileError(error, to);
  }
}

/**
 * Removes the lock of a dead owner. Only the process that has the guard may do so. A guard is a lock of its own for these
 * contents, which never come back: a late one removes nothing.
 */
async function removeDead(folder: string, path: string, draft: string): Promise<void> {
  const text = readIfThere(path);
  if (text === undefined) return;
  const by = await liveOwner(folder, text);
  if (by !== undefined) throw inUse(folder, path, by);
  const guard = join(folder, `${LOCK_NAME}.takeover-${crc32(text).toString(16)}`);
  if (!linked(draft, guard)) return removeDead(folder, guard, draft);
  if (readIfThere(path) === text) remove(path);
  remove(guard);
}

function inUse(folder: string, path: string, by: string): PersistenceError {
  const message =
    `directory ${folder} is in use by ${by}: close it there first` +
    `, or delete ${path} if you are certain that no process uses it`;
  return new PersistenceError('IN_USE', message, { file: path });
}

/** Deletes what killed processes left behind while they locked the folder. Files of live ones stay. */
async function removeRemains(folder: string, own: string, socket: LockSocket | undefined): Promise<void> {
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    const text = TRANSIENT.test(name) ? readIfThere(path) : undefined;
    const isDeadFile =
      text !== undefined &&
      text !== own &&
      parseOwner(text) !== undefined &&
      (await liveOwner(folder, text)) === undefined;
    const isDeadSocket = isSocketName(name) && name !== socket?.name && !(await isListening(folder, name));
    if (isDeadFile || isDeadSocket) remove(path);
  }
}
