/** Facts at the head of an RDB file, and where an RDB file ends that a log follows. Keys and values are the engine's. */
import { Crc64 } from './crc.js';

const MAGICS = ['REDIS', 'VALKEY'];
const HEADER_BYTES = 9;
const AUX = 0xfa;
const END = 0xff;
const CHECKSUM_BYTES = 8;

/** Fields at the head of an RDB file. */
export interface RdbHead {
  /** Seed of the engine that wrote it; null if another program did. */
  readonly seed: bigint | null;
  /** The instant of writing in milliseconds since the epoch; 0 if it is not known. */
  readonly writtenMs: number;
}

/** True for bytes that begin as an RDB file. */
export function isRdb(bytes: Uint8Array): boolean {
  const start = text(bytes.subarray(0, 6));
  return MAGICS.some((magic) => start.startsWith(magic));
}

/** Reads the auxiliary fields in front of the first key. */
export function rdbHead(bytes: Uint8Array): RdbHead {
  const fields = new Map<string, string>();
  const reader = new Reader(bytes, HEADER_BYTES);
  while (reader.byte() === AUX) {
    const [name, value] = [reader.string(), reader.string()];
    if (name === undefined || value === undefined) break;
    fields.set(name, value);
  }
  const seed = fields.get('keylatch-seed');
  const seconds = Number(fields.get('ctime') ?? 0);
  return {
    seed: seed !== undefined && /^\d+$/.test(seed) ? seedOf(seed) : null,
    writtenMs: Number(fields.get('keylatch-now') ?? seconds * 1000) || 0,
  };
}

/** The seed that digits stand for; null if damage made them more than 64 bits. */
export function seedOf(digits: string): bigint | null {
  const seed = BigInt(digits);
  return seed < 2n ** 64n ? seed : null;
}

/**
 * Length of the RDB file at the beginning of `bytes`, where the checksum fits; undefined if it fits nowhere. An RDB file
 * without checksum is recognised if nothing follows it.
 */
export function rdbLength(bytes: Uint8Array): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const crc = new Crc64();
  let done = 0;
  for (let end = bytes.indexOf(END); end >= 0; end = bytes.indexOf(END, end + 1)) {
    if (end + 1 + CHECKSUM_BYTES > bytes.length) return undefined;
    crc.update(bytes, done, end + 1);
    done = end + 1;
    if (crc.equals(view, done)) return done + CHECKSUM_BYTES;
    if (done + CHECKSUM_BYTES === bytes.length && view.getBigUint64(done) === 0n) return bytes.length;
  }
  return undefined;
}

function text(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}

/** Reader of the strings of auxiliary fields. */
class Reader {
  readonly #view: DataView;
  #at: number;

  constructor(
    readonly bytes: Uint8Array,
    start: number,
  ) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#at = start;
  }

  byte(): number | undefined {
    const byte = this.bytes[this.#at];
    this.#at += 1;
    return byte;
  }

  /** A string or a number as text; undefined for other encodings, and at the end. */
  string(): string | undefined {
    const head = this.byte();
    if (head === undefined) return undefined;
    if (head < 0x40) return this.#take(head);
    if (head < 0x80) return this.#take(((head & 0x3f) << 8) | (this.byte() ?? 0));
    const size = [1, 2, 4][head - 0xc0];
    if (size === undefined || this.#at + size > this.bytes.length) return undefined;
    const at = this.#at;
    this.#at += size;
    if (size === 1) return String(this.#view.getInt8(at));
    return String(size === 2 ? this.#view.getInt16(at, true) : this.#view.getInt32(at, true));
  }

  #take(length: number): string | undefined {
    const end = this.#at + length;
    if (end > this.bytes.length) return undefined;
    const taken = text(this.bytes.subarray(this.#at, end));
    this.#at = end;
    return taken;
  }
}
