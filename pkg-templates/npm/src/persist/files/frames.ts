/**
 * The log as bytes of an append-only file. Each piece is preceded by an annotation line with its length and checksums,
 * `#KS:<length> <CRC-32 of the piece> <CRC-32 of the line so far>`, which Redis skips. What Redis wrote has none, and both
 * may stand in one file.
 */
import { readRequest, TORN } from '../../resp/request.js';
import { crc32 } from './crc.js';

const HASH = 0x23;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const HEX_DIGITS = '0123456789abcdef';
const PREFIX = '#KS:';
const HEADER = /^#KS:(\d{1,10}) ([0-9a-f]{8}) ([0-9a-f]{8})\r$/;
/** The longest line that can be a header; other annotations may be longer. */
export const HEADER_BYTES_MAX = 40;
/** The instant of a piece as the engine writes it, and the annotation of Redis in seconds. */
const INSTANT = /^#KL:(\d{1,16}) /;
const SECONDS = /^#TS:(\d{1,12})\r?$/;

/**
 * Writes the annotation line of a piece to the begin of a buffer of at least `HEADER_BYTES_MAX` bytes, and returns its
 * length. Digits are written in place: one piece is one request of a client, and texts would take longer than its checksum.
 */
export function writeHeader(into: Buffer, piece: Uint8Array): number {
  let end = into.write(`${PREFIX}${piece.length}`, 'latin1');
  end = writeHex(into, end, crc32(piece));
  end = writeHex(into, end, crc32(into.subarray(0, end)));
  into[end] = CARRIAGE_RETURN;
  into[end + 1] = LINE_FEED;
  return end + 2;
}

/** Writes a space and eight digits; returns their end. */
function writeHex(into: Buffer, at: number, number: number): number {
  into[at] = SPACE;
  for (let digit = 0; digit < 8; digit += 1)
    into[at + 1 + digit] = HEX_DIGITS.charCodeAt((number >>> (28 - 4 * digit)) & 15);
  return at + 9;
}

/** Whether a checksum was read, and is that of the bytes. */
function isSum(checksum: string | undefined, bytes: Uint8Array | string): boolean {
  return checksum !== undefined && Number.parseInt(checksum, 16) === crc32(bytes);
}

/** Place and reason of damage. */
export interface Damage {
  readonly offset: number;
  readonly reason: string;
  /** True if nothing sound follows: a last piece that reached the medium in part, or zeros. It may be cut off. */
  readonly isTail: boolean;
}

/** Result of a scan. */
export interface Scan {
  /** Bytes up to the end of the last whole piece and unit. */
  readonly wholeBytes: number;
  /** Ends of pieces, between which the bytes may be split. */
  readonly ends: readonly number[];
  /** The latest instant, in milliseconds since the epoch; 0 without one. */
  readonly lastMs: number;
  readonly damage: Damage | undefined;
}

/** Checks a log from `start` on. Bytes behind `wholeBytes` are a torn end, unless there is damage. */
export function scanLog(bytes: Uint8Array, start = 0): Scan {
  return new Scanner(bytes, start).run();
}

/** Length of the longest name that begins or ends a unit. */
const UNIT_NAME_BYTES_MAX = 5;

class Scanner {
  readonly #bytes: Buffer;
  #at: number;
  #whole: number;
  #ends: number[] = [];
  #lastMs = 0;
  #inUnit = false;

  constructor(bytes: Uint8Array, start: number) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#at = start;
    this.#whole = start;
  }

  run(): Scan {
    let damage: Damage | undefined;
    while (this.#at < this.#bytes.length) {
      const offset = this.#at;
      const problem = this.#bytes[offset] === HASH ? this.#annotation() : this.#command();
      if (problem === TORN) break;
      if (problem !== undefined) {
        damage = { offset, reason: problem, isTail: this.#isTail(offset) };
        break;
      }
      if (!this.#inUnit) this.#whole = this.#at;
    }
    return { wholeBytes: this.#whole, ends: this.#ends, lastMs: this.#lastMs, damage };
  }

  /** True if the file ends with the damaged piece, or holds nothing but zeros from there on. */
  #isTail(offset: number): boolean {
    const rest = this.#bytes.subarray(offset);
    const piece = HEADER.exec(rest.toString('latin1', 0, Math.max(0, rest.indexOf(LINE_FEED))));
    const isLast = piece !== null && rest.indexOf(LINE_FEED) + 1 + Number(piece[1]) === rest.length;
    return isLast || rest.every((byte) => byte === 0);
  }

  /** Undefined if the item is in order. */
  #annotation(): string | undefined {
    const end = this.#bytes.indexOf(LINE_FEED, this.#at);
    if (end < 0) return TORN;
    const line = this.#bytes.toString('latin1', this.#at, Math.min(end, this.#at + HEADER_BYTES_MAX));
    if (line.startsWith(PREFIX)) return this.#piece(line, end + 1);
    const [, seconds] = SECONDS.exec(line) ?? [];
    this.#note(seconds === undefined ? Number(INSTANT.exec(line)?.[1] ?? 0) : Number(seconds) * 1000);
    this.#at = end + 1;
    return undefined;
  }

  #piece(line: string, start: number): string | undefined {
    const [, length, checksum, lineChecksum] = HEADER.exec(line) ?? [];
    if (!isSum(lineChecksum, line.slice(0, line.lastIndexOf(' ')))) return 'the line in front of a piece is damaged';
    if (this.#inUnit) return 'a piece begins within a transaction';
    const end = start + Number(length);
    if (end > this.#bytes.length) return TORN;
    const piece = this.#bytes.subarray(start, end);
    if (!isSum(checksum, piece)) return 'the checksum of a piece does not fit';
    this.#note(Number(INSTANT.exec(piece.toString('latin1', 0, HEADER_BYTES_MAX))?.[1] ?? 0));
    this.#at = end;
    this.#ends.push(end);
    return undefined;
  }

  #note(instantMs: number): void {
    this.#lastMs = Math.max(this.#lastMs, instantMs);
  }

  /** Reads a command as Redis writes it; MULTI and EXEC frame a unit. */
  #command(): string | undefined {
    const command = readRequest(this.#bytes, this.#at, 1);
    if (command === TORN) return TORN;
    const [name] = command?.words ?? [];
    if (command === undefined || name === undefined) return 'not a command';
    this.#at = command.end;
    const isShort = name.length <= UNIT_NAME_BYTES_MAX;
    return this.#unit(isShort ? String.fromCharCode(...name).toUpperCase() : '');
  }

  #unit(name: string): string | undefined {
    if (name === 'MULTI' && this.#inUnit) return 'a transaction within another';
    if (name === 'EXEC' && !this.#inUnit) return 'the end of a transaction without its beginning';
    if (name === 'MULTI') this.#inUnit = true;
    if (name === 'EXEC') this.#inUnit = false;
    if (!this.#inUnit) this.#ends.push(this.#at);
    return undefined;
  }
}
