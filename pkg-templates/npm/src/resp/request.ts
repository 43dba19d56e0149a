/** Reads requests as clients and logs have them: arrays of bulk strings. Pure. */

const ARRAY = 0x2a;
const BULK = 0x24;
const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;
const ZERO = 0x30;
/** Digits of the longest count. */
const DIGITS_MAX = 10;

/** Result of reading bytes that end within a request. */
export const TORN = 'torn';

export interface Request {
  /** Views of the bytes. */
  readonly words: readonly Uint8Array[];
  /** Position behind the request. */
  readonly end: number;
}

/** The request at `start`, with at most `wordsMax` of its words; undefined if there is something else. */
export function readRequest(bytes: Uint8Array, start = 0, wordsMax = Infinity): Request | typeof TORN | undefined {
  const reader = new RequestReader(bytes, start);
  const words: Uint8Array[] = [];
  for (let left = reader.count(ARRAY); left !== 0; left -= 1) {
    if (typeof left !== 'number') return left;
    const word = reader.word();
    if (!(word instanceof Uint8Array)) return word;
    if (words.length < wordsMax) words.push(word);
  }
  return { words, end: reader.at };
}

class RequestReader {
  at: number;

  constructor(
    private readonly bytes: Uint8Array,
    start: number,
  ) {
    this.at = start;
  }

  /** Reads a type, a number and a line end. */
  count(type: number): number | typeof TORN | undefined {
    const { bytes } = this;
    if (this.at === bytes.length) return TORN;
    if (bytes[this.at] !== type) return undefined;
    const first = this.at + 1;
    let [value, end] = [0, first];
    for (; end < bytes.length && end - first <= DIGITS_MAX; end += 1) {
      const digit = (bytes[end] as number) - ZERO;
      if (!(digit >= 0 && digit <= 9)) break;
      value = value * 10 + digit;
    }
    if (end - first > DIGITS_MAX) return undefined;
    if (end === bytes.length) return TORN;
    if (bytes[end] !== CARRIAGE_RETURN) return undefined;
    if (end + 1 === bytes.length) return TORN;
    if (end === first || bytes[end + 1] !== LINE_FEED) return undefined;
    this.at = end + 2;
    return value;
  }

  word(): Uint8Array | typeof TORN | undefined {
    const length = this.count(BULK);
    if (typeof length !== 'number') return length;
    const [start, end] = [this.at, this.at + length];
    if (end + 2 > this.bytes.length) return TORN;
    if (this.bytes[end] !== CARRIAGE_RETURN || this.bytes[end + 1] !== LINE_FEED) return undefined;
    this.at = end + 2;
    return this.bytes.subarray(start, end);
  }
}
