/**
 * The scratch area of one instance: short text goes in and out without a packed form. What is not plain ASCII, or does not
 * fit, is refused, and the caller goes the ordinary way. Which way of writing and reading is quickest was measured by
 * runtime and length.
 *
 * The front of the area is written anew for each call. Behind it are places for keys that come again (`places.ts`).
 */
import type { Argument } from './argument.js';
import { Place, Places } from './places.js';
import { Repeats, type BoardKeeper } from './repeats.js';
import { textOf } from './reply.js';
import { StringsLimit, stringsOver, type Strings } from './strings.js';

/** A key at the front, a value behind it; joined words share both. */
const KEY_ROOM = 2 * 1024;
const ROOM = Place.Start;
const WORD = 4;

/** Where a value begins. */
export const VALUE_AT = KEY_ROOM;

/** Values of more bytes together are made into texts one by one. */
const JOINED_MAX = 2 ** 20;

/** The part of Node's Buffer that is used, where there is one. */
interface TextBuffer {
  toString(encoding: 'latin1', start: number, end: number): string;
  /** What `toString` comes down to, without the choice; Node does not promise it. */
  latin1Slice?(start: number, end: number): string;
}
type BufferMaker = { from(buffer: ArrayBuffer): TextBuffer };
const NodeBuffer = (globalThis as { readonly process?: { readonly versions?: { readonly node?: string } } }).process?.versions?.node
  ? (globalThis as { readonly Buffer?: BufferMaker }).Buffer
  : undefined;

const IS_NODE = NodeBuffer !== undefined;
/**
 * Texts of up to so many characters are written by a loop, or by WebAssembly's functions for strings where there are some.
 * Beyond, the encoder beats it; elsewhere than in Node a call of that costs more.
 */
const LOOP_MAX = IS_NODE ? 24 : 100;
const STRINGS_WRITE_MAX = IS_NODE ? LOOP_MAX : 400;
/** Up to so many bytes those functions beat what else makes texts. */
const STRINGS_READ_MAX = IS_NODE ? 64 : StringsLimit.LengthMax;
/** Texts of up to so many characters are flat however they were made: engines put no others off. */
const FLAT_MAX = 12;
/** Texts of more bytes are not remembered: all together they would be in the way. */
const REMEMBERED_MAX = 1024;
/** Without Node's Buffer, up to so many bytes character codes beat the decoder. */
const CODES_MAX = 64;

// Names that cost nothing: a constant of a module is looked up each time.

/** How src/wasm/hot.rs tells of a value. */
const enum Told {
  Ascii = 1,
  AsBefore = 2,
  AsciiAsBefore = Ascii | AsBefore,
  /** In one number with the length. */
  LengthShift = 2,
  /** For many values there is a word for each. */
  NoValue = 0xffffffff,
  /** The key lies, and a short value is told, at its place. */
  Placed = 0x80000000,
  PlacedShift = 29,
  PlacedAtMask = 0x1fffffff,
  PlacedLengthBits = 6,
  PlacedLengthMask = 0x3f,
}

/** One of so many values that are written together with their keys is laid where it is found if it comes again. */
const enum Joins {
  Mask = 63,
}

const encoder = new TextEncoder();

export class Scratch {
  readonly #memory: { readonly buffer: ArrayBuffer };
  readonly #at: number;
  #bytes = new Uint8Array(0);
  #words = new Uint32Array(0);
  #keyView = this.#bytes;
  #valueView = this.#bytes;
  #roomView = this.#bytes;
  /** The room behind the words of the last batch: the next one is often as long. */
  #joinedView = this.#bytes;
  #buffer: TextBuffer | undefined;
  readonly #strings: Strings | undefined;
  /** Up to so many characters, texts are not left to the encoder. */
  readonly #writeMax: number;
  /** Up to so many characters, texts need not be laid out: WebAssembly's functions do it themselves. */
  readonly #flatMax: number;
  readonly #places = new Places();
  readonly #repeats: Repeats;
  /**
   * The value that lies behind the front, if it is known: a lock is given back with the value it was taken with, and a
   * program may set many keys to the same. One text at most is kept so, with what it may be cut out of.
   */
  #value = '';
  /** The key of the last lock, and where it lies, while it is known: the same lock is given back. */
  #key = '';
  #keyAt = 0;
  /** How many values were written together with their keys, as far as that is asked for. */
  #joins = 0;

  /** `at` is where the engine keeps the area; it never moves, though the memory around it does. */
  constructor(memory: { readonly buffer: ArrayBuffer }, at: number, keeper: BoardKeeper) {
    this.#memory = memory;
    this.#at = at;
    this.#strings = stringsOver(memory);
    this.#writeMax = this.#strings === undefined ? LOOP_MAX : STRINGS_WRITE_MAX;
    this.#flatMax = this.#strings === undefined ? FLAT_MAX : STRINGS_WRITE_MAX;
    this.#repeats = new Repeats(memory, keeper);
  }

  static readonly room = Place.End;

  /** Where a key lies, written or found; -1 when it has to go the ordinary way. */
  key(text: string): number {
    return this.#placed(text, 0) || this.#front(text);
  }

  /** As `key`, for a key that is likely to be the next one too. */
  keyOfLock(text: string): number {
    const at = this.key(text);
    this.#key = at < 0 ? '' : text;
    this.#keyAt = at;
    return at;
  }

  /** As `key`, for a key that is likely to be the last one. */
  keyAgain(text: string): number {
    return text === this.#key ? this.#keyAt : this.key(text);
  }

  /** Where the place of a key is; 0 when it has none. So many words at the front tell of places already. */
  #placed(text: string, told: number): number {
    if (this.#places.rests()) return 0;
    const at = this.#places.find(text);
    return at >= 0 ? at : this.#place(text, -at, told);
  }

  /** Writes a key at the front; answers as `key` does. */
  #front(text: string): number {
    this.#key = '';
    const length = text.length > this.#writeMax ? this.#encode(text, 0) : this.#write(flat(text, this.#flatMax), 0);
    return length < 0 ? -1 : 0;
  }

  /** Writes a value behind the front; answers its length, or -1 when it has to go the ordinary way. */
  value(text: string): number {
    if (text === this.#value) return text.length;
    const length = text.length > this.#writeMax ? this.#encode(text, VALUE_AT) : this.#write(text, VALUE_AT);
    this.#value = length < 0 ? '' : text;
    return length;
  }

  /**
   * Whether a value is better written together with its key: by the encoder, which flattens a joined key on the way. To look
   * for the key's place would flatten it too, and costs more than it spares; a short key is flat. A value that lies there
   * already needs no writing.
   */
  isJoined(key: string, value: string): boolean {
    return value.length > this.#writeMax && key.length > FLAT_MAX && value !== this.#value;
  }

  /** Writes a key and a value right behind it; false when they have to go the ordinary way. */
  both(key: string, value: string): boolean {
    this.#takeRoom();
    if (!this.#encodeInto(key + value, this.#roomView)) return false;
    this.#joins = (this.#joins + 1) & Joins.Mask;
    if (this.#joins === 0) this.#lay(value, key.length);
    return true;
  }

  /** Writes keys: a word for each, then those that have no place; false when they have to go the ordinary way. */
  joined(texts: readonly Argument[]): boolean {
    this.#takeRoom();
    const start = WORD * texts.length;
    if (start > ROOM) return false;
    let word = this.#at >>> 2;
    // Adding up beats `join`, and the encoder takes the sum as one text.
    let all = '';
    for (let index = 0; index < texts.length; index += 1) {
      const text = texts[index];
      if (typeof text !== 'string') return false;
      const at = this.#placed(text, index);
      if (at === 0) all += text;
      this.#words[word++] = at === 0 ? text.length : Told.Placed | (at << Told.PlacedLengthBits) | text.length;
    }
    return all === '' || this.#encodeJoined(all, start);
  }

  /** Writes keys and values by turns: the length of each, then all of them; false as for `joined`. */
  joinedPairs(pairs: readonly (readonly Argument[])[]): boolean {
    this.#takeRoom();
    const start = 2 * WORD * pairs.length;
    if (start > ROOM) return false;
    const words = this.#words;
    let word = this.#at >>> 2;
    let all = '';
    for (let index = 0; index < pairs.length; index += 1) {
      const pair = pairs[index];
      if (!Array.isArray(pair)) return false;
      const key: unknown = pair[0];
      const value: unknown = pair[1];
      if (typeof key !== 'string' || typeof value !== 'string') return false;
      words[word++] = key.length;
      words[word++] = value.length;
      all += key;
      all += value;
    }
    return this.#encodeJoined(all, start);
  }

  /** The value of the key at `at`, if a GET of this client is known to be answered as the last one was. */
  repeated(at: number, client: number): string | undefined {
    if (at === 0 || !this.#repeats.isGood(at, client)) return undefined;
    this.#repeats.countGet();
    return this.#places.textAt(at);
  }

  /** The same for the keys that `joined` just wrote. */
  repeatedMany(count: number, client: number): string[] | undefined {
    const words = this.#words;
    const firstWord = this.#at >>> 2;
    const texts: string[] = new Array(count);
    for (let index = 0; index < count; index += 1) {
      const word = words[firstWord + index] as number;
      const at = (word & Told.PlacedAtMask) >>> Told.PlacedLengthBits;
      if (word < Told.Placed || !this.#repeats.isGood(at, client)) return undefined;
      texts[index] = this.#places.textAt(at);
    }
    this.#repeats.countMget(count);
    return texts;
  }

  /** The value that the engine answered for the key at `at`, told with its length. */
  text(at: number, answer: number): string {
    const told = answer >>> 0;
    const length = told >>> Told.LengthShift;
    if (length <= Place.ShortMax) return this.#short(at, length, told);
    this.#key = '';
    if (this.#bytes.length === 0) this.#look();
    const start = this.#words[this.#at >>> 2] as number;
    const text = (told & Told.Ascii) !== 0 ? this.#ascii(start, start + length) : textOf(this.#bytes, start, start + length);
    // Of many bytes few characters may be made: such a text would be taken for one of a short value.
    if (length <= REMEMBERED_MAX && text.length > Place.ShortMax) this.#remember(at, text);
    return text;
  }

  /** A copy of such a value. */
  copy(at: number, answer: number): Uint8Array {
    const length = (answer >>> 0) >>> Told.LengthShift;
    if (this.#bytes.length === 0) this.#look();
    const isShort = length <= Place.ShortMax;
    if (isShort) this.#forget(at);
    else this.#key = '';
    const start = isShort ? this.#at + at + Place.ValueBehind : (this.#words[this.#at >>> 2] as number);
    return this.#bytes.slice(start, start + length);
  }

  /**
   * The values of many keys: a word tells of each, and those that are not told at a place are joined from `start` on; the
   * engine answered with twice the length of all of these, and 1 when they are ASCII.
   */
  texts(answer: number, start: number, count: number): (string | null)[] {
    if (this.#bytes.length === 0) this.#look();
    const isAscii = answer % 2 === 1;
    const end = start + Math.floor(answer / 2);
    const all = isAscii && end - start <= JOINED_MAX ? this.#ascii(start, end) : undefined;
    const words = this.#words;
    const firstWord = this.#at >>> 2;
    const texts: (string | null)[] = new Array(count);
    let next = 0;
    for (let index = 0; index < count; index += 1) {
      const word = words[firstWord + index] as number;
      if (word === Told.NoValue) {
        texts[index] = null;
      } else if (word >= Told.Placed) {
        const at = (word & Told.PlacedAtMask) >>> Told.PlacedLengthBits;
        texts[index] = this.#short(at, word & Told.PlacedLengthMask, word >>> Told.PlacedShift);
      } else {
        texts[index] = all === undefined ? textOf(this.#bytes, start + next, start + next + word) : all.substring(next, next + word);
        next += word;
      }
    }
    return texts;
  }

  /** To be called when values were told, and nobody read them. */
  forgetTexts(): void {
    this.#places.forgetAll();
    this.#repeats.forgetAll();
  }

  /** Writes a key at a place that it is given, unless a key of the same call lies there. */
  #place(text: string, at: number, told: number): number {
    // It may have been the place of the last lock.
    this.#key = '';
    if (told > 0 && this.#isTold(at, told)) return 0;
    const length = this.#write(text, at);
    if (length < 0) return 0;
    // A copy: the text may be cut out of a much longer one, which it would keep in memory.
    this.#places.take(at, this.#ascii(this.#at + at, this.#at + at + length));
    this.#repeats.take(at, length);
    return at;
  }

  /** Whether one of the words that were just written at the front tells of a place. */
  #isTold(at: number, count: number): boolean {
    const firstWord = this.#at >>> 2;
    const telling = (Told.Placed | (at << Told.PlacedLengthBits)) >>> Told.PlacedLengthBits;
    return this.#words.subarray(firstWord, firstWord + count).some((word) => word >>> Told.PlacedLengthBits === telling);
  }

  /** A value behind the key at `at`. */
  #short(at: number, length: number, told: number): string {
    // Zeros lie behind a value, which may end with some: as many bytes as a text has characters are its bytes only in ASCII.
    if ((told & Told.AsciiAsBefore) === Told.AsciiAsBefore) {
      const text = this.#places.textAt(at);
      if (text.length === length) {
        this.#repeats.remember(at);
        return text;
      }
    }
    if (this.#bytes.length === 0) this.#look();
    const start = this.#at + at + Place.ValueBehind;
    const text = (told & Told.Ascii) !== 0 ? this.#shortAscii(start, length) : textOf(this.#bytes, start, start + length);
    this.#remember(at, text);
    return text;
  }

  /** A text was answered for the key at `at`. The front has no memory. */
  #remember(at: number, text: string): void {
    if (at === 0) return;
    this.#places.remember(at, text);
    this.#repeats.remember(at);
  }

  /** Bytes were answered, and not made into a text. */
  #forget(at: number): void {
    if (at === 0) return;
    this.#places.forget(at);
    this.#repeats.forget(at);
  }

  /** Lays a value that was written behind a key where values lie. */
  #lay(value: string, start: number): void {
    const end = start + value.length;
    if (end > VALUE_AT) return;
    this.#roomView.copyWithin(VALUE_AT, start, end);
    this.#value = value;
  }

  /** All of the front is about to be written, the value behind it too. */
  #takeRoom(): void {
    this.#key = '';
    this.#value = '';
    if (this.#bytes.length === 0) this.#look();
  }

  /** Growing memory leaves views of it empty: whoever uses them asks for that first, without a call. */
  #look(): void {
    const { buffer } = this.#memory;
    this.#bytes = new Uint8Array(buffer);
    this.#words = new Uint32Array(buffer);
    this.#keyView = this.#bytes.subarray(this.#at, this.#at + KEY_ROOM);
    this.#roomView = this.#bytes.subarray(this.#at, this.#at + ROOM);
    this.#joinedView = this.#roomView;
    this.#valueView = this.#bytes.subarray(this.#at + VALUE_AT, this.#at + ROOM);
    this.#buffer = NodeBuffer?.from(buffer);
  }

  /**
   * Writes a text of up to `#writeMax` characters; answers its length, or -1 when it is not ASCII. Four characters go at a
   * time, and whether all were ASCII is asked once.
   */
  #write(text: string, offset: number): number {
    if (this.#strings !== undefined) return this.#strings.write(text, this.#at + offset);
    if (this.#bytes.length === 0) this.#look();
    const length = text.length;
    const words = this.#words;
    const at = this.#at + offset;
    let seen = 0;
    let index = 0;
    for (let word = at >>> 2; index + 3 < length; index += 4) {
      const first = text.charCodeAt(index);
      const second = text.charCodeAt(index + 1);
      const third = text.charCodeAt(index + 2);
      const fourth = text.charCodeAt(index + 3);
      seen |= first | second | third | fourth;
      words[word++] = first | (second << 8) | (third << 16) | (fourth << 24);
    }
    const bytes = this.#bytes;
    for (; index < length; index += 1) {
      const code = text.charCodeAt(index);
      seen |= code;
      bytes[at + index] = code;
    }
    return seen > 0x7f ? -1 : length;
  }

  #encodeJoined(all: string, start: number): boolean {
    if (start > ROOM) return false;
    if (this.#joinedView.length !== ROOM - start) this.#joinedView = this.#roomView.subarray(start);
    return this.#encodeInto(all, this.#joinedView);
  }

  #encode(text: string, offset: number): number {
    if (this.#bytes.length === 0) this.#look();
    return this.#encodeInto(text, offset === 0 ? this.#keyView : this.#valueView) ? text.length : -1;
  }

  /** Whether all of it was ASCII, and there was room. What is cut may fill the room with as many bytes as the text has characters. */
  #encodeInto(text: string, view: Uint8Array): boolean {
    const { read, written } = encoder.encodeInto(text, view);
    return written === text.length && read === written;
  }

  /** At most `Place.ShortMax` bytes. */
  #shortAscii(start: number, length: number): string {
    return this.#strings === undefined ? shortText(this.#bytes, start, length) : this.#strings.read(start, length);
  }

  #ascii(start: number, end: number): string {
    if (this.#strings !== undefined && end - start <= STRINGS_READ_MAX) return this.#strings.read(start, end - start);
    const buffer = this.#buffer;
    if (buffer !== undefined) return buffer.latin1Slice?.(start, end) ?? buffer.toString('latin1', start, end);
    return end - start <= CODES_MAX ? ofCodes(this.#bytes, start, end) : textOf(this.#bytes, start, end);
  }
}

/**
 * The same text, laid out in one piece. A text that was joined is two texts until somebody reads it; trimming it joins them
 * quicker than reading its first character does. What comes back has the same characters if there was nothing to trim.
 */
function flat(text: string, max: number): string {
  if (text.length <= max) return text;
  const trimmed = text.trimEnd();
  return trimmed.length === text.length ? trimmed : text;
}

/** Many arguments a call: each call costs more than many arguments do. */
function ofCodes(b: Uint8Array, start: number, end: number): string {
  let text = '';
  let i = start;
  for (; i + 16 <= end; i += 16) {
    text += String.fromCharCode(
      b[i]!, b[i + 1]!, b[i + 2]!, b[i + 3]!, b[i + 4]!, b[i + 5]!, b[i + 6]!, b[i + 7]!,
      b[i + 8]!, b[i + 9]!, b[i + 10]!, b[i + 11]!, b[i + 12]!, b[i + 13]!, b[i + 14]!, b[i + 15]!,
    );
  }
  for (; i + 4 <= end; i += 4) text += String.fromCharCode(b[i]!, b[i + 1]!, b[i + 2]!, b[i + 3]!);
  for (; i < end; i += 1) text += String.fromCharCode(b[i]!);
  return text;
}

/** Text of at most 32 bytes. One call with what may be too many arguments beats several with the right number. */
function shortText(b: Uint8Array, i: number, length: number): string {
  if (length > 16) {
    const text = String.fromCharCode(
      b[i]!, b[i + 1]!, b[i + 2]!, b[i + 3]!, b[i + 4]!, b[i + 5]!, b[i + 6]!, b[i + 7]!,
      b[i + 8]!, b[i + 9]!, b[i + 10]!, b[i + 11]!, b[i + 12]!, b[i + 13]!, b[i + 14]!, b[i + 15]!,
      b[i + 16]!, b[i + 17]!, b[i + 18]!, b[i + 19]!, b[i + 20]!, b[i + 21]!, b[i + 22]!, b[i + 23]!,
      b[i + 24]!, b[i + 25]!, b[i + 26]!, b[i + 27]!, b[i + 28]!, b[i + 29]!, b[i + 30]!, b[i + 31]!,
    );
    return length === Place.ShortMax ? text : text.substring(0, length);
  }
  if (length > 8) {
    const text = String.fromCharCode(
      b[i]!, b[i + 1]!, b[i + 2]!, b[i + 3]!, b[i + 4]!, b[i + 5]!, b[i + 6]!, b[i + 7]!,
      b[i + 8]!, b[i + 9]!, b[i + 10]!, b[i + 11]!, b[i + 12]!, b[i + 13]!, b[i + 14]!, b[i + 15]!,
    );
    return text.substring(0, length);
  }
  return String.fromCharCode(b[i]!, b[i + 1]!, b[i + 2]!, b[i + 3]!, b[i + 4]!, b[i + 5]!, b[i + 6]!, b[i + 7]!).substring(0, length);
}
