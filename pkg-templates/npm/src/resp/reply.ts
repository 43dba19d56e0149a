/**
 * Replies: RESP2 and RESP3 bytes to JavaScript values. Depends on neither engine nor commands.
 *
 * bulk -> string (or Uint8Array on request) · simple, verbatim -> string · integer -> number while it is safe, else
 * bigint · big number -> bigint · double -> number · boolean · null (all forms) -> null · array, push -> array · map ->
 * Map · set -> Set · error -> ReplyError as a value: the caller throws it when it is the whole reply.
 */
import { ReplyError } from '../base/errors.js';
import { Decoder } from '../base/encoders.js';

/** Any reply. `Text` is the type of bulk strings: string, or Uint8Array on request. */
export type Reply<Text = string> =
  | Text
  | string
  | number
  | bigint
  | boolean
  | null
  | ReplyError
  | Reply<Text>[]
  | Map<Reply<Text>, Reply<Text>>
  | Set<Reply<Text>>;

const CARRIAGE_RETURN = 13;
const MINUS = 45;
const ZERO = 48;

// A byte order mark is part of a value and must be kept.
const decoder = /* @__PURE__ */ new Decoder('utf-8', { ignoreBOM: true });

/** Characters of a wrong reply that an error shows. */
const SHOWN_MAX = 64;

/** Length in bytes up to which a loop is faster than the built-in decoder. */
const LOOP_MAX = 24;

/** @internal Bytes as text; what is not UTF-8 becomes U+FFFD. */
export function textOf(bytes: Uint8Array, start = 0, end = bytes.length): string {
  if (end - start <= LOOP_MAX) {
    let text = '';
    for (let index = start; ; index += 1) {
      if (index === end) return text;
      const code = bytes[index] as number;
      if (code > 0x7f) break;
      text += String.fromCharCode(code);
    }
  }
  return decoder.decode(bytes.subarray(start, end));
}

/** @internal Reads one reply after another from bytes that hold whole replies. */
export class ReplyReader {
  #at: number;
  readonly #start: number;

  constructor(
    private readonly bytes: Uint8Array,
    start: number,
    private readonly end: number,
    /** Bulk strings as Uint8Array copies instead of strings. */
    private readonly asBytes: boolean,
    /** Name of the command in upper case, for errors. */
    private readonly command: string,
    /** The bytes as text, if they are ASCII: texts are sliced from it. */
    private readonly ascii?: string,
  ) {
    this.#at = start;
    this.#start = start;
  }

  get done(): boolean {
    return this.#at >= this.end;
  }

  /** The reply, or an array of all replies: some commands have several, as SUBSCRIBE has one for each channel. */
  readAll(): Reply<string | Uint8Array> {
    const first = this.read();
    if (this.done) return first;
    const replies = [first];
    while (!this.done) replies.push(this.read());
    return replies;
  }

  read(): Reply<string | Uint8Array> {
    const type = this.bytes[this.#at];
    this.#at += 1;
    switch (type) {
      case 0x24: // $
        return this.#bulk();
      case 0x3a: // :
        return this.#integer();
      case 0x2b: // +
        return this.#line();
      case 0x5f: // _
        this.#line();
        return null;
      case 0x2d: // -
        return this.#error(this.#line());
      case 0x2a: // *
      case 0x3e: // >
        return this.#array();
      default:
        return this.#rare(type);
    }
  }

  /** Reads the types that RESP3 added, in the order of their frequency. */
  #rare(type: number | undefined): Reply<string | Uint8Array> {
    switch (type) {
      case 0x2c: // ,
        return doubleOf(this.#line());
      case 0x23: // #
        return this.#line() === 't';
      case 0x25: // %
        return this.#map();
      case 0x7e: // ~
        return new Set(this.#array() ?? []);
      case 0x28: // (
        return this.#bigNumber();
      case 0x3d: // =
        return this.#verbatim();
      case 0x21: // !
        return this.#error(this.#text(this.#length()));
      default:
        throw new Error(`the reply of ${this.command} is invalid`);
    }
  }

  /** Scripts can reply any text as a big number. */
  #bigNumber(): bigint | ReplyError {
    const text = this.#line();
    if (/^[+-]?\d+$/.test(text)) return BigInt(text);
    return this.#error(`ERR the reply is declared a big number, but it is '${text.slice(0, SHOWN_MAX)}'`);
  }

  #error(message: string): ReplyError {
    return new ReplyError(message, this.command);
  }

  /** The rest of the line as text; leaves the reader behind its CR LF. */
  #line(): string {
    const start = this.#at;
    let stop = start;
    while (stop < this.end && this.bytes[stop] !== CARRIAGE_RETURN) stop += 1;
    this.#at = stop + 2;
    return textOf(this.bytes, start, stop);
  }

  #integer(): number | bigint {
    const start = this.#at;
    const value = this.#length();
    if (Number.isSafeInteger(value)) return value;
    this.#at = start;
    return BigInt(this.#line());
  }

  /** A decimal number; exact while it is a safe integer. */
  #length(): number {
    const negative = this.bytes[this.#at] === MINUS;
    let index = negative ? this.#at + 1 : this.#at;
    let value = 0;
    for (; index < this.end; index += 1) {
      const code = this.bytes[index] as number;
      if (code === CARRIAGE_RETURN) break;
      value = value * 10 + (code - ZERO);
    }
    this.#at = index + 2;
    return negative && value !== 0 ? -value : value;
  }

  #bulk(): string | Uint8Array | null {
    const length = this.#length();
    if (length < 0) return null;
    if (!this.asBytes) return this.#text(length);
    const start = this.#at;
    this.#at = start + length + 2;
    // A copy even of a Buffer, because Buffer's own slice shares its memory.
    return Uint8Array.prototype.slice.call(this.bytes, start, start + length);
  }

  #text(length: number): string {
    const start = this.#at;
    this.#at = start + length + 2;
    if (this.ascii !== undefined) return this.ascii.substring(start - this.#start, start - this.#start + length);
    return textOf(this.bytes, start, start + length);
  }

  /** Removes the format prefix of a verbatim string, such as `txt:`. */
  #verbatim(): string {
    return this.#text(this.#length()).slice(4);
  }

  #array(): Reply<string | Uint8Array>[] | null {
    const count = this.#length();
    if (count < 0) return null;
    const items: Reply<string | Uint8Array>[] = [];
    for (let index = 0; index < count; index += 1) items.push(this.read());
    return items;
  }

  #map(): Map<Reply<string | Uint8Array>, Reply<string | Uint8Array>> {
    const pairs = new Map<Reply<string | Uint8Array>, Reply<string | Uint8Array>>();
    for (let left = this.#length(); left > 0; left -= 1) pairs.set(this.read(), this.read());
    return pairs;
  }
}

/** @internal A double of the protocol's text form. */
export function doubleOf(text: string): number {
  if (text === 'inf') return Infinity;
  if (text === '-inf') return -Infinity;
  return Number(text);
}

/** All the replies in `bytes`, errors as values. */
export function decodeReplies(bytes: Uint8Array, options?: { buffer?: false; command?: string }): Reply[];
export function decodeReplies(bytes: Uint8Array, options: { buffer: true; command?: string }): Reply<Uint8Array>[];
export function decodeReplies(
  bytes: Uint8Array,
  options: { buffer?: boolean; command?: string } = {},
): Reply<string | Uint8Array>[] {
  const reader = new ReplyReader(
    bytes,
    0,
    bytes.length,
    options.buffer ?? false,
    (options.command ?? '').toUpperCase(),
  );
  const replies: Reply<string | Uint8Array>[] = [];
  while (!reader.done) replies.push(reader.read());
  return replies;
}
