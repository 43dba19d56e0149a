/** `keylatch check`: says what a folder or file holds, where it is damaged, and cuts off a torn end. */
import { statSync, truncateSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Keylatch } from '../db/built-in.js';
import { isPersistenceError, PersistenceError } from '../persist/errors.js';
import { onFile } from '../persist/files/file-error.js';
import { lockFolder } from '../persist/files/lock.js';
import type { Skipped } from '../db/skipped.js';
import {
  databasesOf,
  dataFilesOf,
  examine,
  loaded,
  type DataFiles,
  type Examined,
  type LoadedData,
} from './data-files.js';
import { printOut } from './output.js';
import { CallerTypeError } from '../base/caller-errors.js';

export const CHECK_USAGE = `keylatch check PATH [--fix]    checks a folder of data, or one file: a snapshot (RDB) or a log (AOF)
  --fix    cuts off a torn end: a write that was interrupted. Other damage is reported only.
Prints each file with its state, then the keys of each database, and keys of types that keylatch lacks. Exits with
0 if everything is sound or was repaired, with 1 if there is damage, with 2 if a file cannot be read, with 3 if the
files are sound and hold types that are not supported.`;

const SOUND = 0;
const DAMAGED = 1;
/** 2 stands for files that cannot be read. */
const UNSUPPORTED = 3;

/** Keys of types that are not supported, as far as they are listed. */
const LISTED_MAX = 10;

/** Place from which a file is torn or damaged. */
interface Finding {
  readonly examined: Examined;
  readonly offset: number;
  readonly reason: string;
  /** True if cutting loses nothing that was written whole. */
  readonly isTorn: boolean;
}

/** Checks a path. Returns the exit code. */
export async function check(words: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...words],
    options: { fix: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
  });
  if (values.help) {
    printOut(CHECK_USAGE);
    return SOUND;
  }
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0) throw new CallerTypeError('check takes one PATH');
  try {
    return await checkPath(path, values.fix === true);
  } catch (error) {
    if (!isPersistenceError(error) || error.code !== 'DAMAGED') throw error;
    return reportFailure(error);
  }
}

async function checkPath(path: string, mustFix: boolean): Promise<number> {
  const files = dataFilesOf(path);
  const examined = files.paths.map(examine);
  const findings = examined.flatMap((one, index) => findingOf(one, index === examined.length - 1) ?? []);
  for (const one of examined) printOut(`${one.path}: ${described(one)}`);
  for (const finding of findings) report(finding);
  if (findings.some(({ isTorn }) => !isTorn)) return DAMAGED;
  if (findings.length > 0 && !mustFix) {
    printOut('run keylatch check --fix to cut it off');
    return DAMAGED;
  }
  for (const finding of findings) await cut(files, finding);
  return checkContents(files);
}

function described({ bytes, snapshotEnd, scan }: Examined): string {
  if (bytes === 0) return 'empty';
  const parts: string[] = [];
  if (snapshotEnd !== 0) parts.push(snapshotEnd === undefined ? 'a snapshot that ends nowhere' : 'snapshot');
  if (scan !== undefined) parts.push(`log with ${counted(scan.ends.length, 'piece')}`);
  return `${parts.join(', ')}, ${counted(bytes, 'byte')}`;
}

function findingOf(examined: Examined, isLast: boolean): Finding | undefined {
  const { scan, bytes } = examined;
  if (scan === undefined) return undefined;
  const { damage, wholeBytes } = scan;
  if (damage !== undefined)
    return { examined, offset: damage.offset, reason: damage.reason, isTorn: damage.isTail && isLast };
  if (wholeBytes === bytes) return undefined;
  const reason = isLast ? 'the last write is not complete' : 'ends within a command, and another file follows';
  return { examined, offset: wholeBytes, reason, isTorn: isLast };
}

function report({ examined: { path, bytes }, offset, reason, isTorn }: Finding): void {
  const kind = isTorn ? 'torn end' : 'DAMAGED';
  printOut(`${path}, byte ${offset}: ${kind}: ${reason} (${counted(bytes - offset, 'byte')} from there on)`);
}

async function cut(files: DataFiles, { examined: { path, bytes }, offset }: Finding): Promise<void> {
  const release = await lockFolder(files.folder);
  try {
    onFile(path, () => {
      if (statSync(path).size !== bytes)
        throw new PersistenceError('IN_USE', `${path}: the file changed while it was checked; check it again`);
      truncateSync(path, offset);
    });
  } finally {
    release();
  }
  printOut(`${path}: cut off ${counted(bytes - offset, 'byte')}`);
}

/** Prints a refusal. Returns the exit code. */
function reportFailure({ code, message }: PersistenceError): number {
  const text = message.replace(/; (?:nothing was changed|see keylatch check --help)$/, '');
  printOut(`${code === 'UNSUPPORTED' ? 'NOT SUPPORTED' : 'DAMAGED'}: ${text}`);
  return code === 'UNSUPPORTED' ? UNSUPPORTED : DAMAGED;
}

/** Loads everything, which checks snapshots too, and counts. */
function checkContents(files: DataFiles): number {
  let data: LoadedData;
  try {
    data = loaded(files, { skip: 'unsupported' });
  } catch (error) {
    return reportFailure(error as PersistenceError);
  }
  const { db, skipped } = data;
  const databases = databasesOf(db);
  for (const number of databases) printOut(summary(db, number));
  if (databases.length === 0) printOut('no keys');
  const [, memory] = /^used_memory_human:(.*?)\r?$/m.exec(String(db.call('INFO', 'memory'))) ?? [];
  printOut(`sound; ${memory ?? 'unknown'} of memory in an engine`);
  if (skipped.count === 0) return SOUND;
  reportSkipped(skipped);
  return UNSUPPORTED;
}

function reportSkipped({ count, types, keys }: Skipped): void {
  const kinds = Object.entries(types).map(([type, number]) => `${number} ${type}`);
  printOut(`not supported: ${counted(count, 'value or command', 'values and commands')}: ${kinds.join(', ')}`);
  for (const { key, db, type, offset, file } of keys.slice(0, LISTED_MAX))
    printOut(`${file}, byte ${offset}: ${key === null ? 'no key' : `key ${JSON.stringify(key)}`}, db${db}, ${type}`);
  if (keys.length > LISTED_MAX) printOut(`and more, of which these are the first ${LISTED_MAX}`);
  printOut('keylatch dump --skip unsupported prints the other keys; open() reads them with readOnly and skip');
}

function summary(db: Keylatch, number: number): string {
  const counts = new Map<string, number>();
  let [keys, dated] = [0, 0];
  let cursor = '0';
  do {
    const page = db.inspectPage({ cursor, db: number, limit: 1000, buffer: true });
    for (const { type, deadlineMs } of page.keys) {
      counts.set(type, (counts.get(type) ?? 0) + 1);
      keys += 1;
      if (deadlineMs !== null) dated += 1;
    }
    cursor = page.cursor;
  } while (cursor !== '0');
  const types = [...counts].sort().map(([type, count]) => `${count} ${type}`);
  return `db${number}: ${counted(keys, 'key')}, ${dated} with expiry: ${types.join(', ')}`;
}

function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}
