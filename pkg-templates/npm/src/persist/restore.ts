/** Rebuilds the data of an engine from what a store holds: the snapshot, then the pieces of the log in their order. */
import type { Keylatch } from '../db/keylatch.js';
import type { Skipped, SkippedKey, SkipOptions } from '../db/skipped.js';
import { isPersistenceError, PersistenceError, type PersistenceCode } from './errors.js';
import type { Stored, StoredLocation } from './store.js';
import { describeCommand } from './unsupported.js';

/** The part of an engine that data is restored into. */
export type Restorable = Pick<Keylatch, 'load' | 'replay'>;

/** Sizes and instants of restored data. */
export interface Restoration {
  /** Bytes of the snapshot. */
  readonly snapshotBytes: number;
  /** Bytes of the log. */
  readonly logBytes: number;
  /** Bytes of a torn unit at the end of the last piece, which was left out. */
  readonly tornBytes: number;
  /** The latest instant in the store, in milliseconds since the epoch; 0 without one. */
  readonly lastMs: number;
  /** Parts that were left out: none without `skip`. */
  readonly skipped: Skipped;
}

/** The engine's words for a checksum that does not fit, and the length of one. */
const CHECKSUM = 'the checksum does not fit';
const CHECKSUM_BYTES = 8;

/** Position of the snapshot in `locate`. */
const SNAPSHOT = -1;

/** Maximum number of keys that are described. */
const DESCRIBED_MAX = 100;

/**
 * Loads and replays everything. A torn unit is accepted at the end of the last piece only: there the program ended while
 * it wrote. Throws PersistenceError for damage, newer versions and, without `skip`, values of types that the engine lacks;
 * the engine is then of no use.
 */
export function restore(db: Restorable, stored: Stored, title = 'the store', options: SkipOptions = {}): Restoration {
  const { snapshot } = stored;
  const skips = new SkipList(stored, title);
  if (snapshot !== null)
    attempt(stored, title, SNAPSHOT, snapshot, () => skips.add(SNAPSHOT, db.load(snapshot, options)));
  let [logBytes, tornBytes, lastMs, index] = [0, 0, stored.loggedMs, 0];
  for (const piece of stored.pieces) {
    if (tornBytes > 0)
      throw refusal(stored, title, index - 1, {
        code: 'DAMAGED',
        reason: 'ends within a unit, and another piece follows',
        offset: 0,
      });
    const replayed = attempt(stored, title, index, piece, () => db.replay(piece, options));
    skips.add(index, replayed);
    logBytes += piece.length;
    tornBytes = replayed.droppedBytes;
    lastMs = Math.max(lastMs, replayed.lastNowMs ?? 0);
    index += 1;
  }
  return { snapshotBytes: snapshot?.length ?? 0, logBytes, tornBytes, lastMs, skipped: skips.all };
}

/** Parts that were left out of the snapshot and of the pieces, with their place in the store. */
class SkipList {
  readonly #stored: Stored;
  readonly #title: string;
  readonly #types = new Map<string, number>();
  readonly #keys: SkippedKey[] = [];
  #count = 0;

  constructor(stored: Stored, title: string) {
    this.#stored = stored;
    this.#title = title;
  }

  add(piece: number, { skipped }: { readonly skipped?: Skipped | undefined }): void {
    if (skipped === undefined) return;
    this.#count += skipped.count;
    for (const [type, count] of Object.entries(skipped.types))
      this.#types.set(type, (this.#types.get(type) ?? 0) + count);
    for (const key of skipped.keys.slice(0, DESCRIBED_MAX - this.#keys.length))
      this.#keys.push({ ...key, ...locationOf(this.#stored, this.#title, piece, key.offset) });
  }

  get all(): Skipped {
    return { count: this.#count, types: Object.fromEntries(this.#types), keys: this.#keys };
  }
}

function attempt<T>(stored: Stored, title: string, piece: number, bytes: Uint8Array, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (isPersistenceError(error)) throw error;
    throw refusal(stored, title, piece, piece === SNAPSHOT ? snapshotFault(error, bytes) : faultOf(error, bytes));
  }
}

/** Reason why data cannot be loaded, with its offset in the bytes that were given to the engine. */
interface Fault {
  readonly code: PersistenceCode;
  readonly reason: string;
  readonly offset: number | undefined;
  readonly cause?: unknown;
}

/** Reads the engine's error for a snapshot. A checksum that does not fit stands at its end. */
function snapshotFault(cause: unknown, snapshot: Uint8Array): Fault {
  const fault = faultOf(cause, undefined);
  if (fault.reason !== CHECKSUM) return fault;
  return { ...fault, offset: Math.max(0, snapshot.length - CHECKSUM_BYTES) };
}

/** Reads the engine's error, for the snapshot or for a piece of the log. */
function faultOf(cause: unknown, log: Uint8Array | undefined): Fault {
  const text = cause instanceof Error ? cause.message : String(cause);
  const { offset } = cause as { readonly offset?: number | undefined };
  const fault = { reason: text.replace(/,? at byte \d+$/, ''), offset, cause };
  if (/newer version/.test(text))
    return {
      code: 'NEWER_VERSION',
      reason: 'a newer version wrote it; update keylatch to open it',
      offset: undefined,
      cause,
    };
  if (text === 'out of memory') return { ...fault, code: 'FAILED' };
  if (/^the key .* which is not supported: /s.test(text)) return { ...fault, code: 'UNSUPPORTED' };
  if (!text.startsWith('holds something unsupported')) return { ...fault, code: 'DAMAGED' };
  const command = log === undefined || offset === undefined ? undefined : describeCommand(log, offset);
  return { ...fault, code: 'UNSUPPORTED', reason: command ?? fault.reason };
}

function locationOf(stored: Stored, title: string, piece: number, offset: number): StoredLocation {
  const name = piece === SNAPSHOT ? `${title}, snapshot` : `${title}, piece ${piece}`;
  return stored.locate?.(piece, offset) ?? { file: name, offset };
}

function refusal(stored: Stored, title: string, piece: number, fault: Fault): PersistenceError {
  const { code, reason, cause } = fault;
  const location = locationOf(stored, title, piece, fault.offset ?? 0);
  const { file } = location;
  const offset = fault.offset === undefined ? undefined : location.offset;
  const place = offset === undefined ? file : `${file}, byte ${offset}`;
  return new PersistenceError(code, `${place}: ${reason}; nothing was changed`, { file, offset, cause });
}
