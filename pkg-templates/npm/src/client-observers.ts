/**
 * Who looks after which client, and is told when something reached it from elsewhere: a message, a late reply, the end.
 * Knows the engine only as the one that names those clients.
 */
import type { Instance } from './instance.js';

/** Whoever looks after one client. */
export interface ClientObserver {
  /** A message, a late reply or the end reached the client. */
  reached(instance: Instance): void;
  /** Nothing will reach the client any more: the engine was closed, or it trapped. */
  ended?(error: Error): void;
}

/** Stands among the affected clients for the configuration. */
const CONFIGURATION = 0;

export class ClientObservers {
  readonly #byClient = new Map<number, ClientObserver>();
  readonly #configurationListeners = new Set<() => void>();
  #keepers = 0;

  /** Somebody has to be told. */
  get any(): boolean {
    return this.#byClient.size + this.#configurationListeners.size > 0;
  }

  /** Somebody waits for a time to be over, so that the process must not end before. */
  get keepsAlive(): boolean {
    return this.#keepers > 0;
  }

  /** Answers how to end it; ending it twice is harmless. */
  add(client: number, observer: ClientObserver, keepsAlive = false): () => void {
    this.#byClient.set(client, observer);
    if (keepsAlive) this.#keepers += 1;
    return () => {
      if (this.#byClient.get(client) !== observer) return;
      this.#byClient.delete(client);
      if (keepsAlive) this.#keepers -= 1;
    };
  }

  /** Tells of changes of the configuration. Answers how to end it. */
  addConfiguration(configured: () => void): () => void {
    this.#configurationListeners.add(configured);
    return () => this.#configurationListeners.delete(configured);
  }

  /** Tells those whom calls affected; false when there were none. */
  notify(instance: Instance): boolean {
    const affected = instance.guarded(() => instance.engine.affected());
    if (affected === undefined) return false;
    for (const client of affected) {
      if (client === CONFIGURATION) for (const configured of this.#configurationListeners) configured();
      else this.#byClient.get(client)?.reached(instance);
    }
    return true;
  }

  /** The engine is gone. */
  end(error: Error): void {
    const all = [...this.#byClient.values()];
    this.#byClient.clear();
    this.#configurationListeners.clear();
    this.#keepers = 0;
    for (const observer of all) observer.ended?.(error);
  }
}
