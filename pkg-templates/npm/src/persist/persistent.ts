/** An engine with a store. */
import { Keylatch } from '../db/built-in.js';
import type { KeylatchOptions } from '../db/options.js';
import type { LoadResult, ReplayResult, SkipOptions, Skipped } from '../db/skipped.js';
import type { Unsubscribe } from '../client/subscriptions.js';
import { PersistenceError, reasonOf } from './errors.js';
import type { PersistentLog } from './log.js';
import type { PersistenceState } from './log-settings.js';
import type { Fsync } from './options.js';
import type { SaveKind } from '../host/save-requests.js';
import type { Store } from './store.js';
import { CallerTypeError } from '../base/caller-errors.js';

/** Facts about what was found in the store when it was opened. */
export interface Restored {
  /** Number of keys, those included that expired meanwhile. */
  readonly restoredKeys: number;
  /** Bytes of a torn end that were cut off, or with `readOnly` left out: a write that was interrupted. */
  readonly repairedBytes: number;
  /** Milliseconds since the last append or snapshot; null for an empty store. */
  readonly ageMs: number | null;
  /** Parts that were left out with `skip`. */
  readonly skipped?: Skipped | undefined;
}

/** State of a store, as `db.persistence` shows it. */
export interface Persistence {
  /** `running`; `failed`: writing is tried again; `lost`: the store is gone; `readonly`: opened so; `closed`. */
  readonly state: PersistenceState;
  /** Bytes of the log since the last snapshot. */
  readonly logBytes: number;
  /** Bytes of the last snapshot, 0 without one. */
  readonly snapshotBytes: number;
  /** Bytes that were taken from the engine and are not yet flushed. */
  readonly pendingBytes: number;
  /** The system's time of the last flush in milliseconds since the epoch, or null. */
  readonly lastFlushMs: number | null;
  /** The last failure, until writing succeeds again. */
  readonly error: PersistenceError | undefined;
  /** Facts about the contents when the store was opened. */
  readonly restored: Restored;
}

interface Attachment {
  readonly log: PersistentLog;
  readonly store: Store;
  readonly restored: Restored;
  /** Whether writes are refused while the store fails. */
  readonly refuses: boolean;
}

/** An engine with a store, from `open`: the data survives the end of the process, tab or browser. */
export class PersistentKeylatch extends Keylatch {
  readonly #given: KeylatchOptions;
  #log: PersistentLog | undefined;
  #restored: Restored = { restoredKeys: 0, repairedBytes: 0, ageMs: null };
  #store: Store | undefined;
  #refuses = false;
  #listeners: readonly ((persistence: Persistence) => void)[] = [];
  /** Number of effects that clients wait for since a sync has failed; 0 without one. */
  #owedSync = 0;
  /** Number of servers, which refuse writes while the store fails. */
  #servers = 0;

  /** @internal Use `open`. */
  constructor(options: KeylatchOptions) {
    super(options);
    this.#given = options;
  }

  /** @internal */
  attachLog({ log, store, restored, refuses }: Attachment): void {
    this.#log = log;
    this.#restored = restored;
    this.#refuses = refuses;
    this.#store = store;
    this.saves.setSaver({
      hasLog: log.isKept,
      save: (kind) => void this.#save(kind),
      sync: (effects) => void this.#sync(effects),
    });
  }

  /** Runs a save that was requested, and reports its end to the engine. */
  #save(kind: SaveKind): Promise<void> {
    return this.log.saves.run(async () => {
      const failure = await this.log.save(kind).then(
        () => undefined,
        (error: Error) => error,
      );
      // Clients get the reason without paths.
      if (failure !== undefined) console.warn(`keylatch: ${failure.message}`);
      this.saves.finish(kind, failure, reasonOf(failure));
    });
  }

  /** Forces the log to the medium for clients that wait in WAITAOF. After a failure the end of the failure does so. */
  async #sync(effects: number): Promise<void> {
    try {
      await this.log.flush(true);
      if (!this.#isOver) this.saves.synced(effects);
    } catch {
      this.#owedSync = Math.max(this.#owedSync, effects);
    }
  }

  get #isOver(): boolean {
    return this.closed || this.poisoned;
  }

  /** @internal When files are forced to the medium; undefined for other stores. */
  get fsync(): Fsync | undefined {
    return this.#store?.fsync;
  }

  /** @internal */
  set fsync(fsync: Fsync) {
    if (this.#store === undefined || !('fsync' in this.#store)) return;
    this.#store.fsync = fsync;
    // Effects that wait for others are written before the first call that must not wait.
    if (this.#log?.isImmediate === true) this.#log.flushNow();
  }

  /** @internal The log, for a server that appends the effects of a turn together. */
  get log(): PersistentLog {
    if (this.#log === undefined) throw new PersistenceError('UNSUPPORTED', 'this engine has no store: use open()');
    return this.#log;
  }

  /** State of the store. */
  get persistence(): Persistence {
    const { state, sizes, pendingBytes, lastFlushMs, error } = this.log;
    return { state, ...sizes, pendingBytes, lastFlushMs, error, restored: this.#restored };
  }

  /**
   * Barrier: resolves when every change acknowledged before this call is flushed, and forced to the medium as the options
   * of `open` say. Rejects with PersistenceError while the store cannot be written.
   *
   * @example
   * db.set('order:17', 'paid');
   * await db.flush();
   */
  flush(): Promise<void> {
    return this.log.flush();
  }

  /** Replaces the log by a snapshot, as BGREWRITEAOF does. Never necessary: a long log is replaced by itself. */
  async rewrite(): Promise<void> {
    this.log.refuseEnded();
    await this.saves.request('rewrite');
  }

  /** @internal Refuses writes while the store fails, until the returned function is called. */
  refuseWhileFailing(): () => void {
    this.#servers += 1;
    this.persistenceChanged();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#servers -= 1;
      if (!this.#isOver) this.#reportLog();
    };
  }

  /**
   * Calls back when the store's state has changed: it cannot be written, can be again, is lost or closed. Without a
   * listener, failures are printed with console.warn. Returns a function that removes the listener.
   */
  onPersistence(listener: (persistence: Persistence) => void): Unsubscribe {
    if (typeof listener !== 'function') throw new CallerTypeError('the listener of onPersistence must be a function');
    const own = (persistence: Persistence): void => listener(persistence);
    this.#listeners = [...this.#listeners, own];
    const end = (): void => {
      this.#listeners = this.#listeners.filter((other) => other !== own);
    };
    return Object.assign(end, { [Symbol.dispose]: end });
  }

  /** @internal Called by the log. */
  persistenceChanged(): void {
    if (this.#log === undefined) return;
    const { persistence } = this;
    const { state, error } = persistence;
    if (!this.#isOver) this.#reportLog();
    const owedSync = this.#owedSync;
    if (state === 'running' && owedSync > 0) {
      this.#owedSync = 0;
      void this.#sync(owedSync);
    }
    if (this.#listeners.length === 0 && error !== undefined && (state === 'failed' || state === 'lost'))
      console.warn(`keylatch: ${error.message}`);
    for (const listener of this.#listeners) {
      try {
        listener(persistence);
      } catch (thrown) {
        queueMicrotask(() => {
          throw thrown;
        });
      }
    }
  }

  /** Refuses writes (MISCONF) while the store fails, if the options or a server say so. */
  #reportLog(): void {
    const { state, error } = this.log;
    const refuses = this.#refuses || this.#servers > 0 || this.#store?.isImmediate === true;
    this.saves.reportLog(refuses && state !== 'running' ? reasonOf(error) : undefined);
  }

  /** Replaces all databases by those of a snapshot, also in the store. */
  override load(snapshot: Uint8Array, options?: SkipOptions): LoadResult {
    return this.#replacing(() => super.load(snapshot, options));
  }

  /** Replays pieces of a log, and writes the result to the store. */
  override replay(log: Uint8Array, options?: SkipOptions): ReplayResult {
    return this.#replacing(() => super.replay(log, options));
  }

  /** Runs work that no effects lead to. The state after it is written to the store, with what was to be appended. */
  #replacing<T>(work: () => T): T {
    const log = this.#log;
    if (log === undefined) return work();
    const done = log.grouped(work);
    log.replaceAll();
    return done;
  }

  /** An engine with the same data and options, without a store. */
  override fork(): Keylatch {
    const fork = new Keylatch(this.#given);
    fork.load(this.snapshot());
    return fork;
  }

  /**
   * Flushes, ends the engine, and releases the store. The engine ends at once; the promise resolves when the store may be
   * opened again, and rejects if the last changes could not be written.
   */
  override close(): Promise<void> {
    const closed = this.#log?.close();
    super.close();
    this.saves.end(new PersistenceError('LOST', 'the engine was closed before the save began'));
    return closed ?? Promise.resolve();
  }

  /** Closes engine and store at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
