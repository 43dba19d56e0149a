/** The place of a tail in localStorage. Workers have none, and a page may be forbidden to use it: nothing is kept then. */
import { databaseName } from './names.js';

export class TailStorage {
  readonly #key: string;
  /** The text that this page has written last. */
  #own: string | undefined;

  constructor(name: string) {
    this.#key = `${databaseName(name)}:tail`;
  }

  read(): string | null {
    try {
      return storage()?.getItem(this.#key) ?? null;
    } catch {
      return null;
    }
  }

  /** Writes a text. Without the room for it the text before stays, which is a beginning of this one, and the result is false. */
  write(text: string): boolean {
    try {
      const place = storage();
      place?.setItem(this.#key, text);
      this.#own = text;
      return place !== undefined;
    } catch {
      return false;
    }
  }

  /** Removes a text, by default that of this page; a text that another page wrote meanwhile stays. */
  remove(text = this.#own): void {
    this.#own = undefined;
    if (text === undefined || this.read() !== text) return;
    try {
      storage()?.removeItem(this.#key);
    } catch {}
  }
}

/** Throws where storage is blocked. */
function storage(): Storage | undefined {
  return (globalThis as { readonly localStorage?: Storage }).localStorage;
}
