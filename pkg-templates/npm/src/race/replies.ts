/** Replies by number: equal bytes have equal numbers. A few replies occur in all runs of a race. */

import { LONG_BYTES } from './short-texts.js';

export class Replies {
  readonly #numbers = new Map<string, number>();
  readonly #bytes: Uint8Array[] = [];

  /** Number of the empty reply. */
  static readonly NONE = 0;

  constructor() {
    this.numberOf(new Uint8Array());
  }

  numberOf(bytes: Uint8Array): number {
    const text = bytes.length > LONG_BYTES ? digestOf(bytes) : String.fromCharCode(...bytes);
    let number = this.#numbers.get(text);
    if (number === undefined) {
      number = this.#bytes.length;
      this.#numbers.set(text, number);
      this.#bytes.push(bytes);
    }
    return number;
  }

  bytes(number: number): Uint8Array {
    return this.#bytes[number] as Uint8Array;
  }
}

/** Length and two hashes of 32 bits, in place of a text that would take the memory of the bytes once more. */
function digestOf(bytes: Uint8Array): string {
  let one = 0x811c9dc5;
  let other = 0x9e3779b9;
  for (const byte of bytes) {
    one = Math.imul(one ^ byte, 0x01000193);
    other = Math.imul(other ^ byte, 0x85ebca6b) ^ (other >>> 15);
  }
  return `${bytes.length} bytes ${one} ${other}`;
}
