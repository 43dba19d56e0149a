/** Keys of an engine in this process, watched by tracking: a readonly command runs again whenever its key has changed. */
import type { Client } from '../client.js';
import type { LocalEngine } from './commander.js';

/** Reply or error of the command. */
export interface Outcome {
  readonly reply?: unknown;
  readonly error?: unknown;
}

interface Watch {
  readonly argv: readonly string[];
  readonly callback: (outcome: Outcome) => void;
}

/** Watches any number of keys through one tracking client, which exists while there are some. */
export class KeyWatcher {
  readonly #engine: LocalEngine;
  readonly #watches = new Map<string, Set<Watch>>();
  #client: Client | undefined;

  constructor(engine: LocalEngine) {
    this.#engine = engine;
  }

  /** Calls back with the outcome of a command that reads the key, in the next job and after each change of the key. */
  watch(key: string, argv: readonly string[], callback: (outcome: Outcome) => void): () => void {
    const watch = { argv, callback };
    const watches = this.#watches.get(key) ?? new Set<Watch>();
    this.#watches.set(key, watches.add(watch));
    queueMicrotask(() => this.#look(key, watch));
    return () => this.#remove(key, watch);
  }

  #remove(key: string, watch: Watch): void {
    const watches = this.#watches.get(key);
    if (watches === undefined || !watches.delete(watch)) return;
    if (watches.size === 0) this.#watches.delete(key);
    if (this.#watches.size > 0) return;
    this.#client?.close();
    this.#client = undefined;
  }

  #changed(keys: readonly string[] | null): void {
    for (const key of keys ?? [...this.#watches.keys()]) {
      for (const watch of [...(this.#watches.get(key) ?? [])]) this.#look(key, watch);
    }
  }

  /** Runs the command of a watch, which also tracks its key until the next change. */
  #look(key: string, watch: Watch): void {
    if (!this.#watches.get(key)?.has(watch)) return;
    let outcome: Outcome;
    try {
      outcome = { reply: this.#tracking().call(...(watch.argv as [string])) };
    } catch (error) {
      outcome = { error };
    }
    watch.callback(outcome);
  }

  #tracking(): Client {
    if (this.#client !== undefined) return this.#client;
    this.#client = this.#engine.client();
    this.#client.track((keys) => this.#changed(keys));
    return this.#client;
  }
}
