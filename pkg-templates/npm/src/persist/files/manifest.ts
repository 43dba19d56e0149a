/**
 * The manifest of an append-only file of Redis 7: a base, which is a snapshot, and the logs after it. Lines that begin
 * with `#` are ignored by Redis; the last one holds the engine's seed and a checksum of the lines before it.
 */
import { PersistenceError } from '../errors.js';
import { crc32 } from './crc.js';
import { seedOf } from './rdb-head.js';

/** A manifest. Names are relative to its folder. */
export interface Manifest {
  readonly base: ManifestFile | undefined;
  /** Logs, in order. */
  readonly logs: readonly ManifestFile[];
  /** Files that were replaced and may be deleted. */
  readonly history: readonly string[];
  readonly seed: bigint | null;
}

/** A file of a manifest. */
export interface ManifestFile {
  readonly name: string;
  readonly seq: number;
}

const TRAILER = /^# keylatch crc ([0-9a-f]{8})(?: seed (\d+))?$/;

export function formatManifest({ base, logs, seed }: Omit<Manifest, 'history'>): string {
  const line = ({ name, seq }: ManifestFile, type: string) => `file ${quoted(name)} seq ${seq} type ${type}\n`;
  const files = [...(base === undefined ? [] : [line(base, 'b')]), ...logs.map((log) => line(log, 'i'))];
  const text = files.join('');
  return `${text}# keylatch crc ${checksum(text)}${seed === null ? '' : ` seed ${seed}`}\n`;
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}

/** @throws PersistenceError with the line that cannot be read. */
export function parseManifest(text: string, file: string): Manifest {
  let base: ManifestFile | undefined;
  let seed: bigint | null = null;
  const logs: ManifestFile[] = [];
  const history: string[] = [];
  let offset = 0;
  for (const line of text.split('\n')) {
    const [, crc, digits] = TRAILER.exec(line) ?? [];
    if (crc !== undefined && crc !== checksum(text.slice(0, text.lastIndexOf(line))))
      throw new PersistenceError('DAMAGED', `${file}, byte ${offset}: the checksum does not fit`, { file, offset });
    if (digits !== undefined) seed = seedOf(digits);
    if (line.trim() !== '' && !line.startsWith('#')) {
      const entry = parseLine(line);
      if (entry === undefined || (entry.type === 'b' && base !== undefined))
        throw new PersistenceError('DAMAGED', `${file}, byte ${offset}: not a line of a manifest: ${line}`, {
          file,
          offset,
        });
      if (entry.type === 'b') base = entry;
      else if (entry.type === 'i') logs.push(entry);
      else history.push(entry.name);
    }
    offset += Buffer.byteLength(line) + 1;
  }
  return { base, logs: logs.sort((one, other) => one.seq - other.seq), history, seed };
}

function parseLine(line: string): (ManifestFile & { readonly type: string }) | undefined {
  const words = wordsOf(line);
  if (words === undefined || words.length % 2 !== 0) return undefined;
  const pairs = new Map<string, string>();
  for (let index = 0; index < words.length; index += 2)
    pairs.set((words[index] as string).toLowerCase(), words[index + 1] as string);
  const [name, seq, type] = [pairs.get('file'), pairs.get('seq'), pairs.get('type')];
  // A name with a folder could lead anywhere.
  if (name === undefined || name === '' || /[/\\\0]/.test(name)) return undefined;
  if (seq === undefined || !/^\d{1,15}$/.test(seq) || type === undefined || !/^[bih]$/.test(type)) return undefined;
  return { name, seq: Number(seq), type };
}

/** Words separated by blanks; in quotes, `\"` and `\\` stand for themselves. */
function wordsOf(line: string): string[] | undefined {
  const words: string[] = [];
  const word = /\s*(?:"((?:[^"\\]|\\["\\])*)"|([^\s"]+))(?=\s|$)/y;
  while (word.lastIndex < line.trimEnd().length) {
    const found = word.exec(line);
    if (found === null) return undefined;
    words.push(found[2] ?? (found[1] ?? '').replace(/\\(["\\])/g, '$1'));
  }
  return words;
}

function quoted(name: string): string {
  return /[\s"\\]/.test(name) ? `"${name.replace(/["\\]/g, '\\$&')}"` : name;
}
