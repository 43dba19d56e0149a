/**
 * Observers of clients, notified when output reached a client outside of its own calls: a message, a late reply, the
 * disconnection.
 */
import type { Instance } from './instance.js';

/** Observer of one client. */
export interface ClientObserver {
  /** Called when a message or a late reply is in the client's outbox, or the client was disconnected. */
  reached(instance: Instance): void;
  /** Called when the engine was closed or trapped: the client receives nothing more. */
  ended?(error: Error): void;
}

/** Client number that stands for the server in the list of affected clients. */
const SERVER = 0;

export class ClientObservers {
  readonly #byClient = new Map<number, ClientObserver>();
  readonly #configurationListeners = new Set<() => void>();
  #keepers = 0;

  /** True while there is an observer. */
  get any(): boolean {
    return this.#byClient.size + this.#configurationListeners.size > 0;
  }

  /** True while an observer waits for a timeout, so that the process must not exit before. */
  get keepsAlive(): boolean {
    return this.#keepers > 0;
  }

  /** Adds an observer. Returns a function that removes it, which is idempotent. */
  add(client: number, observer: ClientObserver, keepsAlive = false): () => void {
    this.#byClient.set(client, observer);
    if (keepsAlive) this.#keepers += 1;
    return () => {
      if (this.#byClient.get(client) !== observer) return;
      this.#byClient.delete(client);
      if (keepsAlive) this.#keepers -= 1;
    };
  }

  /** Adds a listener for notices to the server, such as a change of the configuration. Returns a function that removes it. */
  addConfiguration(configured: () => void): () => void {
    this.#configurationListeners.add(configured);
    return () => this.#configurationListeners.delete(configured);
  }

  /** Notifies the observers of clients that calls affected; false when there were none. */
  notify(instance: Instance): boolean {
    const affected = instance.guarded(() => instance.engine.affected());
    if (affected === undefined) return false;
    for (const client of affected) {
      if (client === SERVER) for (const configured of this.#configurationListeners) configured();
      else this.#byClient.get(client)?.reached(instance);
    }
    return true;
  }

  /** Removes all observers and passes each an error of its own: the engine is closed or has trapped. */
  end(makeError: () => Error): void {
    const all = [...this.#byClient.values()];
    this.#byClient.clear();
    this.#configurationListeners.clear();
    this.#keepers = 0;
    for (const observer of all) observer.ended?.(makeError());
  }
}
