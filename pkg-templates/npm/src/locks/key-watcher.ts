/** Keys that are watched by tracking: a readonly command runs again whenever its key has changed. */
import { Reopening } from './reopening.js';
import type { Time } from './time.js';

/** Reply or error of the command. */
export interface Outcome {
  readonly reply?: unknown;
  readonly error?: unknown;
}

/** A connection to a server that reports changes of the keys read through it. */
export interface Tracker {
  /** Runs a readonly command, which tracks its keys until their next change. */
  send(argv: readonly string[]): Promise<unknown>;
  close(): void;
}

/** Listener of a tracker. */
export interface TrackerEvents {
  /** Keys have changed; null for all of them. */
  changed(keys: readonly string[] | null): void;
  /** The connection is gone: nothing is reported any more. */
  failed(): void;
}

/** Opens trackers, and says how long one is kept without a watch. */
export interface TrackerSource {
  readonly lingerMs: number;
  open(events: TrackerEvents): Promise<Tracker>;
}

interface Watch {
  readonly argv: readonly string[];
  readonly callback: (outcome: Outcome) => void;
}

/** Watchers by the source of their trackers. */
const watchers = new WeakMap<TrackerSource, KeyWatcher>();

/** The watcher of a source: any number of locks need one tracker. */
export function watcherOf(source: TrackerSource, time: Time): KeyWatcher {
  const known = watchers.get(source) ?? new KeyWatcher(source, time);
  watchers.set(source, known);
  return known;
}

/**
 * Watches any number of keys through one tracker. A tracker that is lost is opened again, and all keys are looked at then:
 * nothing was reported meanwhile. One that could never be opened is not tried again, until the next watch.
 */
export class KeyWatcher {
  readonly #source: TrackerSource;
  readonly #time: Time;
  readonly #watches = new Map<string, Set<Watch>>();
  #tracker: Promise<Tracker> | undefined;
  #cancelClose = (): void => {};
  readonly #reopening: Reopening;

  constructor(source: TrackerSource, time: Time) {
    this.#source = source;
    this.#time = time;
    this.#reopening = new Reopening(time, () => this.#changed(null));
  }

  /** Calls back with the outcome of a command that reads the key, soon and after each change of the key. */
  watch(key: string, argv: readonly string[], callback: (outcome: Outcome) => void): () => void {
    const watch = { argv, callback };
    const watches = this.#watches.get(key) ?? new Set<Watch>();
    this.#watches.set(key, watches.add(watch));
    this.#cancelClose();
    void this.#look(key, watch);
    return () => this.#remove(key, watch);
  }

  #remove(key: string, watch: Watch): void {
    const watches = this.#watches.get(key);
    if (watches === undefined || !watches.delete(watch)) return;
    if (watches.size === 0) this.#watches.delete(key);
    if (this.#watches.size > 0) return;
    this.#reopening.end();
    const { lingerMs } = this.#source;
    if (lingerMs === 0) this.#close();
    else this.#cancelClose = this.#time.after(lingerMs, () => this.#close());
  }

  #close(): void {
    const tracker = this.#tracker;
    this.#tracker = undefined;
    tracker?.then((opened) => opened.close()).catch(() => {});
  }

  #changed(keys: readonly string[] | null): void {
    for (const key of keys ?? [...this.#watches.keys()]) {
      for (const watch of [...(this.#watches.get(key) ?? [])]) void this.#look(key, watch);
    }
  }

  async #look(key: string, watch: Watch): Promise<void> {
    let outcome: Outcome;
    try {
      const tracker = await this.#opened();
      outcome = { reply: await tracker.send(watch.argv) };
    } catch (error) {
      outcome = { error };
    }
    if (this.#watches.get(key)?.has(watch)) watch.callback(outcome);
  }

  #opened(): Promise<Tracker> {
    if (this.#tracker !== undefined) return this.#tracker;
    const opening = this.#source.open({
      changed: (keys) => this.#changed(keys),
      failed: () => {
        if (this.#tracker === opening) this.#lost();
      },
    });
    this.#tracker = opening;
    opening.then(
      () => {
        if (this.#tracker === opening) this.#reopening.end();
      },
      () => {
        if (this.#tracker !== opening) return;
        if (this.#reopening.isPending) this.#lost();
        else this.#tracker = undefined;
      },
    );
    return opening;
  }

  #lost(): void {
    this.#close();
    if (this.#watches.size > 0) this.#reopening.lost();
  }
}
