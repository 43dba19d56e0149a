/**
 * The manifest of an append-only file of Redis 7: a base, which is a snapshot, and the logs after it. Lines that begin
 * with `#` are ignored by Redis; the last one holds the engine's seed and a checksum of the lines before it.
 */
import { crc32 } from './crc.js';
import { damaged } from './file-error.js';
import { seedOf } from './rdb-head.js';

/** A manifest. Names are relative to its folder. */
export interface Manifest {
  readonly base: ManifestFile | undefined;
  /** Logs, in the order of their sequence numbers. */
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

const TRAILER = /^# keylatch crc ([0-9a-f]{8})(?: seed (\d+))?\s*$/;

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
  const entries = new Entries();
  let seed: bigint | null = null;
  let [index, offset] = [0, 0];
  for (const line of text.split('\n')) {
    const isCut = index + line.length === text.length && line !== '';
    if (isCut) throw damaged(file, offset, 'the last line has no end: the manifest is cut');
    const [, crc, digits] = TRAILER.exec(line) ?? [];
    if (crc !== undefined && crc !== checksum(text.slice(0, index)))
      throw damaged(file, offset, 'the checksum does not fit');
    if (digits !== undefined) seed = seedOf(digits);
    const problem = line.trim() === '' || line.startsWith('#') ? undefined : entries.add(line);
    if (problem !== undefined) throw damaged(file, offset, `${problem}: ${line.trimEnd()}`);
    index += line.length + 1;
    offset += Buffer.byteLength(line) + 1;
  }
  const { base, logs, history } = entries;
  return { base, logs, history, seed };
}

/** Files that the lines of a manifest name. */
class Entries {
  base: ManifestFile | undefined;
  readonly logs: ManifestFile[] = [];
  readonly history: string[] = [];
  readonly #names = new Set<string>();

  /** Takes a line. Returns the problem, if there is one. */
  add(line: string): string | undefined {
    const entry = parseLine(line);
    if (entry === undefined) return 'not a line of a manifest';
    const { name, seq, type } = entry;
    if (this.#names.has(name)) return 'the file is named twice';
    this.#names.add(name);
    if (type === 'h') this.history.push(name);
    else if (type === 'b') return this.#addBase({ name, seq });
    else return this.#addLog({ name, seq });
    return undefined;
  }

  #addBase(file: ManifestFile): string | undefined {
    if (this.base !== undefined) return 'a second base';
    this.base = file;
    return undefined;
  }

  #addLog(file: ManifestFile): string | undefined {
    const last = this.logs.at(-1);
    if (last !== undefined && file.seq <= last.seq) return 'the sequence number does not rise';
    this.logs.push(file);
    return undefined;
  }
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
