/** Messages of the server about changed keys, for a cache. */
import type { Argument } from '../base/argument.js';
import { textOf } from '../resp/reply.js';
import type { CachedReads } from './cached-reads.js';
import type { Pushes } from './socket-line.js';

/** Names of keys that have changed since the line has read them, for a cache. All of it ends with the connection. */
export class CacheInvalidation implements Pushes {
  readonly isWanted = false;
  readonly #cache: CachedReads;

  constructor(cache: CachedReads) {
    this.#cache = cache;
  }

  setup(): readonly (readonly Argument[])[] {
    return [['CLIENT', 'TRACKING', 'ON']];
  }

  pushed([kind, keys]: readonly unknown[]): void {
    // Null: all keys of a database, or more than the server could remember.
    if (textOf(kind as Uint8Array) === 'invalidate') this.#cache.forget((keys as Uint8Array[] | null) ?? undefined);
  }

  lost(): void {
    this.#cache.forget();
  }
}
