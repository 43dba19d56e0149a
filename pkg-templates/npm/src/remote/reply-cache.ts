/** Replies of reads, kept until one of their keys changes, a bounded number. Pure: keys and commands are texts here. */

/** A read that is under way, or its reply. */
export interface CachedRead {
  /** Command and database. */
  readonly id: string;
  readonly keys: readonly string[];
  /** Undefined while the read is under way. */
  reply: Uint8Array | undefined;
}

export class ReplyCache {
  readonly #maxEntries: number;
  /** Reads with their replies, the least recently used first. */
  readonly #kept = new Map<string, CachedRead>();
  /** Reads that are kept or under way, by key. */
  readonly #byKey = new Map<string, Set<CachedRead>>();

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  /** The reply of a read that was kept. */
  find(id: string): Uint8Array | undefined {
    const found = this.#kept.get(id);
    if (found === undefined) return undefined;
    this.#kept.delete(id);
    this.#kept.set(id, found);
    return found.reply;
  }

  /** Notes that a read is sent: a change from now on may be later than its reply. */
  begin(id: string, keys: readonly string[]): CachedRead {
    const read = { id, keys, reply: undefined };
    for (const key of keys) {
      const reads = this.#byKey.get(key);
      if (reads === undefined) this.#byKey.set(key, new Set([read]));
      else reads.add(read);
    }
    return read;
  }

  /** Keeps a reply, unless one of the keys has changed since the read was sent. */
  keep(read: CachedRead, reply: Uint8Array): void {
    if (!this.#isCurrent(read)) return;
    const earlier = this.#kept.get(read.id);
    if (earlier !== undefined) this.drop(earlier);
    read.reply = reply;
    this.#kept.set(read.id, read);
    if (this.#kept.size <= this.#maxEntries) return;
    const [oldest] = this.#kept.values();
    this.drop(oldest as CachedRead);
  }

  /** Forgets a read. */
  drop(read: CachedRead): void {
    if (this.#kept.get(read.id) === read) this.#kept.delete(read.id);
    for (const key of read.keys) {
      const reads = this.#byKey.get(key);
      reads?.delete(read);
      if (reads?.size === 0) this.#byKey.delete(key);
    }
  }

  /** Forgets the reads of keys that change; without keys all of them. */
  forget(keys?: readonly string[]): void {
    for (const key of keys ?? [...this.#byKey.keys()])
      for (const read of [...(this.#byKey.get(key) ?? [])]) this.drop(read);
  }

  #isCurrent(read: CachedRead): boolean {
    return read.keys.every((key) => this.#byKey.get(key)?.has(read) === true);
  }
}
