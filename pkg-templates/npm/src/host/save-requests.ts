/**
 * Saves that commands request (SAVE, BGSAVE, BGREWRITEAOF), the rule of `save`, the program or the end of a server: one queue,
 * kept by the engine. The store runs them one after the other.
 */
import { Status } from './generated/convention.js';
import type { Instance } from './instance.js';

/** Kind of a save: the snapshot (SAVE, BGSAVE), or a log without history in the place of the old one (BGREWRITEAOF). */
export type SaveKind = 'snapshot' | 'rewrite';

/** The store of an engine, as far as requests need it. */
export interface Saver {
  /** True if the store keeps a log, which WAITAOF waits for. */
  readonly hasLog: boolean;
  /** Begins a save. Its end is reported by `SaveRequests.finish`. */
  save(kind: SaveKind): void;
  /** Begins to force the log to the medium. Its end is reported by `SaveRequests.synced`. */
  sync(effects: number): void;
}

/** The host of an engine, as far as saves need it. */
interface Entrance {
  readonly closed: boolean;
  readonly poisoned: boolean;
  enter<T>(work: (instance: Instance) => T): T;
}

/** A caller that waits for a save that begins after its request. */
interface Waiter {
  readonly kind: SaveKind;
  hasBegun: boolean;
  readonly pass: () => void;
  readonly fail: (error: Error) => void;
}

export class SaveRequests {
  readonly #host: Entrance;
  readonly #changed: () => void;
  #saver: Saver | undefined;
  #waiters: Waiter[] = [];
  #isReadOnly = false;
  #snapshotAtMs = -Infinity;

  /** `changed` is called when the saver was set or removed. */
  constructor(host: Entrance, changed: () => void) {
    this.#host = host;
    this.#changed = changed;
  }

  /** When the last snapshot was there, by a clock that no one sets. */
  get snapshotAtMs(): number {
    return this.#snapshotAtMs;
  }

  get hasSaver(): boolean {
    return this.#saver !== undefined;
  }

  /** Status bits that require work after a call. */
  get bits(): number {
    return this.#saver === undefined ? 0 : Status.Save;
  }

  /** Sets the saver, or removes it with undefined: commands that save are refused then. */
  setSaver(saver: Saver | undefined): void {
    this.#saver = saver;
    this.#changed();
    this.#host.enter((instance) => this.move(instance));
  }

  /** Requests a save as BGSAVE and BGREWRITEAOF do. Resolves at the end of one that began after the request. */
  request(kind: SaveKind): Promise<void> {
    return new Promise((pass, fail) => {
      this.#waiters.push({ kind, hasBegun: false, pass, fail });
      this.#host.enter((instance) => instance.guarded(() => instance.engine.requestSave(kind)));
    });
  }

  /**
   * Reports the end of a save, with the failure if there is one: SAVE replies, and the next requested save begins. The engine
   * may have ended before. `reason` is what clients read.
   */
  finish(kind: SaveKind, failure?: Error, reason = failure?.message): void {
    if (kind === 'snapshot' && failure === undefined) this.#snapshotAtMs = performance.now();
    const isEnded = (waiter: Waiter): boolean => waiter.kind === kind && waiter.hasBegun;
    const ended = this.#waiters.filter(isEnded);
    this.#waiters = this.#waiters.filter((waiter) => !isEnded(waiter));
    for (const { pass, fail } of ended) {
      if (failure === undefined) pass();
      else fail(failure);
    }
    if (this.#host.closed || this.#host.poisoned) return;
    this.#host.enter((instance) => instance.guarded(() => instance.engine.finishSave(kind, failure && reason)));
  }

  /** Rejects requests that no save will serve: the engine has ended. */
  end(error: Error): void {
    const waiting = this.#waiters.filter(({ hasBegun }) => !hasBegun);
    this.#waiters = this.#waiters.filter(({ hasBegun }) => hasBegun);
    for (const { fail } of waiting) fail(error);
  }

  /** Reports that the log is forced to the medium up to a number of effects. */
  synced(effects: number): void {
    this.#host.enter((instance) => instance.guarded(() => instance.engine.logSynced(effects)));
  }

  /** Reports why the store cannot write its log, or that it can: writes are refused meanwhile (MISCONF). */
  reportLog(failure?: string): void {
    this.#host.enter((instance) => instance.guarded(() => instance.engine.reportLog(failure)));
  }

  /** Refuses writes and saves from now on, with the error READONLY. */
  setReadOnly(): void {
    this.#isReadOnly = true;
    this.#host.enter((instance) => this.move(instance));
  }

  /** Number of effects since the last snapshot, while effects are recorded. */
  get unsavedEffects(): number {
    return this.#host.enter((instance) => instance.guarded(() => instance.engine.unsavedEffects()));
  }

  /** Continues in an instance that replaces another. */
  move(to: Instance): void {
    const hasLog = this.#saver?.hasLog === true;
    for (const [role, isOn] of [
      ['store', this.hasSaver],
      ['log', hasLog],
      ['reader', this.#isReadOnly],
    ] as const)
      to.guarded(() => to.engine.declare(role, isOn));
  }

  /** Begins what is requested, as far as each ends at once. An error of the saver is the failure of the save. */
  begin(instance: Instance): void {
    const saver = this.#saver;
    if (saver === undefined) return;
    const effects = instance.guarded(() => instance.engine.takeSyncRequest());
    if (effects !== undefined) saver.sync(effects);
    for (;;) {
      const kind = instance.guarded(() => instance.engine.takeSaveRequest()) as SaveKind | undefined;
      if (kind === undefined) return;
      for (const waiter of this.#waiters) waiter.hasBegun ||= waiter.kind === kind;
      try {
        saver.save(kind);
      } catch (error) {
        this.finish(kind, error instanceof Error ? error : new Error(String(error)));
      }
    }
  }
}
