/**
 * The store of a server: no reply to a write leaves before the log has it, snapshots follow the rule of `save`, and both follow
 * CONFIG SET.
 */
import type { Keylatch } from '../db/built-in.js';
import type { Streams } from '../host/streams.js';
import type { Fsync } from '../persist/options.js';
import type { PersistentKeylatch } from '../persist/persistent.js';

const CHECK_MS = 1000;
/** Pause between attempts of the rule, as in Redis. */
const RETRY_MS = 5000;
const MS_PER_SECOND = 1000;

/** A snapshot is due when that many changes were made in that time. */
interface SavePoint {
  readonly afterMs: number;
  readonly changes: number;
}

/** Whether an engine writes to a store. Each entry of the package may have a class of its own, so a member decides. */
export function hasStore(db: Keylatch): db is PersistentKeylatch {
  return 'onPersistence' in db && (db as PersistentKeylatch).persistence.state !== 'readonly';
}

export class Storage {
  readonly #db: PersistentKeylatch;
  readonly #streams: Streams;
  readonly #release: () => void;
  #savePoints: readonly SavePoint[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** When the rule last began to count without a snapshot, and when it last tried to save, by a clock that no one sets. */
  readonly #beganAtMs = performance.now();
  #triedAtMs = -Infinity;
  #isSaving = false;

  constructor(db: PersistentKeylatch) {
    this.#db = db;
    this.#streams = db.streams;
    this.#release = db.refuseWhileFailing();
  }

  /** False if snapshots are all that is stored. */
  get hasLog(): boolean {
    return this.#db.log.isKept;
  }

  /** Reads the configuration. */
  configured(): void {
    this.#db.fsync = this.#streams.parameter('appendfsync') as Fsync;
    this.#savePoints = savePointsOf(this.#streams.parameter('save'));
    if (this.#savePoints.length === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    } else this.#timer ??= setInterval(() => this.#saveIfDue(), CHECK_MS).unref();
  }

  /** Runs work for clients of which the effects are appended together, before their replies leave. */
  grouped<T>(work: () => T): T {
    return this.#db.log.grouped(work);
  }

  /** Appends what is pending, as `PersistentLog.appendPending` does. */
  appendPending(): boolean | Promise<void> {
    return this.#db.log.appendPending();
  }

  #saveIfDue(): void {
    if (this.#isSaving || this.#db.closed || this.#db.poisoned) return;
    const { saves } = this.#db;
    const nowMs = performance.now();
    // After a success the changes begin anew, so this concerns failures.
    if (nowMs - this.#triedAtMs < RETRY_MS) return;
    const elapsedMs = nowMs - Math.max(this.#beganAtMs, saves.snapshotAtMs);
    const changes = saves.unsavedEffects;
    if (!this.#savePoints.some((point) => elapsedMs >= point.afterMs && changes >= point.changes)) return;
    this.#triedAtMs = nowMs;
    // The engine reports a failure to clients.
    void this.#save().catch(() => {});
  }

  /** Saves as BGSAVE does, so that INFO, LASTSAVE and MISCONF know of it. */
  async #save(): Promise<void> {
    this.#isSaving = true;
    try {
      await this.#db.saves.request('snapshot');
    } finally {
      this.#isSaving = false;
    }
  }

  /** Ends the timer and what the server asks of the store, without a save. */
  release(): void {
    clearInterval(this.#timer);
    this.#release();
  }

  /**
   * Waits for a save that runs. As in Redis, a server that saves snapshots then saves what has changed since, unless `saves` is
   * false; with true it saves in any case. Rejects if that fails.
   */
  async saveLast(saves?: boolean): Promise<void> {
    await this.#db.log.saves.idle();
    if (this.#db.closed || this.#db.poisoned || saves === false) return;
    const isDue = this.#savePoints.length > 0 && this.#db.saves.unsavedEffects > 0;
    if (saves === true || isDue) await this.#save();
  }

  /** Ends what `release` ends, and saves what `saveLast` saves. */
  async close(saves?: boolean): Promise<void> {
    this.release();
    await this.saveLast(saves);
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
