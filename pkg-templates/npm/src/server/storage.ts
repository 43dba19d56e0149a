/**
 * The store of a server: replies wait for `appendfsync always`, snapshots follow the rule of `save`, and both follow
 * CONFIG SET.
 */
import type { Streams } from '../index.js';
import type { Fsync, PersistentKeylatch } from '../persist.js';

const CHECK_MS = 1000;
const MS_PER_SECOND = 1000;

/** A snapshot is due when that many changes were made in that time. */
interface SavePoint {
  readonly afterMs: number;
  readonly changes: number;
}

export class Storage {
  readonly #db: PersistentKeylatch;
  readonly #streams: Streams;
  #savePoints: readonly SavePoint[] = [];
  #timer: NodeJS.Timeout | undefined;
  #savedAtMs = Date.now();
  #isSaving = false;
  /** Effects of which the replies were released or dropped. */
  #released = 0;

  constructor(db: PersistentKeylatch) {
    this.#db = db;
    this.#streams = db.streams;
  }

  /** Reads the configuration. */
  configured(): void {
    this.#db.setFsync(this.#streams.parameter('appendfsync') as Fsync);
    this.#savePoints = savePointsOf(this.#streams.parameter('save'));
    if (this.#savePoints.length === 0) clearInterval(this.#timer);
    else this.#timer ??= setInterval(() => this.#saveIfDue(), CHECK_MS).unref();
  }

  /** Runs work for clients of which the effects are appended together, before their replies leave. */
  grouped<T>(work: () => T): T {
    return this.#db.log.grouped(work);
  }

  /** With `always`: writes what is pending. False if replies to it must not leave, because it was not written. */
  isSafe(): boolean {
    const { log } = this.#db;
    if (!log.isImmediate || log.flushNow()) return true;
    const isOld = log.taken === this.#released;
    this.#released = log.taken;
    return isOld;
  }

  #saveIfDue(): void {
    if (this.#isSaving || this.#db.closed) return;
    const changes = this.#db.saves.unsavedEffects;
    const elapsedMs = Date.now() - this.#savedAtMs;
    if (this.#savePoints.some((point) => elapsedMs >= point.afterMs && changes >= point.changes)) void this.#save();
  }

  /** Saves by the command, so that INFO, LASTSAVE and MISCONF know of it. A save that runs already is enough. */
  async #save(): Promise<void> {
    this.#isSaving = true;
    try {
      await this.#db.save();
    } catch {
      // The engine reports the failure to clients.
    } finally {
      this.#isSaving = false;
      this.#savedAtMs = Date.now();
    }
  }

  /** Ends the timer. As in Redis, a server that saves snapshots saves one at its end. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    if (this.#savePoints.length > 0 && this.#db.saves.unsavedEffects > 0) await this.#save();
  }
}

/** Parses `seconds changes` pairs. */
function savePointsOf(text: string): SavePoint[] {
  const numbers = text.split(/\s+/).filter(Boolean).map(Number);
  const points: SavePoint[] = [];
  for (let index = 0; index + 1 < numbers.length; index += 2)
    points.push({ afterMs: (numbers[index] as number) * MS_PER_SECOND, changes: numbers[index + 1] as number });
  return points;
}
