/** A store in memory, for tests of programs: it keeps its contents after an engine is closed. */
import { PersistenceError } from './errors.js';
import type { Store, Stored } from './store.js';

class MemoryStore implements Store {
  readonly title = 'memory store';
  onLost: Store['onLost'];
  #snapshot: Uint8Array | null = null;
  #pieces: Uint8Array[] = [];
  #seed: bigint | null = null;
  #loggedMs = 0;
  #isOpen = false;

  async open(): Promise<Stored> {
    if (this.#isOpen)
      throw new PersistenceError('IN_USE', `${this.title}: another engine has it open; close that first`);
    this.#isOpen = true;
    this.#seed ??= crypto.getRandomValues(new BigUint64Array(1))[0] as bigint;
    return {
      snapshot: this.#snapshot,
      pieces: [...this.#pieces],
      loggedMs: this.#loggedMs,
      seed: this.#seed,
      repairedBytes: 0,
    };
  }

  append(piece: Uint8Array, nowMs: number): void {
    this.#pieces.push(piece);
    this.#loggedMs = Math.max(this.#loggedMs, nowMs);
  }

  sync(): void {}

  async replace(snapshot: Uint8Array, seed: bigint, nowMs: number): Promise<void> {
    this.#snapshot = snapshot;
    this.#pieces = [];
    this.#seed = seed;
    this.#loggedMs = Math.max(this.#loggedMs, nowMs);
  }

  async close(): Promise<void> {
    this.#isOpen = false;
  }
}

/** A store in memory. `open({ store })` again, after `close()`, finds the data that was flushed to it. */
export function memoryStore(): Store {
  return new MemoryStore();
}
