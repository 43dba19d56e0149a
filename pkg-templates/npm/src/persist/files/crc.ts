/** Checksums: CRC-32 of pieces of the log, CRC-64 of RDB files. */
import * as zlib from 'node:zlib';
import { crc32 as portableCrc32 } from '../crc32.js';

/** Polynomial of Redis (Jones) in reflected form, in halves. */
const POLYNOMIAL_64_HIGH = 0x95ac9329;
const POLYNOMIAL_64_LOW = 0xac4bc9b5;

/** CRC-32. Some runtimes lack the native one. */
export const crc32 = /* @__PURE__ */ fastestCrc32();

function fastestCrc32(): (bytes: Uint8Array | string) => number {
  return zlib.crc32 ?? ((given) => portableCrc32(typeof given === 'string' ? Buffer.from(given) : given));
}

/** Running CRC-64 as Redis computes it. */
export class Crc64 {
  static #tables: readonly [high: Uint32Array, low: Uint32Array] | undefined;
  #high = 0;
  #low = 0;

  update(bytes: Uint8Array, start: number, end: number): void {
    const [highs, lows] = (Crc64.#tables ??= tables64());
    let [high, low] = [this.#high, this.#low];
    for (let at = start; at < end; at += 1) {
      const index = (low ^ (bytes[at] as number)) & 255;
      low = ((low >>> 8) | (high << 24)) ^ (lows[index] as number);
      high = (high >>> 8) ^ (highs[index] as number);
    }
    [this.#high, this.#low] = [high, low];
  }

  /** Whether the checksum stands at an offset, in its stored form. */
  equals(bytes: DataView, at: number): boolean {
    return bytes.getUint32(at, true) === this.#low >>> 0 && bytes.getUint32(at + 4, true) === this.#high >>> 0;
  }
}

function tables64(): readonly [Uint32Array, Uint32Array] {
  const [highs, lows] = [new Uint32Array(256), new Uint32Array(256)];
  for (let index = 0; index < 256; index += 1) {
    let [high, low] = [0, index];
    for (let bit = 0; bit < 8; bit += 1) {
      const isOdd = (low & 1) === 1;
      low = (low >>> 1) | (high << 31);
      high >>>= 1;
      if (isOdd) [high, low] = [high ^ POLYNOMIAL_64_HIGH, low ^ POLYNOMIAL_64_LOW];
    }
    highs[index] = high;
    lows[index] = low;
  }
  return [highs, lows];
}
