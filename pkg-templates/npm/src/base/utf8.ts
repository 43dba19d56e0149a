/**
 * UTF-8 for environments without TextEncoder and TextDecoder, such as jsdom. Same results as the Encoding Standard
 * requires of those two.
 */

const REPLACEMENT = 0xfffd;
const HIGH_SURROGATE = 0xd800;
const LOW_SURROGATE = 0xdc00;
const SURROGATES_END = 0xe000;
const SUPPLEMENTARY = 0x10000;

/** Characters that one call of String.fromCharCode takes. */
const PIECE = 4096;

/** The parts of TextEncoder that the package uses. */
export class Utf8Encoder {
  encode(text = ''): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(text.length * 3);
    return bytes.slice(0, this.encodeInto(text, bytes).written);
  }

  /** Stops in front of the first character that does not fit. */
  encodeInto(text: string, bytes: Uint8Array): { read: number; written: number } {
    let read = 0;
    let written = 0;
    while (read < text.length) {
      const point = codePointAt(text, read);
      const size = sizeOf(point);
      if (written + size > bytes.length) break;
      write(point, size, bytes, written);
      written += size;
      read += point >= SUPPLEMENTARY ? 2 : 1;
    }
    return { read, written };
  }
}

/** A character of the text; half a surrogate pair is U+FFFD. */
function codePointAt(text: string, index: number): number {
  const point = text.codePointAt(index) as number;
  return point >= HIGH_SURROGATE && point < SURROGATES_END ? REPLACEMENT : point;
}

function sizeOf(point: number): number {
  if (point < 0x80) return 1;
  if (point < 0x800) return 2;
  return point < SUPPLEMENTARY ? 3 : 4;
}

function write(point: number, size: number, bytes: Uint8Array, at: number): void {
  if (size === 1) {
    bytes[at] = point;
    return;
  }
  let rest = point;
  for (let index = size - 1; index > 0; index -= 1, rest >>>= 6) bytes[at + index] = 0x80 | (rest & 0x3f);
  bytes[at] = ((0xf00 >> size) & 0xff) | rest;
}

/** The parts of TextDecoder that the package uses: errors become U+FFFD, a byte order mark is kept on request. */
export class Utf8Decoder {
  readonly #keepsMark: boolean;

  constructor(_label?: string, { ignoreBOM = false }: { readonly ignoreBOM?: boolean } = {}) {
    this.#keepsMark = ignoreBOM;
  }

  decode(bytes: Uint8Array = new Uint8Array(0)): string {
    const text = decoded(bytes);
    return !this.#keepsMark && text.startsWith('\ufeff') ? text.slice(1) : text;
  }
}

function decoded(bytes: Uint8Array): string {
  let text = '';
  let units: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    const { point, next } = readPoint(bytes, at);
    at = next;
    if (point < SUPPLEMENTARY) units.push(point);
    else units.push(HIGH_SURROGATE + ((point - SUPPLEMENTARY) >> 10), LOW_SURROGATE + (point & 0x3ff));
    if (units.length < PIECE) continue;
    text += String.fromCharCode(...units);
    units = [];
  }
  return text + String.fromCharCode(...units);
}

/** The character at `at`, and where the next one is. An error ends in front of the first byte that cannot belong to it. */
function readPoint(bytes: Uint8Array, at: number): { readonly point: number; readonly next: number } {
  const first = bytes[at] as number;
  if (first < 0x80) return { point: first, next: at + 1 };
  const following = followingBytes(first);
  if (following === 0) return { point: REPLACEMENT, next: at + 1 };
  let point = first & (0x3f >> following);
  let next = at + 1;
  for (const end = next + following; next < end; next += 1) {
    const byte = bytes[next];
    const [least, most] = next === at + 1 ? secondByteRange(first) : [0x80, 0xbf];
    if (byte === undefined || byte < least || byte > most) return { point: REPLACEMENT, next };
    point = (point << 6) | (byte & 0x3f);
  }
  return { point, next };
}

/** Number of bytes that follow a first byte; 0 for bytes that begin nothing. */
function followingBytes(first: number): number {
  if (first >= 0xc2 && first <= 0xdf) return 1;
  if (first >= 0xe0 && first <= 0xef) return 2;
  return first >= 0xf0 && first <= 0xf4 ? 3 : 0;
}

/** Range of the second byte: excludes longer forms than necessary, surrogates, and numbers beyond Unicode. */
function secondByteRange(first: number): readonly [least: number, most: number] {
  if (first === 0xe0) return [0xa0, 0xbf];
  if (first === 0xed) return [0x80, 0x9f];
  if (first === 0xf0) return [0x90, 0xbf];
  return first === 0xf4 ? [0x80, 0x8f] : [0x80, 0xbf];
}
