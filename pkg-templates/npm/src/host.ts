/**
 * Keeps one engine: makes it at the first command, guards every entry, delivers events and messages when the outermost call
 * has its reply, and keeps the timer. Everything public goes through `enter`.
 */
import { ClientObservers, type ClientObserver } from './client-observers.js';
import type { GuardedClock, ManualClock, ClockUser } from './clock.js';
import { ClockError, ClosedError, PoisonedError, WaitingError } from './errors.js';
import { Events, type Callback, type ListenOptions } from './events.js';
import { BLOCKED } from './frame.js';
import { Status } from './generated/convention.js';
import type { Instance } from './instance.js';
import type { Reply } from './reply.js';
import { Timer, type Waker } from './timer.js';

/** A message for callbacks. */
export interface Message {
  /** How many of the events that wait came before it. */
  readonly before: number;
  deliver(): void;
}

/** Where messages for callbacks come from. */
export interface MessageSource {
  take(instance: Instance): readonly Message[];
}

/** Listeners that go on causing events are stopped after this many rounds: it would never end. */
const ROUNDS_MAX = 10_000;

const NOTHING = new Uint8Array(0);

export class Host implements ClockUser, Waker {
  readonly events = new Events();
  readonly #make: (floorMs?: number) => Instance;
  readonly #clock: GuardedClock;
  readonly #manual: ManualClock | undefined;
  readonly #timer: Timer;
  #instance: Instance | undefined;
  #closed = false;
  #poison: { readonly cause: unknown } | undefined;
  #depth = 0;
  #delivering = false;
  /** Names of the events that are listened to, separated by blanks. */
  #listening = '';
  #recording = false;
  /** Effects of instances that were replaced, which nobody took yet. */
  #effects = NOTHING;
  /** Whether listeners or observers need what a call left, and the bits of a status that say there is something. */
  #watched = false;
  #watchedBits = 0;
  readonly #observers = new ClientObservers();
  // Replaced, never changed in place: a source may come or go in the midst of a delivery.
  #sources: readonly MessageSource[] = [];

  /** `make` makes an instance whose clock, if it is monotonic, shows no less than it is told. */
  constructor(make: (floorMs?: number) => Instance, clock: GuardedClock, manual: ManualClock | undefined) {
    this.#make = make;
    this.#clock = clock;
    this.#manual = manual;
    this.#timer = new Timer(this);
    manual?.attach(this);
  }

  get closed(): boolean {
    return this.#closed;
  }

  get poisoned(): boolean {
    return this.#poison !== undefined;
  }

  get manual(): ManualClock | undefined {
    return this.#manual;
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
      if (this.#watched && this.#depth === 0 && !this.#delivering) this.#afterCommand(instance);
    }
  }

  /** Runs the command whose arguments are in the frame; as in `enter`, events are delivered before it returns. */
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
    if ((status & this.#watchedBits) !== 0 && this.#depth === 0 && !this.#delivering) this.#afterCommand(instance);
    if (reply === BLOCKED) throw new WaitingError(instance.frame.command);
    return reply;
  }

  /**
   * Has somebody look after a client: told after every call that affected it, and what is due happens in time. With
   * `keepsAlive` the process does not end before that either. Answers how to end it.
   */
  observe(client: number, observer: ClientObserver, keepsAlive = false): () => void {
    return this.#observing(this.#observers.add(client, observer, keepsAlive));
  }

  /** The same for changes of the configuration. */
  observeConfiguration(configured: () => void): () => void {
    return this.#observing(this.#observers.addConfiguration(configured));
  }

  /** Messages are delivered together with the events, in the order in which both came about. Answers how to end it. */
  deliverFrom(source: MessageSource): () => void {
    this.#sources = [...this.#sources, source];
    return () => {
      this.#sources = this.#sources.filter((other) => other !== source);
    };
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

  /** To be called after each change of what these two depend on: asking for all of it before every call takes longer than many a call. */
  #changed(): void {
    this.#watched = this.#listening !== '' || this.#observers.any;
    this.#watchedBits = this.#watched ? Status.Events | Status.Affected | Status.DeadlineEarlier : 0;
  }

  /** Says why a result is missing: only a clock that failed leaves one out. */
  clockFailure(): ClockError {
    return this.#clock.takeFailure() ?? new ClockError('the clock failed');
  }

  addListener(event: string, listener: Callback, once: boolean, options: ListenOptions | undefined): void {
    this.#refuseClock();
    if (this.#closed) throw new ClosedError('engine');
    this.events.add(event, listener, once, options);
    this.#listenersChanged();
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
    // Without an instance nothing can have happened yet; it is told when it is made.
    const instance = this.#instance;
    if (instance === undefined || this.#poison !== undefined) return;
    this.enter(() => instance.guarded(() => instance.engine.listen(wanted)));
  }

  /** A clock is asked in the midst of a call: nothing may change under that call. */
  #refuseClock(): void {
    if (this.#clock.reading) throw new Error('the clock must not use the engine it drives');
  }

  /** Removes what is due: one bounded slice, or until nothing is due any more. True when more is due. */
  tick(): boolean {
    return this.enter((instance) => {
      const more = instance.guarded(() => instance.engine.tick());
      const failure = this.#clock.takeFailure();
      if (failure) throw failure;
      return more;
    });
  }

  nextExpiry(): number | null {
    return this.enter((instance) => instance.guarded(() => instance.engine.nextDeadline()) ?? null);
  }

  /** The timer went off. */
  wake(): void {
    if (this.#closed || this.#poison !== undefined) return;
    this.#timer.disarm();
    try {
      this.tick();
    } catch (error) {
      this.events.report(error);
    }
  }

  clockMoved(nowMs: number): void {
    const instance = this.#instance;
    if (instance === undefined || this.#closed || this.#poison !== undefined) return;
    this.enter(() => {
      instance.guarded(() => instance.engine.setClock(nowMs));
      while (this.tick());
    });
  }

  /** Starts or stops the log of effects. */
  record(on: boolean): void {
    this.enter((instance) => instance.guarded(() => instance.engine.record(on)));
    this.#recording = on;
  }

  takeEffects(): Uint8Array {
    const effects = this.enter((instance) => instance.guarded(() => instance.engine.takeEffects()));
    const before = this.#effects;
    this.#effects = NOTHING;
    return before.length === 0 ? effects : joined(before, effects);
  }

  /** Goes on in a fresh instance with the same keys and clients; answers by how much less memory. */
  compact(): number {
    this.#refuseClock();
    if (this.#depth > 0 || this.#delivering) throw new Error('compact() cannot run within another call of the engine');
    if (this.#observers.any) throw new Error('compact() must wait while somebody is subscribed, waits or is served');
    const old = this.ready();
    // The snapshot takes memory too, of both.
    const { memoryBytes } = old;
    try {
      const fresh = this.#moved(old);
      this.#effects = joined(
        this.#effects,
        old.guarded(() => old.engine.takeEffects()),
      );
      this.#instance = fresh;
      this.#changed();
      old.engine.free();
      return memoryBytes - fresh.memoryBytes;
    } catch (error) {
      throw this.#judged(old, error);
    }
  }

  /** A fresh instance with what is in another, which stays as it is. */
  #moved(old: Instance): Instance {
    const floorMs = old.guarded(() => old.engine.now());
    if (Number.isNaN(floorMs)) throw this.clockFailure();
    const state = old.guarded(() => old.engine.exportState());
    const snapshot = old.guarded(() => old.engine.snapshot());
    const fresh = this.#make(floorMs);
    if (this.#manual) fresh.engine.setClock(this.#manual.now());
    fresh.withInput(snapshot, (length) => fresh.engine.load(length));
    fresh.withInput(state, (length) => fresh.engine.importState(length));
    fresh.guarded(() => {
      fresh.engine.record(this.#recording);
      fresh.engine.listen(this.#listening);
    });
    return fresh;
  }

  close(): void {
    this.#refuseClock();
    if (this.#closed) return;
    this.#closed = true;
    this.#changed();
    this.#timer.disarm();
    this.#manual?.detach(this);
    this.events.clear();
    this.#listening = '';
    // A trapped instance is left to the garbage collector: nothing in it may run again.
    if (this.#poison === undefined) this.#instance?.engine.free();
    this.#instance = undefined;
    this.#observers.end(new ClosedError('engine'));
  }

  /** The engine, made at the first call. */
  ready(): Instance {
    if (this.#closed) throw new ClosedError('engine');
    if (this.#poison !== undefined) throw new PoisonedError(this.#poison.cause);
    this.#refuseClock();
    if (this.#instance === undefined) {
      const instance = this.#make();
      if (this.#manual) instance.engine.setClock(this.#manual.now());
      if (this.#listening !== '') instance.engine.listen(this.#listening);
      this.#instance = instance;
      this.#changed();
    }
    return this.#instance;
  }

  /** What is thrown by WebAssembly itself leaves the instance half-way through something. */
  #judged(instance: Instance, error: unknown): unknown {
    if (!instance.inside) return error;
    instance.inside = false;
    if (!isTrap(error)) return error;
    this.#poison = { cause: error };
    this.#changed();
    this.#timer.disarm();
    const poisoned = new PoisonedError(error);
    this.#observers.end(poisoned);
    return poisoned;
  }

  /** The outermost call is over: what it caused goes out, then the timer is set to what is due next. */
  #afterCommand(instance: Instance): void {
    if (this.#closed || this.#poison !== undefined) return;
    this.#delivering = true;
    try {
      for (let rounds = 0; ; ) {
        if (this.#deliver(instance, rounds)) rounds += 1;
        else if (!this.#tell(instance)) break;
      }
      // The last listener may have been one for once.
      this.#listenersChanged();
      this.#arm(instance);
    } catch (error) {
      // A trap here poisons and is told by the next call; this one keeps its result.
      this.#judged(instance, error);
    } finally {
      this.#delivering = false;
    }
  }

  /** Hands events to listeners and messages to callbacks; false when there were none, or it would never end. */
  #deliver(instance: Instance, rounds: number): boolean {
    if (this.#closed || this.#poison !== undefined) return false;
    const events = this.#listening !== '' ? (instance.guarded(() => instance.engine.takeEvents()) ?? []) : [];
    const messages = this.#take(instance);
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

  /** The messages of all sources, in order; those that stand at one place among the events in the order of the sources. */
  #take(instance: Instance): readonly Message[] {
    const [first, ...others] = this.#sources;
    const messages = first?.take(instance) ?? [];
    if (others.length === 0) return messages;
    return [...messages, ...others.flatMap((source) => source.take(instance))].sort(
      (one, other) => one.before - other.before,
    );
  }

  /** Tells those who look after clients; false when nothing had reached any. */
  #tell(instance: Instance): boolean {
    return !this.#closed && this.#poison === undefined && this.#observers.any && this.#observers.notify(instance);
  }

  #arm(instance: Instance): void {
    if (this.#manual || !this.#watched || this.#closed || this.#poison !== undefined) return;
    const due = instance.guarded(() => instance.engine.nextDeadline());
    if (due === undefined) return this.#timer.disarm();
    const now = this.#clock.read();
    // A clock that fails here is told by the next command that needs it.
    if (this.#clock.takeFailure() === undefined) this.#timer.arm(due, now, this.#observers.keepsAlive);
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

/** By name: the error may come from another realm. InternalError is Firefox's word for a stack that ran out. */
function isTrap(error: unknown): boolean {
  const name = (error as { readonly name?: unknown } | null)?.name;
  return name === 'RuntimeError' || name === 'RangeError' || name === 'InternalError';
}
