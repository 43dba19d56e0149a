/**
 * The lock of a folder: a file with process id, start time of the process and boot id of the system. A dead process does
 * not keep it. It holds among processes of one system that see each other's ids.
 */
import { constants, copyFileSync, linkSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { PersistenceError } from '../errors.js';
import { codeOf, fileError, onFile } from './file-error.js';

/** Name of the lock in its folder. */
export const LOCK_NAME = 'keylatch.lock';

/** A process. */
interface Owner {
  readonly pid: number;
  /** Start of the process, in ticks since boot; null where the system does not tell. */
  readonly started: string | null;
  readonly boot: string | null;
  readonly host: string;
}

/** Function that releases the lock. */
export type Release = () => void;

let count = 0;

/** Locks a folder. @throws PersistenceError that names a live owner. */
export function lockFolder(folder: string): Release {
  const path = join(folder, LOCK_NAME);
  const own = JSON.stringify(owner(process.pid));
  const draft = `${path}.${process.pid}.${(count += 1)}`;
  onFile(folder, () => writeFileSync(draft, own));
  try {
    // A link appears with its contents, and only if there is none: no other process ever reads half a lock.
    while (!linked(draft, path)) takeOver(folder, path, draft);
    return () => {
      if (readIfThere(path) === own) remove(path);
    };
  } finally {
    remove(draft);
  }
}

function owner(pid: number): Owner {
  return { pid, started: startOf(pid), boot: bootId(), host: hostname() };
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

/** Removes the lock of a dead process. A second lock lets one process at a time do so. */
function takeOver(folder: string, path: string, draft: string): void {
  refuseAlive(folder, path);
  const guard = `${path}.takeover`;
  if (!linked(draft, guard)) {
    refuseAlive(folder, guard);
    // Its owner died within these few lines.
    remove(guard);
    return;
  }
  try {
    refuseAlive(folder, path);
    renameSync(path, `${draft}.dead`);
    remove(`${draft}.dead`);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  } finally {
    remove(guard);
  }
}

function refuseAlive(folder: string, path: string): void {
  const text = readIfThere(path);
  if (text === undefined) return;
  const found = parse(text);
  if (found === undefined) throw inUse(folder, path, 'an unknown process (the lock cannot be read)');
  if (found.host !== hostname() && found.boot !== bootId())
    throw inUse(folder, path, `process ${found.pid} on ${found.host}, another machine`);
  if (isAlive(found)) throw inUse(folder, path, found.pid === process.pid ? 'this process' : `process ${found.pid}`);
}

function inUse(folder: string, path: string, by: string): PersistenceError {
  const message =
    `directory ${folder} is in use by ${by}: close it there first` +
    `, or delete ${path} if you are certain that no process uses it`;
  return new PersistenceError('IN_USE', message, { file: path });
}

function parse(text: string): Owner | undefined {
  try {
    const found = JSON.parse(text) as Owner;
    return Number.isSafeInteger(found?.pid) ? found : undefined;
  } catch {
    return undefined;
  }
}

/** A process id alone may belong to another process since, or to one before the last boot. */
function isAlive({ pid, started, boot }: Owner): boolean {
  if (boot !== null && bootId() !== null && boot !== bootId()) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: another user's process.
    if (codeOf(error) === 'ESRCH') return false;
  }
  const now = startOf(pid);
  return now !== DEAD && (started === null || now === null || started === now);
}

/** Start of a process that has ended and that its parent has not noticed. */
const DEAD = 'dead';

/** Field 22 of the process' status; its name, field 2, may contain anything but ends with the last parenthesis. */
function startOf(pid: number): string | null {
  const status = readIfThere(`/proc/${pid}/stat`);
  if (status === undefined) return null;
  const fields = status.slice(status.lastIndexOf(')') + 2).split(' ');
  return /^[ZX]/.test(fields[0] ?? '') ? DEAD : (fields[19] ?? null);
}

function bootId(): string | null {
  return readIfThere('/proc/sys/kernel/random/boot_id')?.trim() ?? null;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Gone already, or the folder cannot be written any more.
  }
}
