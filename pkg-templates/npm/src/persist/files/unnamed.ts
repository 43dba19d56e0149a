/**
 * Files beside those that a manifest names. A killed process leaves drafts, empty logs, bases and replaced files; a newer log
 * with data means that the manifest lost its name.
 */
import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { codeOf, damaged, fileError } from './file-error.js';
import type { Manifest } from './manifest.js';
import { isRunning } from './processes.js';
import { DRAFT_PREFIX, remove } from './write.js';

/** Names of drafts with the id of the process that writes them: of redis-server and of older versions. */
const DRAFT_OF_PROCESS = /^temp-(?:rewriteaof-(?:bg-)?)?(\d{1,10})\.(?:rdb|aof)$/;

/** Time in which a server that saves writes to its draft. */
const WRITTEN_WITHIN_MS = 60_000;

/** True for the name of a file that is being written. */
export function isDraft(name: string): boolean {
  return name.startsWith('temp-');
}

/** Names of the files of a folder that hold data, drafts left out. */
export function dataIn(folder: string): string[] {
  return namesIn(folder).filter((name) => {
    if (isDraft(name) || !/\.(aof|rdb)$/.test(name)) return false;
    const status = statSync(join(folder, name), { throwIfNoEntry: false });
    return status?.isFile() === true && status.size > 0;
  });
}

/** @throws PersistenceError if data stands beside the manifest that it does not account for. */
export function refuseUnnamed(path: string, { base, logs, history }: Manifest): void {
  const folder = dirname(path);
  const data = dataIn(folder);
  const end = statSync(path).size;
  if (base === undefined && logs.length === 0) {
    const ignored = data[0] ?? dataIn(dirname(folder))[0];
    if (ignored !== undefined) throw damaged(path, end, `no file is named, but ${ignored} holds data`);
    return;
  }
  const named = new Set([...logs.map(({ name }) => name), ...history]);
  const stem = basename(path, '.manifest');
  // Logs in front of the first one that is named were replaced.
  const first = logs[0]?.seq ?? 0;
  const lost = data.find((name) => !named.has(name) && seqOfLog(name, stem) >= first);
  if (lost !== undefined) throw damaged(path, end, `the log ${lost} holds data, but is not named`);
}

/** Sequence number of a log; -1 for other files. */
function seqOfLog(name: string, stem: string): number {
  const [, seq] = /^\.(\d{1,15})\.incr\.aof$/.exec(name.slice(stem.length)) ?? [];
  return name.startsWith(stem) && seq !== undefined ? Number(seq) : -1;
}

/** Deletes drafts that no process writes any more. The caller holds the lock, so drafts of keylatch have no live owner. */
export function removeDrafts(...folders: readonly string[]): void {
  for (const folder of folders)
    for (const name of namesIn(folder))
      if (name.startsWith(DRAFT_PREFIX) || isLeftByProcess(folder, name)) remove(join(folder, name));
}

/** Whether a process left a draft that no one has written for a while: in another container its id may mean another process. */
function isLeftByProcess(folder: string, name: string): boolean {
  const [, pid] = DRAFT_OF_PROCESS.exec(name) ?? [];
  if (pid === undefined || isRunning(Number(pid))) return false;
  const status = statSync(join(folder, name), { throwIfNoEntry: false });
  return status !== undefined && Date.now() - status.mtimeMs > WRITTEN_WITHIN_MS;
}

/** Names in a folder; none if there is no such folder. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw fileError(error, folder);
  }
}
