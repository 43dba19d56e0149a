/**
 * The log of one engine over a store: takes effects when the engine signals them, appends them in order, replaces a long
 * log by a snapshot, and keeps what could not be written until it can.
 */
import type { SaveKind } from '../host/save-requests.js';
import { Barriers } from './barriers.js';
import { EffectsIntake } from './effects-intake.js';
import { failureOf, PersistenceError, unwritten } from './errors.js';
import { LogSize } from './log-size.js';
import { after, hasEnded, isEnding, isHeld, isOwed, RUNNING, shown, type LogEvent } from './log-state.js';
import type { LogSettings, LogSource, PersistenceState } from './log-settings.js';
import { Queue, type PieceBatch } from './queue.js';
import { Retry } from './retry.js';
import { RunningSaves } from './running-saves.js';
import type { Store } from './store.js';
import { nowOf } from './time.js';

export class PersistentLog {
  /** Saves that were requested. */
  readonly saves = new RunningSaves();
  readonly #db: LogSource;
  readonly #store: Store;
  readonly #settings: LogSettings;
  readonly #queue = new Queue();
  readonly #barriers = new Barriers();
  readonly #unwatch: (() => void) | undefined;
  readonly #intake: EffectsIntake;
  #state = RUNNING;
  #error: PersistenceError | undefined;
  readonly #size: LogSize;
  #lastFlushMs: number | null = null;
  readonly #retry = new Retry(() => this.flushNow());
  /** Appends of the store that run. */
  #appending = 0;
  #replacing: Promise<void> | undefined;
  /** The whole state that the store must get, if it was taken before the engine was closed. */
  #finalSnapshot: Uint8Array | undefined;
  #closing: Promise<void> | undefined;

  constructor(db: LogSource, store: Store, settings: LogSettings) {
    this.#db = db;
    this.#store = store;
    this.#settings = settings;
    this.#size = new LogSize(settings.logBytes, settings.snapshotBytes, store.compactBytesMin);
    store.onLost = (error) => this.#lost(error);
    store.onFailed = (error) => this.#failed(error);
    this.#intake = new EffectsIntake(db, {
      isImmediate: () => this.isImmediate,
      isFailing: () => this.state === 'failed',
      hasSlowTimers: () => store.hasSlowTimers === true,
      keepsAlive: store.watchEnd === undefined,
      take: () => this.#take(),
      append: () => void this.flushNow(),
      appendInCall: () => this.#appendInCall(),
    });
    this.#unwatch = store.watchEnd?.(() => this.flushNow());
  }

  get state(): PersistenceState {
    return shown(this.#state);
  }

  /** The last failure; undefined once writing succeeded again. */
  get error(): PersistenceError | undefined {
    return this.#error;
  }

  /** False if the store keeps snapshots only. */
  get isKept(): boolean {
    return this.#store.isSnapshotOnly !== true;
  }

  get sizes(): LogSize['bytes'] {
    return this.#size.bytes;
  }

  /** True if effects are appended before the call that caused them returns. */
  get isImmediate(): boolean {
    return this.#settings.isImmediate();
  }

  get #isUrgent(): boolean {
    return this.#store.isUrgent === true;
  }

  /** Bytes that were taken from the engine and not yet flushed. */
  get pendingBytes(): number {
    return this.#queue.bytes;
  }

  /** The system's time of the last completed append, or null. */
  get lastFlushMs(): number | null {
    return this.#lastFlushMs;
  }

  /**
   * Barrier: resolves when everything acknowledged before the call is flushed and synced; rejects if that fails. With
   * `isForced` it is synced also where the options leave that to the system. The options are those of the call, whatever
   * they become meanwhile.
   */
  async flush(isForced = this.#store.fsync !== 'no'): Promise<void> {
    this.refuseEnded();
    this.#take();
    const passed = this.#barriers.wait(this.#queue.lastSeq);
    this.#drain();
    await passed;
    await this.#synced(isForced);
    if (this.#intake.failure !== undefined) throw this.#intake.failure.error;
  }

  /** Appends everything pending as far as the store can without waiting. Returns false if something is still pending. */
  flushNow(): boolean {
    if (hasEnded(this.#state)) return false;
    this.#take();
    this.#drain();
    // The store may be lost by now.
    if (hasEnded(this.#state) || this.#intake.failure !== undefined) return false;
    return this.#queue.isEmpty && this.#state.contents === 'log';
  }

  /**
   * Appends everything pending: true if it was appended, false if it could not be. A promise if the store takes its time, or
   * the whole state is written first; it rejects if that fails.
   */
  appendPending(): boolean | Promise<void> {
    if (this.flushNow()) return true;
    if (this.state !== 'running' || this.#intake.failure !== undefined) return false;
    return this.#barriers.wait(this.#queue.lastSeq);
  }

  /** Runs work of which the effects are appended by the caller's `appendPending`, together with those of other work. */
  grouped<T>(work: () => T): T {
    return this.#intake.grouped(work);
  }

  /** Saves as requested. Requests are queued by the engine, one after the other. */
  async save(kind: SaveKind): Promise<void> {
    if (kind === 'snapshot' && this.#store.saveSnapshot !== undefined)
      await this.#store.saveSnapshot(this.#db.snapshot());
    else await this.#rewrite();
  }

  /** Replaces the log by a snapshot of the present state. Resolves when the store has it. */
  async #rewrite(): Promise<void> {
    this.refuseEnded();
    // Pieces behind a second snapshot would wait until the first one is written.
    while (this.#replacing !== undefined || this.#queue.hasSnapshot)
      await (this.#replacing ?? this.#barriers.wait(this.#queue.lastSeq));
    this.refuseEnded();
    this.#take();
    if (!this.#queue.hasSnapshot) this.#compact();
    const passed = this.#barriers.wait(this.#queue.lastSeq);
    this.#drain();
    await passed;
    await this.#replacing;
    if (this.#error !== undefined) throw this.#error;
  }

  /** Replaces the store's contents by the present state, which no effects lead to: after `load` of another snapshot. */
  replaceAll(): void {
    if (hasEnded(this.#state)) return;
    this.#owe();
    this.#drain();
  }

  /** Flushes, releases the store, and resolves. The engine may be closed as soon as this method has returned. */
  close(): Promise<void> {
    if (this.#closing === undefined) {
      // A write that fails at once still counts as one before the end.
      this.#closing = this.#close();
      this.#change('close');
    }
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (this.#state.life === 'lost') return this.#store.close();
    this.#take(true);
    if (isOwed(this.#state) && this.#intake.failure === undefined) this.#finalSnapshot ??= this.#db.snapshot();
    this.#stopListening();
    const isForced = this.#store.fsync !== 'no';
    const passed = this.#barriers.wait(this.#queue.lastSeq);
    this.#drain();
    try {
      await passed;
      await this.#synced(isForced);
    } finally {
      this.#change('ended');
      await this.#replacing;
      await this.saves.idle();
      await this.#store.close();
    }
  }

  async #synced(isForced: boolean): Promise<void> {
    try {
      await this.#store.sync(isForced);
    } catch (error) {
      this.#failed(error);
      throw this.#error;
    }
  }

  /** Throws if the store is lost or closed. */
  refuseEnded(): void {
    if (this.#state.life === 'lost' && this.#error !== undefined) throw this.#error;
    if (this.#closing !== undefined) throw new PersistenceError('LOST', `${this.#store.title} is closed`);
  }

  /** Appends the effects of the call in progress, which throws if that fails. */
  #appendInCall(): void {
    if (!this.flushNow()) this.#settings.failCall(unwritten(this.#store.title, this.#error));
  }

  /** Takes pending effects; in the same turn the snapshot, if the log is worth replacing. */
  #take(all = false): void {
    const effects = this.#intake.take(all);
    // The owed snapshot will contain them.
    if (effects.length === 0 || isOwed(this.#state)) return;
    this.#queue.push(effects, nowOf(this.#db));
    // While writing fails, a snapshot at the end of the failure takes less memory than a long queue.
    if (this.state === 'failed') return this.#size.isDue(this.#queue.bytes) ? this.#owe() : undefined;
    const isIdle = this.#replacing === undefined && !this.#queue.hasSnapshot && this.isKept && !this.#isUrgent;
    if (isIdle && this.#size.isLong(this.#queue.bytes)) this.#compact();
  }

  #owe(): void {
    this.#change('owe');
    this.#finalSnapshot = undefined;
    this.#queue.clear();
  }

  /** Queues a snapshot. Without the memory for one, the log continues to grow. */
  #compact(): void {
    try {
      const rest = this.#intake.take(true);
      if (rest.length > 0 && !isOwed(this.#state)) this.#queue.push(rest, nowOf(this.#db));
      this.#queue.pushSnapshot(this.#db.snapshot(), nowOf(this.#db));
    } catch (error) {
      this.#compactFailed(error);
    }
  }

  #compactFailed(error: unknown): void {
    this.#error = failureOf(error, this.#store.title);
    this.#size.replaceFailed(this.#queue.bytes);
    if (this.#mustReplace) this.#failed(error);
  }

  /** Whether the store needs the whole state, and is not getting it. */
  get #mustReplace(): boolean {
    return this.#store.mustReplace === true && !isHeld(this.#state);
  }

  /** Writes what is queued, in order; synchronously as far as the store is. */
  #drain(): void {
    this.#retry.cancel();
    while ((this.#appending === 0 || this.#isUrgent) && !isHeld(this.#state) && this.#state.life !== 'lost') {
      if (this.#state.contents === 'owed') return this.#replaceOwed();
      const batch = this.#queue.next();
      if (batch === undefined) break;
      if (batch.snapshot === undefined) {
        if (!this.#append(batch)) return;
      } else if (this.#appending > 0) {
        // Pieces behind the snapshot would wait for it, and the page is about to end.
        this.#queue.done(batch);
        this.#compactFailed(new PersistenceError('FAILED', `${this.#store.title}: the page was left`));
      } else if (this.#replacing === undefined) {
        this.#queue.done(batch);
        this.#barriers.pass(batch.seq);
        void this.#replace(batch.snapshot, batch.nowMs).catch(() => {});
      } else return;
    }
    if (this.#queue.isEmpty && this.#appending === 0 && !isHeld(this.#state)) this.#barriers.pass(this.#queue.lastSeq);
  }

  /** False if the append failed, or goes on and others wait for its end. */
  #append(batch: PieceBatch): boolean {
    try {
      const running = this.#store.append(batch.bytes, batch.nowMs);
      if (running === undefined) {
        this.#appended(batch);
        return true;
      }
      this.#queue.started(batch);
      this.#appending += 1;
      running.then(
        () => {
          this.#appending -= 1;
          this.#appended(batch);
          this.#drain();
        },
        (error: unknown) => {
          this.#appending -= 1;
          this.#queue.failed(batch);
          this.#failed(error);
        },
      );
      return this.#isUrgent;
    } catch (error) {
      this.#failed(error);
    }
    return false;
  }

  #appended(batch: PieceBatch): void {
    this.#size.appended(batch.bytes.length);
    this.#queue.done(batch);
    this.#succeeded();
    this.#barriers.pass(batch.seq);
  }

  #succeeded(): void {
    this.#lastFlushMs = Date.now();
    this.#retry.reset();
    if (this.state !== 'failed' || isOwed(this.#state)) return;
    this.#error = undefined;
    this.#change('written');
  }

  /** Gives the store a snapshot. Rejects if it could not be written; the log then stays as it is. */
  #replace(snapshot: Uint8Array, nowMs: number): Promise<void> {
    this.#size.replaceBegan();
    const replaced = this.#store.replace(snapshot, this.#settings.seed, nowMs).then(() => {
      this.#size.replaced(snapshot.length);
      if (this.state === 'running') this.#error = undefined;
    });
    this.#replacing = replaced
      .catch((error: unknown) => this.#compactFailed(error))
      .then(() => {
        this.#replacing = undefined;
        // After a failure the retry goes on, unless its pause ended meanwhile.
        if (this.state !== 'failed' || !this.#retry.isScheduled) this.#drain();
      });
    return replaced;
  }

  /** Gives the store the whole state. Nothing is appended meanwhile: without that state it would make no sense. */
  #replaceOwed(): void {
    if (this.#replacing !== undefined) return;
    this.#change('take');
    let snapshot: Uint8Array;
    try {
      this.#take(true);
      snapshot = this.#finalSnapshot ?? this.#db.snapshot();
    } catch (error) {
      this.#change('refused');
      return this.#failed(error);
    }
    this.#change('give');
    this.#replace(snapshot, nowOf(this.#db)).then(
      () => {
        this.#change('replaced');
        this.#succeeded();
      },
      (error: unknown) => {
        this.#change('refused');
        this.#owe();
        this.#failed(error);
      },
    );
  }

  #failed(error: unknown): void {
    if (this.#state.life === 'lost') return;
    const failure = failureOf(error, this.#store.title);
    if (failure.code === 'LOST' && !isEnding(this.#state)) return this.#lost(failure);
    this.#error = failure;
    if (this.#mustReplace) this.#owe();
    this.#barriers.fail(failure);
    if (isEnding(this.#state)) return;
    this.#retry.schedule();
    this.#change('failed');
  }

  #lost(error: PersistenceError): void {
    if (hasEnded(this.#state)) return;
    const isClosing = isEnding(this.#state);
    this.#error = error;
    this.#stopListening();
    this.#queue.clear();
    this.#change('lost');
    this.#barriers.fail(error);
    if (!isClosing && this.#intake.failure === undefined) this.#db.record(false);
  }

  #stopListening(): void {
    this.#intake.end();
    this.#unwatch?.();
  }

  /** Changes the state; the end of the log cancels its timers. */
  #change(event: LogEvent): void {
    const before = this.state;
    this.#state = after(this.#state, event);
    if (this.state === before) return;
    if (hasEnded(this.#state)) this.#retry.cancel();
    this.#settings.changed();
  }
}
