/**
 * Owner of one engine: creates it at the first command, guards every entry by `enter`, and works after the outermost call:
 * events, messages, effects, the timer.
 */
import { ClientObservers, type ClientObserver } from './client-observers.js';
import type { GuardedClock, ManualClock, ClockUser } from './clock.js';
import { ClockError, ClosedError, isTrap, PoisonedError } from '../base/errors.js';
import { EffectsLog } from './effects-log.js';
import { Events, type Callback, type ListenOptions } from './events.js';
import { BLOCKED } from './frame.js';
import { Status } from './generated/convention.js';
import { Inside, type Instance } from './instance.js';
import { MessageSources, type MessageSource } from './message-source.js';
import type { Reply } from '../resp/reply.js';
import { SaveRequests } from './save-requests.js';
import { fromCaller } from '../base/stack.js';
import { Timer, type Waker } from './timer.js';

/** Rounds after which listeners that keep causing events are stopped. */
const ROUNDS_MAX = 10_000;

export class Host implements ClockUser, Waker {
  readonly events = new Events();
  readonly saves = new SaveRequests(this, () => this.#changed());
  readonly #make: (floorMs?: number) => Instance;
  readonly #clock: GuardedClock;
  readonly manual: ManualClock | undefined;
  readonly #timer: Timer;
  #instance: Instance | undefined;
  #closed = false;
  #poison: { readonly cause: unknown } | undefined;
  #depth = 0;
  #delivering = false;
  /** Error of the store that the call in progress throws in the end: its change is in memory only. */
  #callFailure: Error | undefined;
  /** True while the timer runs the engine, and not a call of the program. */
  #isWaking = false;
  /** Takes the timer's place: called with the first instant at which `tick` has to serve a client that waits, if there is one. */
  schedule: ((dueMs: number | undefined) => void) | undefined;
  /** Names of the events with a listener, separated by blanks. */
  #listening = '';
  /** Whether there are listeners or observers, and the status bits that require work after a call. */
  #watched = false;
  #watchedBits = 0;
  readonly #observers = new ClientObservers();
  readonly #effects = new EffectsLog();
  readonly #sources = new MessageSources();

  /** `make` creates an instance; its monotonic clock, if any, never shows less than `floorMs`. */
  constructor(make: (floorMs?: number) => Instance, clock: GuardedClock, manual: ManualClock | undefined) {
    this.#make = make;
    this.#clock = clock;
    this.manual = manual;
    this.#timer = new Timer(this);
    manual?.attach(this);
  }

  get closed(): boolean {
    return this.#closed;
  }

  get poisoned(): boolean {
    return this.#poison !== undefined;
  }

  get #hasEnded(): boolean {
    return this.#closed || this.#poison !== undefined;
  }

  /** Runs work on the engine. Before the outermost entry returns or throws, events are delivered. */
  enter<T>(work: (instance: Instance) => T): T {
    const instance = this.ready();
    this.#depth += 1;
    try {
      return work(instance);
    } catch (error) {
      throw this.#judged(instance, error);
    } finally {
      this.#depth -= 1;
      if (this.#watched && this.#depth === 0 && !this.#delivering) this.#finish(instance);
    }
  }

  /** Makes the outermost call in progress throw this error once events are delivered. Without one nothing happens. */
  failCall(error: Error): void {
    if (this.#delivering && !this.#isWaking) this.#callFailure ??= error;
  }

  /** Works after the outermost call, which throws if its change could not be stored. */
  #finish(instance: Instance): void {
    this.#afterCommand(instance);
    const failure = this.#callFailure;
    this.#callFailure = undefined;
    if (failure !== undefined) throw fromCaller(failure);
  }

  /** Runs the command in the frame; as in `enter`, events are delivered before it returns. */
  call(instance: Instance, client: number, row: number, count: number, asBytes: boolean): Reply<string | Uint8Array> {
    let status: number;
    try {
      status = instance.call(client, row, count);
    } catch (error) {
      throw this.#judged(instance, error);
    }
    const { frame } = instance;
    const reply = frame.reply((status & Status.Ascii) !== 0, asBytes);
    frame.end();
    if ((status & this.#watchedBits) !== 0 && this.#depth === 0 && !this.#delivering) this.#finish(instance);
    return reply === BLOCKED ? instance.withoutReply(client, instance.frame.command) : reply;
  }

  /**
   * Adds an observer of a client: it is notified after every call that affected the client, and the timer runs while it
   * is there. With `keepsAlive` the timer keeps the process alive. Returns a function that removes it.
   */
  observe(client: number, observer: ClientObserver, keepsAlive = false): () => void {
    return this.#observing(this.#observers.add(client, observer, keepsAlive));
  }

  /** Adds a listener for changes of the configuration. Returns a function that removes it. */
  observeConfiguration(configured: () => void): () => void {
    return this.#observing(this.#observers.addConfiguration(configured));
  }

  /**
   * Adds a source of messages, which are delivered together with the events, in the order of their creation. Returns a
   * function that removes it.
   */
  deliverFrom(source: MessageSource): () => void {
    return this.#sources.add(source);
  }

  #observing(end: () => void): () => void {
    this.#changed();
    return () => {
      end();
      this.#changed();
      if (!this.#watched) this.#timer.disarm();
      // The timer may have kept the process alive for the wait that ended.
      else if (this.#depth === 0 && !this.#delivering && this.#instance !== undefined)
        this.#afterCommand(this.#instance);
    };
  }

  /** Called after each change of the listeners and observers. Both results are kept: computing them takes long. */
  #changed(): void {
    this.#watched = this.#listening !== '' || this.#observers.any || this.#effects.hasListeners || this.saves.hasSaver;
    const bits = Status.Events | Status.Affected | Status.DeadlineEarlier | this.#effects.bits | this.saves.bits;
    this.#watchedBits = this.#watched ? bits : 0;
  }

  /** Error for a missing result: only a failed clock causes one. */
  clockFailure(): ClockError {
    return this.#clock.takeFailure() ?? new ClockError('the clock failed');
  }

  /** Adds a listener of events; `ended` is called when the engine is closed. Returns a function that removes it. */
  addListener(
    event: string,
    listener: Callback,
    once: boolean,
    options: ListenOptions | undefined,
    ended?: () => void,
  ): () => void {
    this.#refuseClock();
    if (this.#closed) throw new ClosedError('engine');
    const remove = this.events.add(event, listener, once, options, ended);
    this.#listenersChanged();
    return () => {
      if (this.#closed) return;
      this.#refuseClock();
      remove();
      this.#listenersChanged();
    };
  }

  removeListener(event: string, listener: Callback): void {
    this.#refuseClock();
    this.events.remove(event, listener);
    this.#listenersChanged();
  }

  #listenersChanged(): void {
    const wanted = this.events.wanted;
    if (wanted === this.#listening) return;
    this.#listening = wanted;
    this.#changed();
    if (!this.#watched) this.#timer.disarm();
    // The names are passed on when an instance is created.
    const instance = this.#instance;
    if (instance === undefined || this.#poison !== undefined) return;
    this.enter(() => instance.guarded(() => instance.engine.listen(wanted)));
  }

  /** The clock is read in the middle of a call: the engine must not change during that call. */
  #refuseClock(): void {
    if (this.#clock.reading) throw fromCaller(new Error('the clock must not use the engine it drives'));
  }

  /** Removes due keys: one bounded slice, or all. True when more are due. */
  tick(): boolean {
    return this.enter((instance) => {
      const more = instance.guarded(() => instance.engine.tick());
      const failure = this.#clock.takeFailure();
      if (failure) throw failure;
      return more;
    });
  }

  nextExpiry(): number | null {
    return this.enter((instance) => instance.guarded(() => instance.engine.nextDeadline(false)) ?? null);
  }

  /** Called when the timer fires. */
  wake(): void {
    if (this.#hasEnded) return;
    this.#timer.disarm();
    this.#isWaking = true;
    try {
      this.tick();
    } catch (error) {
      this.events.report(error);
    } finally {
      this.#isWaking = false;
    }
  }

  clockMoved(nowMs: number): void {
    const instance = this.#instance;
    if (instance === undefined || this.#hasEnded) return;
    this.enter(() => {
      instance.guarded(() => instance.engine.setClock(nowMs));
      while (this.tick());
    });
  }

  record(on: boolean): void {
    this.enter((instance) => this.#effects.record(instance, on));
  }

  takeEffects(): Uint8Array {
    const effects = this.enter((instance) => this.#effects.take(instance));
    this.#changed();
    return effects;
  }

  /** Adds a listener for pending effects, and starts the log. Returns a function that removes it. */
  onEffects(listener: () => void): () => void {
    this.#refuseClock();
    const remove = this.#effects.addListener(listener);
    this.record(true);
    return this.#observing(remove);
  }

  /** Continues in a fresh instance with the same keys and clients. Returns the bytes of memory released. */
  compact(): number {
    this.#refuseClock();
    if (this.#depth > 0 || this.#delivering)
      throw fromCaller(new Error('compact() cannot run within another call of the engine'));
    if (this.#observers.any)
      throw fromCaller(new Error('compact() must wait while a client is subscribed, blocked or served'));
    const old = this.ready();
    // The snapshot takes memory in both instances.
    const { memoryBytes } = old;
    try {
      const fresh = this.#moved(old);
      this.#effects.move(old, fresh);
      this.saves.move(fresh);
      this.#instance = fresh;
      this.#changed();
      old.engine.free();
      return memoryBytes - fresh.memoryBytes;
    } catch (error) {
      throw this.#judged(old, error);
    }
  }

  /** A fresh instance with the contents of another, which is not changed. */
  #moved(old: Instance): Instance {
    const floorMs = old.guarded(() => old.engine.now());
    if (Number.isNaN(floorMs)) throw this.clockFailure();
    const state = old.guarded(() => old.engine.exportState());
    const snapshot = old.guarded(() => old.engine.snapshot());
    const fresh = this.#make(floorMs);
    if (this.manual) fresh.engine.setClock(this.manual.now());
    fresh.withInput(snapshot, (length) => fresh.engine.load(length, false));
    fresh.withInput(state, (length) => fresh.engine.importState(length, false));
    fresh.guarded(() => fresh.engine.listen(this.#listening));
    return fresh;
  }

  close(): void {
    this.#refuseClock();
    if (this.#closed) return;
    this.#closed = true;
    this.#changed();
    this.#timer.disarm();
    this.manual?.detach(this);
    this.events.clear();
    this.#listening = '';
    // A trapped instance is left to the garbage collector: nothing in it may run again.
    if (this.#poison === undefined) this.#instance?.engine.free();
    this.#instance = undefined;
    this.#observers.end(() => new ClosedError('engine'));
  }

  /** The engine, created at the first call. */
  ready(): Instance {
    if (this.#closed) throw new ClosedError('engine');
    if (this.#poison !== undefined) throw new PoisonedError(this.#poison.cause);
    this.#refuseClock();
    if (this.#instance === undefined) {
      const instance = this.#make();
      if (this.manual) instance.engine.setClock(this.manual.now());
      if (this.#listening !== '') instance.engine.listen(this.#listening);
      this.#instance = instance;
      this.#changed();
    }
    return this.#instance;
  }

  /** An error thrown by WebAssembly itself, or within a command, leaves the instance in the middle of an operation. */
  #judged(instance: Instance, error: unknown): unknown {
    const { inside } = instance;
    if (inside === Inside.No) return error;
    instance.inside = Inside.No;
    if (inside === Inside.Method && !isTrap(error)) return error instanceof Error ? fromCaller(error) : error;
    this.#poison = { cause: error };
    this.#changed();
    this.#timer.disarm();
    this.#observers.end(() => new PoisonedError(error));
    return new PoisonedError(error);
  }

  /** Runs after the outermost call: delivers events and messages, then sets the timer to the next deadline. */
  #afterCommand(instance: Instance): void {
    if (this.#hasEnded) return;
    this.#delivering = true;
    try {
      this.saves.begin(instance);
      for (let rounds = 0; ; ) {
        if (this.#deliver(instance, rounds)) rounds += 1;
        else if (this.#hasEnded || !this.#observers.any || !this.#observers.notify(instance)) break;
      }
      if (this.#effects.bits !== 0) this.#signalEffects(instance);
      if (this.saves.hasSaver) this.saves.begin(instance);
      // The last listener may have been a `once` listener.
      this.#listenersChanged();
      this.#arm(instance);
    } catch (error) {
      // A trap here poisons the engine; the next call throws it, and this one keeps its result.
      this.#judged(instance, error);
    } finally {
      this.#delivering = false;
    }
  }

  /**
   * Delivers events to listeners and messages to callbacks; false when there were none, or the limit of rounds is
   * reached.
   */
  #deliver(instance: Instance, rounds: number): boolean {
    if (this.#hasEnded) return false;
    const events = this.#listening !== '' ? (instance.guarded(() => instance.engine.takeEvents()) ?? []) : [];
    const messages = this.#sources.take(instance);
    if (events.length + messages.length === 0) return false;
    if (rounds >= ROUNDS_MAX) {
      this.events.report(new Error(`callbacks caused events for more than ${ROUNDS_MAX} rounds; the rest is dropped`));
      return false;
    }
    let next = 0;
    const dispatchTo = (end: number): void => {
      for (const event of events.slice(next, end)) this.events.dispatch(event);
      next = Math.max(next, end);
    };
    for (const message of messages) {
      dispatchTo(message.before);
      message.deliver();
    }
    dispatchTo(events.length);
    return true;
  }

  #signalEffects(instance: Instance): void {
    this.#effects.signal(instance, (listener) => this.events.run(listener));
    this.#changed();
  }

  #arm(instance: Instance): void {
    if (this.manual || !this.#watched || this.#hasEnded) return;
    if (this.schedule !== undefined) return this.schedule(instance.guarded(() => instance.engine.nextDeadline(true)));
    const due = instance.guarded(() => instance.engine.nextDeadline(false));
    if (due === undefined) return this.#timer.disarm();
    const now = this.#clock.read();
    // If the clock fails here, the next command that needs the time throws the error.
    if (this.#clock.takeFailure() === undefined) this.#timer.arm(due, now, this.#observers.keepsAlive);
  }
}
