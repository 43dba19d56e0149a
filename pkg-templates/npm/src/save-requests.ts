/** Saves that commands request (SAVE, BGSAVE, BGREWRITEAOF), and the store that runs them. */
import { Status } from './generated/convention.js';
import type { Instance } from './instance.js';

/** Kind of a save: the snapshot (SAVE, BGSAVE), or a log without history in the place of the old one (BGREWRITEAOF). */
export type SaveKind = 'snapshot' | 'rewrite';

/** Begins a save. Its end is reported by `SaveRequests.finish`. */
export type Saver = (kind: SaveKind) => void;

/** The host of an engine, as far as saves need it. */
interface Entrance {
  enter<T>(work: (instance: Instance) => T): T;
}

export class SaveRequests {
  readonly #host: Entrance;
  readonly #changed: () => void;
  #saver: Saver | undefined;
  #isReadOnly = false;

  /** `changed` is called when the saver was set or removed. */
  constructor(host: Entrance, changed: () => void) {
    this.#host = host;
    this.#changed = changed;
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

  /** Reports the end of a save, with the reason if it failed: SAVE replies, and the next requested save begins. */
  finish(kind: SaveKind, failure?: string): void {
    this.#host.enter((instance) => instance.guarded(() => instance.engine.finishSave(kind, failure)));
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
    to.guarded(() => to.engine.acceptSaves(this.hasSaver));
    if (this.#isReadOnly) to.guarded(() => to.engine.setReadOnly());
  }

  /** Begins the requested saves, as far as each ends at once. An error of the saver is the failure of the save. */
  begin(instance: Instance): void {
    const saver = this.#saver;
    if (saver === undefined) return;
    for (;;) {
      const kind = instance.guarded(() => instance.engine.takeSaveRequest()) as SaveKind | undefined;
      if (kind === undefined) return;
      try {
        saver(kind);
      } catch (error) {
        this.finish(kind, error instanceof Error ? error.message : String(error));
      }
    }
  }
}
