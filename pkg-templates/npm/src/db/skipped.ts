/** Parts of a snapshot or log that a load leaves out on request, because the engine lacks their type. */
import { decodeReplies, textOf } from '../resp/reply.js';
import type { Shape } from '../base/option-check.js';

/** Options of `load` and `replay`. */
export interface SkipOptions {
  /**
   * `unsupported`: leaves out values of types that the engine lacks, such as those of modules, and commands on them. Without it
   * they are refused.
   */
  readonly skip?: 'unsupported' | undefined;
}

/** A key, or data of a module, that was left out. */
export interface SkippedKey {
  /** The key as text; null for data of a module that belongs to no key. */
  readonly key: string | null;
  /** Number of the database. */
  readonly db: number;
  /** Name of the type as TYPE replies it, such as `ReJSON-RL`. */
  readonly type: string;
  /** Bytes before the type of the key in a snapshot, or before the command in a log. */
  readonly offset: number;
  /** File of a store, to which the offset belongs; absent if the bytes came from the caller. */
  readonly file?: string | undefined;
}

/** Parts that were left out. */
export interface Skipped {
  /** Number of values of a snapshot and of commands of a log. */
  readonly count: number;
  /** These numbers by type. */
  readonly types: Readonly<Record<string, number>>;
  /** The first 100 keys. */
  readonly keys: readonly SkippedKey[];
}

/** Result of `load`. */
export interface LoadResult {
  /** Parts that were left out: none without `skip`. */
  readonly skipped: Skipped;
}

/** Contents of a replayed log. */
export interface ReplayResult {
  /** Number of whole commands and transactions that were replayed. */
  readonly units: number;
  /** Bytes of a torn last unit that were dropped. */
  readonly droppedBytes: number;
  /** The latest instant in the log, in milliseconds since the epoch. */
  readonly lastNowMs: number | null;
  /** Parts that were left out; absent without `skip`. */
  readonly skipped?: Skipped | undefined;
}

export const SKIP: Shape<SkipOptions> = { skip: ['unsupported'] };

/** Nothing was left out. */
export const NOTHING: Skipped = { count: 0, types: {}, keys: [] };

/** Elements of a part in the engine's reply: key, database, label, offset. */
const PART_LEN = 4;

/** Names of types by their codes in RDB files. */
const TYPES: Readonly<Record<string, string>> = {
  9: 'hash',
  10: 'list',
  12: 'zset',
  13: 'hash',
  14: 'list',
};

/** Reads the engine's reply: the number of parts, numbers by label, and the parts. */
export function skippedOf(reply: Uint8Array): Skipped {
  const [raw] = decodeReplies(reply, { buffer: true });
  const [count, labels, parts] = raw as unknown as [number, (Uint8Array | number)[], (Uint8Array | number | null)[]];
  const types = new Map<string, number>();
  for (let at = 0; at < labels.length; at += 2) {
    const type = typeOf(textOf(labels[at] as Uint8Array));
    types.set(type, (types.get(type) ?? 0) + (labels[at + 1] as number));
  }
  const keys: SkippedKey[] = [];
  for (let at = 0; at < parts.length; at += PART_LEN) {
    const [key, db, label, offset] = parts.slice(at, at + PART_LEN) as [Uint8Array | null, number, Uint8Array, number];
    const part = { key: key === null ? null : textOf(key), db, type: typeOf(textOf(label)), offset };
    if (!keys.some((other) => other.key === part.key && other.db === db && other.type === part.type)) keys.push(part);
  }
  return { count, types: Object.fromEntries(types), keys };
}

/**
 * Name of a type. A label is the code of a type or the name of a module's type in a snapshot, or the name of a command in a
 * log. Commands of modules mostly have a name with a dot.
 */
function typeOf(label: string): string {
  if (/^\d{1,3}$/.test(label)) return TYPES[label] ?? 'unknown';
  if (/^[A-Z]+\./.test(label)) return 'module';
  return label === 'RENAME' || label === 'RENAMENX' || label === 'COPY' ? 'unknown' : label;
}
