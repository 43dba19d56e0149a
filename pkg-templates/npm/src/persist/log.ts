/**
 * The log of one engine over a store: takes effects when the engine signals them, appends them in order, replaces a long
 * log by a snapshot, and keeps what could not be written until it can.
 */
import type { Unsubscribe } from '../subscriptions.js';
import { Barriers } from './barriers.js';
import { failureOf, PersistenceError } from './errors.js';
import { COMPACT_BYTES_MIN, FLUSH_MS, isDue, RETRY_MS, RETRY_MS_MAX } from './limits.js';
import type { LogSettings, LogSource, PersistenceState } from './log-settings.js';
import { Queue, type PieceBatch } from './queue.js';
import type { Store } from './store.js';
import { later, type Delay } from './time.js';

export class PersistentLog {
  readonly #db: LogSource;
  readonly #store: Store;
  readonly #settings: LogSettings;
  readonly #queue = new Queue();
  readonly #barriers = new Barriers();
  readonly #unwatch: (() => void) | undefined;
  #stopEffects: Unsubscribe | undefined;
  #state: PersistenceState = 'running';
  #error: PersistenceError | undefined;
  #logBytes: number;
  #snapshotBytes: number;
  #lastFlushMs: number | null = null;
  #timer: Delay | undefined;
  #retry: Delay | undefined;
  #retryMs = RETRY_MS;
  /** True while an append of the store runs. */
  #isAppending = false;
  #replacing: Promise<void> | undefined;
  /** Bytes that were appended since the running replacement began. */
  #bytesSinceReplace = 0;
  /** Log size from which a failed compaction is tried again. */
  #compactFrom = 0;
  /** Set while the store must get the whole state before anything else. Its snapshot may have been taken already. */
  #owed: { snapshot?: Uint8Array } | undefined;
  /** True while that snapshot is written: appends wait. */
  #isHeld = false;
  #groups = 0;
  #taken = 0;
  #closing: Promise<void> | undefined;

  constructor(db: LogSource, store: Store, settings: LogSettings) {
    this.#db = db;
    this.#store = store;
    this.#settings = settings;
    this.#logBytes = settings.logBytes;
    this.#snapshotBytes = settings.snapshotBytes;
    store.onLost = (error) => this.#lost(error);
    this.#stopEffects = db.onEffects(() => this.#signalled());
    this.#unwatch = store.watchEnd?.(() => this.flushNow());
  }

  get state(): PersistenceState {
    return this.#state;
  }

  /** The last failure; undefined once writing succeeded again. */
  get error(): PersistenceError | undefined {
    return this.#error;
  }

  get logBytes(): number {
    return this.#logBytes;
  }

  get snapshotBytes(): number {
    return this.#snapshotBytes;
  }

  /** True if effects are appended before the call that caused them returns. */
  get isImmediate(): boolean {
    return this.#settings.isImmediate();
  }

  /** Number of times that effects were taken. */
  get taken(): number {
    return this.#taken;
  }

  /** Bytes that were taken from the engine and not yet flushed. */
  get pendingBytes(): number {
    return this.#queue.bytes;
  }

  /** The system's time of the last completed append, or null. */
  get lastFlushMs(): number | null {
    return this.#lastFlushMs;
  }

  /** Barrier: resolves when everything acknowledged before the call is flushed and synced; rejects if that fails. */
  async flush(): Promise<void> {
    this.#refuseEnded();
    this.#take();
    const passed = this.#barriers.wait(this.#queue.lastSeq);
    this.#drain();
    await passed;
    await this.#synced();
  }

  /** Appends everything pending as far as the store can without waiting. Returns false if something is still pending. */
  flushNow(): boolean {
    if (this.#state === 'lost' || this.#state === 'closed') return false;
    this.#take();
    this.#drain();
    return this.#queue.isEmpty && !this.#isHeld && this.#owed === undefined;
  }

  /**
   * Runs work of which the effects are appended by the caller's `flushNow`, at the latest after 10 ms: the effects of a
   * turn are then appended and synced together.
   */
  grouped<T>(work: () => T): T {
    this.#groups += 1;
    try {
      return work();
    } finally {
      this.#groups -= 1;
    }
  }

  /** Replaces the log by a snapshot of the present state. Resolves when the store has it. */
  async rewrite(): Promise<void> {
    this.#refuseEnded();
    await this.#replacing;
    this.#refuseEnded();
    this.#take();
    this.#compact();
    const passed = this.#barriers.wait(this.#queue.lastSeq);
    this.#drain();
    await passed;
    await this.#replacing;
    if (this.#error !== undefined) throw this.#error;
  }

  /** Replaces the store's contents by the present state, which no effects lead to: after `load` of another snapshot. */
  replaceAll(): void {
    if (this.#state === 'lost' || this.#state === 'closed') return;
    this.#owe();
    this.#drain();
  }

  /** Flushes, releases the store, and resolves. The engine may be closed as soon as this method has returned. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (this.#state === 'lost') return this.#store.close();
    this.#take();
    if (this.#owed !== undefined) this.#owed.snapshot ??= this.#db.snapshot();
    this.#stopListening();
    const passed = this.#barriers.wait(this.#queue.lastSeq);
    this.#drain();
    try {
      await passed;
      await this.#synced();
    } finally {
      this.#stop('closed');
      await this.#replacing;
      await this.#store.close();
    }
  }

  async #synced(): Promise<void> {
    try {
      await this.#store.sync();
    } catch (error) {
      this.#failed(error);
      throw this.#error;
    }
  }

  #refuseEnded(): void {
    if (this.#state === 'lost' && this.#error !== undefined) throw this.#error;
    if (this.#closing !== undefined) throw new PersistenceError('LOST', `${this.#store.title} is closed`);
  }

  /** Called when effects are pending, and again when they are many. */
  #signalled(): void {
    const isImmediate = this.isImmediate && this.#groups === 0;
    if (isImmediate || (this.#timer !== undefined && this.#state !== 'failed')) this.flushNow();
    else if (this.#state === 'failed') this.#take();
    else this.#timer = later(FLUSH_MS, () => this.flushNow(), this.#store.watchEnd === undefined);
  }

  /** Takes pending effects; in the same turn the snapshot, if the log is worth replacing. */
  #take(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#stopEffects === undefined) return;
    const effects = this.#db.takeEffects();
    if (effects.length > 0) this.#taken += 1;
    // The owed snapshot will contain them.
    if (effects.length === 0 || this.#owed !== undefined) return;
    this.#queue.push({ bytes: effects, nowMs: this.#nowMs() });
    if (this.#state === 'failed') return this.#limitPending();
    const bytes = this.#logBytes + this.#queue.bytes;
    const isIdle = this.#replacing === undefined && !this.#queue.hasSnapshot && this.#store.isSnapshotOnly !== true;
    if (isIdle && bytes >= this.#compactFrom && this.#isDue(bytes)) this.#compact();
  }

  #isDue(bytes: number): boolean {
    return isDue(bytes, this.#snapshotBytes, this.#store.compactBytesMin);
  }

  /** While writing fails, a snapshot at the end of the failure takes less memory than a long queue. */
  #limitPending(): void {
    if (this.#isDue(this.#queue.bytes)) this.#owe();
  }

  #owe(): void {
    this.#owed = {};
    this.#queue.clear();
  }

  /** Queues a snapshot. Without the memory for one, the log continues to grow. */
  #compact(): void {
    try {
      this.#queue.push({ snapshot: this.#db.snapshot(), nowMs: this.#nowMs() });
    } catch (error) {
      this.#compactFailed(error);
    }
  }

  #compactFailed(error: unknown): void {
    this.#error = failureOf(error, this.#store.title);
    this.#compactFrom = this.#logBytes + this.#queue.bytes + COMPACT_BYTES_MIN;
  }

  /** The engine's time; that of the system if the engine's clock fails. */
  #nowMs(): number {
    try {
      return this.#db.now();
    } catch {
      return Date.now();
    }
  }

  /** Writes what is queued, in order; synchronously as far as the store is. */
  #drain(): void {
    this.#retry?.cancel();
    this.#retry = undefined;
    while (!this.#isAppending && !this.#isHeld && this.#state !== 'lost') {
      if (this.#owed !== undefined) return this.#replaceOwed(this.#owed);
      const batch = this.#queue.first();
      if (batch === undefined) break;
      if (batch.snapshot === undefined) {
        if (!this.#append(batch)) return;
      } else if (this.#replacing === undefined) {
        this.#queue.done(batch);
        this.#barriers.pass(batch.seq);
        void this.#replace(batch.snapshot, batch.nowMs).catch(() => {});
      } else return;
    }
    if (this.#queue.isEmpty && !this.#isAppending && !this.#isHeld) this.#barriers.pass(this.#queue.lastSeq);
  }

  /** False if the append failed, or goes on. */
  #append(batch: PieceBatch): boolean {
    try {
      const running = this.#store.append(batch.bytes, batch.nowMs);
      if (running === undefined) {
        this.#appended(batch);
        return true;
      }
      this.#isAppending = true;
      running.then(
        () => {
          this.#isAppending = false;
          this.#appended(batch);
          this.#drain();
        },
        (error: unknown) => {
          this.#isAppending = false;
          this.#failed(error);
        },
      );
    } catch (error) {
      this.#failed(error);
    }
    return false;
  }

  #appended(batch: PieceBatch): void {
    this.#logBytes += batch.bytes.length;
    this.#bytesSinceReplace += batch.bytes.length;
    this.#queue.done(batch);
    this.#succeeded();
    this.#barriers.pass(batch.seq);
  }

  #succeeded(): void {
    this.#lastFlushMs = Date.now();
    this.#retryMs = RETRY_MS;
    if (this.#state !== 'failed') return;
    this.#error = undefined;
    this.#stop('running');
  }

  /** Gives the store a snapshot. Rejects if it could not be written; the log then stays as it is. */
  #replace(snapshot: Uint8Array, nowMs: number): Promise<void> {
    this.#bytesSinceReplace = 0;
    const replaced = this.#store.replace(snapshot, this.#settings.seed, nowMs).then(() => {
      this.#snapshotBytes = snapshot.length;
      this.#logBytes = this.#bytesSinceReplace;
      this.#compactFrom = 0;
      if (this.#state === 'running') this.#error = undefined;
    });
    this.#replacing = replaced
      .catch((error: unknown) => this.#compactFailed(error))
      .then(() => {
        this.#replacing = undefined;
        // After a failure the timer tries again.
        if (this.#state !== 'failed') this.#drain();
      });
    return replaced;
  }

  /** Gives the store the whole state. Nothing is appended meanwhile: without that state it would make no sense. */
  #replaceOwed(owed: { readonly snapshot?: Uint8Array }): void {
    if (this.#replacing !== undefined) return;
    this.#isHeld = true;
    let snapshot: Uint8Array;
    try {
      this.#take();
      snapshot = owed.snapshot ?? this.#db.snapshot();
    } catch (error) {
      this.#isHeld = false;
      return this.#failed(error);
    }
    this.#owed = undefined;
    this.#replace(snapshot, this.#nowMs()).then(
      () => {
        this.#isHeld = false;
        this.#succeeded();
      },
      (error: unknown) => {
        this.#isHeld = false;
        this.#owe();
        this.#failed(error);
      },
    );
  }

  #failed(error: unknown): void {
    if (this.#state === 'lost') return;
    const failure = failureOf(error, this.#store.title);
    this.#error = failure;
    if (this.#store.mustReplace === true) this.#owe();
    this.#barriers.fail(failure);
    if (this.#state === 'closed' || this.#closing !== undefined) return;
    this.#retry = later(this.#retryMs, () => this.flushNow(), false);
    this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MS_MAX);
    if (this.#state !== 'failed') this.#stop('failed');
  }

  #lost(error: PersistenceError): void {
    if (this.#state === 'lost' || this.#state === 'closed') return;
    this.#error = error;
    this.#stopListening();
    this.#db.record(false);
    this.#queue.clear();
    this.#stop('lost');
    this.#barriers.fail(error);
  }

  #stopListening(): void {
    this.#stopEffects?.();
    this.#stopEffects = undefined;
    this.#unwatch?.();
  }

  /** Changes the state; the end of the log cancels its timers. */
  #stop(state: PersistenceState): void {
    this.#state = state;
    if (state === 'lost' || state === 'closed') {
      this.#timer?.cancel();
      this.#retry?.cancel();
    }
    this.#settings.changed();
  }
}
