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
    const replayed = attempt(stored, title, index, () => db.replay(piece));
    logBytes += piece.length;
    tornBytes = replayed.droppedBytes;
    lastMs = Math.max(lastMs, replayed.lastNowMs ?? 0);
    index += 1;
  }
  return { snapshotBytes: snapshot?.length ?? 0, logBytes, tornBytes, lastMs };
}

function attempt<T>(stored: Stored, title: string, piece: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (isPersistenceError(error)) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    // The engine's texts end with the offset in what was given to it.
    const offset = Number(/at byte (\d+)$/.exec(reason)?.[1] ?? 0);
    if (/newer version/.test(reason)) {
      const { file } = locationOf(stored, title, piece, offset);
      throw new PersistenceError('NEWER_VERSION', `${file}: a newer version wrote it; update keylatch to open it`, {
        file,
        cause: error,
      });
    }
    throw damaged(stored, title, piece, offset, reason.replace(/ at byte \d+$/, ''), error);
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
