/** Rebuilds the data of an engine from what a store holds: the snapshot, then the pieces of the log in their order. */
import type { Keylatch } from '../keylatch.js';
import { isPersistenceError, PersistenceError } from './errors.js';
import type { Stored, StoredLocation } from './store.js';

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
}

/** Position of the snapshot in `locate`. */
const SNAPSHOT = -1;

/**
 * Loads and replays everything. A torn unit is accepted at the end of the last piece only: there the program ended while
 * it wrote. Throws PersistenceError for damage and for newer versions; the engine is then of no use.
 */
export function restore(db: Restorable, stored: Stored, title = 'the store'): Restoration {
  const { snapshot } = stored;
  if (snapshot !== null) attempt(stored, title, SNAPSHOT, () => db.load(snapshot));
  let [logBytes, tornBytes, lastMs, index] = [0, 0, stored.loggedMs, 0];
  for (const piece of stored.pieces) {
    if (tornBytes > 0) throw damaged(stored, title, index - 1, 0, 'ends within a unit, and another piece follows');
    const replayed = attempt(stored, title, index, () => db.replay(piece), piece);
    logBytes += piece.length;
    tornBytes = replayed.droppedBytes;
    lastMs = Math.max(lastMs, replayed.lastNowMs ?? 0);
    index += 1;
  }
  return { snapshotBytes: snapshot?.length ?? 0, logBytes, tornBytes, lastMs };
}

/** Name of a command in a log. The engine refuses those that it does not know, such as commands of streams. */
function commandAt(bytes: Uint8Array, offset: number): string | undefined {
  const head = String.fromCharCode(...bytes.subarray(offset, offset + 64));
  return /^\*\d+\r\n\$\d+\r\n([A-Za-z][A-Za-z0-9._-]*)\r\n/.exec(head)?.[1]?.toUpperCase();
}

function attempt<T>(stored: Stored, title: string, piece: number, work: () => T, bytes?: Uint8Array): T {
  try {
    return work();
  } catch (error) {
    if (isPersistenceError(error)) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    // The engine's texts end with the offset in the bytes that were given to it, if it is known.
    const [, digits] = / at byte (\d+)$/.exec(reason) ?? [];
    const offset = Number(digits ?? 0);
    if (/newer version/.test(reason)) {
      const { file } = locationOf(stored, title, piece, offset);
      throw new PersistenceError('NEWER_VERSION', `${file}: a newer version wrote it; update keylatch to open it`, {
        file,
        cause: error,
      });
    }
    const command = bytes === undefined || digits === undefined ? undefined : commandAt(bytes, offset);
    const shown =
      command === undefined ? reason.replace(/ at byte \d+$/, '') : `the command ${command} is not supported`;
    throw damaged(stored, title, piece, offset, shown, error);
  }
}

function locationOf(stored: Stored, title: string, piece: number, offset: number): StoredLocation {
  const name = piece === SNAPSHOT ? `${title}, snapshot` : `${title}, piece ${piece}`;
  return stored.locate?.(piece, offset) ?? { file: name, offset };
}

function damaged(
  stored: Stored,
  title: string,
  piece: number,
  at: number,
  reason: string,
  cause?: unknown,
): PersistenceError {
  const { file, offset } = locationOf(stored, title, piece, at);
  const code = /not supported|unsupported/.test(reason) ? 'UNSUPPORTED' : 'DAMAGED';
  const message = `${file}, byte ${offset}: ${reason}; nothing was changed`;
  return new PersistenceError(code, message, { file, offset, cause });
}
