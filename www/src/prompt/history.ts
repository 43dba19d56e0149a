/**
 * History of typed commands: kept between visits, browsed with the arrow keys, searched backwards. Independent of the
 * DOM.
 */

import { keep, recall } from '../base/storage.ts';

const NAME = 'history';
const MAX_ENTRIES = 500;
/** Length limit of an entry in characters: a pasted megabyte is not kept. */
const MAX_ENTRY_CHARS = 4096;

export class History {
  private entries: string[] = load();
  /** Number of entries back from the line that is being written, which is 0. */
  private back = 0;
  private draft = '';

  add(entry: string): void {
    this.back = 0;
    if (!entry.trim() || entry.length > MAX_ENTRY_CHARS || entry === this.entries.at(-1)) return;
    this.entries = [...this.entries, entry].slice(-MAX_ENTRIES);
    keep(NAME, JSON.stringify(this.entries));
  }

  /** Previous entry; `current` is saved when browsing starts. Undefined at the oldest. */
  older(current: string): string | undefined {
    if (this.back === this.entries.length) return undefined;
    if (this.back === 0) this.draft = current;
    this.back += 1;
    return this.entries.at(-this.back);
  }

  /** Next entry, and after the last one the unfinished line. Undefined when not browsing. */
  newer(): string | undefined {
    if (this.back === 0) return undefined;
    this.back -= 1;
    return this.back === 0 ? this.draft : this.entries.at(-this.back);
  }

  /** Ends browsing: the line was edited. */
  rest(): void {
    this.back = 0;
  }

  /** Entries that contain `part`, newest first, each once. */
  search(part: string, limit: number): string[] {
    const wanted = part.toLowerCase();
    const found = this.entries.filter((entry) => entry.toLowerCase().includes(wanted)).reverse();
    return [...new Set(found)].slice(0, limit);
  }
}

function load(): string[] {
  try {
    const kept: unknown = JSON.parse(recall(NAME) ?? '[]');
    return Array.isArray(kept) ? kept.filter((entry) => typeof entry === 'string') : [];
  } catch {
    return [];
  }
}
