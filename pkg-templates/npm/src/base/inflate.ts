/**
 * Decoder of DEFLATE (RFC 1951) that unpacks the built-in engine: browsers decompress asynchronously only, and an
 * engine is created synchronously. The input comes from the package's own build and is not checked for damage.
 */

const LONGEST_CODE = 15;
const END_OF_BLOCK = 256;
/** Order in which a block lists the lengths of its code length codes. */
const LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/** Lookup table by the next bits, as many as the longest code has: symbol * 16 + length of its code. */
type Codes = Uint16Array;

function codesOf(lengths: ArrayLike<number>): Codes {
  let longest = 1;
  for (let symbol = 0; symbol < lengths.length; symbol += 1) longest = Math.max(longest, lengths[symbol]!);
  const codes = new Uint16Array(1 << longest);
  let code = 0;
  for (let length = 1; length <= longest; length += 1, code <<= 1) {
    for (let symbol = 0; symbol < lengths.length; symbol += 1) {
      if (lengths[symbol] !== length) continue;
      let first = 0;
      for (let bit = 0; bit < length; bit += 1) first |= ((code >> bit) & 1) << (length - 1 - bit);
      for (let at = first; at < codes.length; at += 1 << length) codes[at] = symbol * 16 + length;
      code += 1;
    }
  }
  return codes;
}

/** First values of the symbol ranges for lengths or distances, and their numbers of extra bits. */
function ranges(first: number, perStep: number, count: number): [starts: Uint16Array, further: Uint8Array] {
  const [starts, further] = [new Uint16Array(count), new Uint8Array(count)];
  for (let symbol = 0, start = first; symbol < count; symbol += 1) {
    const bits = Math.max(0, Math.floor(symbol / perStep) - 1);
    starts[symbol] = start;
    further[symbol] = bits;
    start += 1 << bits;
  }
  return [starts, further];
}

/** Variant of `ranges` for lengths, of which the longest is a symbol of its own. */
function rangesOfLengths(): [starts: Uint16Array, further: Uint8Array] {
  const [starts, further] = ranges(3, 4, 29);
  starts[28] = 258;
  further[28] = 0;
  return [starts, further];
}

const LENGTHS = /* @__PURE__ */ rangesOfLengths();
const DISTANCES = /* @__PURE__ */ ranges(1, 2, 30);

class Reader {
  readonly out: Uint8Array<ArrayBuffer>;
  readonly #packed: Uint8Array;
  #at = 0;
  #from = 0;
  #held = 0;
  #bits = 0;

  constructor(packed: Uint8Array, size: number) {
    this.#packed = packed;
    this.out = new Uint8Array(size);
  }

  blocks(): Uint8Array<ArrayBuffer> {
    for (let last = 0; last === 0; ) {
      last = this.#take(1);
      const kind = this.#take(2);
      if (kind === 0) this.#copyStored();
      else this.#copyCoded(...(kind === 1 ? fixedCodes() : this.#dynamicCodes()));
    }
    return this.out;
  }

  #take(count: number): number {
    for (; this.#bits < count; this.#bits += 8) this.#held |= (this.#packed[this.#from++] ?? 0) << this.#bits;
    const value = this.#held & ((1 << count) - 1);
    this.#held >>>= count;
    this.#bits -= count;
    return value;
  }

  #symbol(codes: Codes): number {
    for (; this.#bits < LONGEST_CODE; this.#bits += 8) this.#held |= (this.#packed[this.#from++] ?? 0) << this.#bits;
    const entry = codes[this.#held & (codes.length - 1)]!;
    this.#held >>>= entry & 15;
    this.#bits -= entry & 15;
    return entry >> 4;
  }

  #copyStored(): void {
    this.#take(this.#bits & 7);
    const length = this.#take(16);
    this.#take(16);
    for (const end = this.#at + length; this.#at < end; this.#at += 1) this.out[this.#at] = this.#take(8);
  }

  #dynamicCodes(): [literals: Codes, distances: Codes] {
    const [literals, distances, count] = [this.#take(5) + 257, this.#take(5) + 1, this.#take(4) + 4];
    const own = new Uint8Array(LENGTH_ORDER.length);
    for (const place of LENGTH_ORDER.slice(0, count)) own[place] = this.#take(3);
    const codes = codesOf(own);
    const lengths = new Uint8Array(literals + distances);
    for (let at = 0; at < lengths.length; ) {
      const word = this.#symbol(codes);
      const length = word < 16 ? word : word === 16 ? lengths[at - 1]! : 0;
      const repeat =
        word < 16 ? 1 : word === 16 ? 3 + this.#take(2) : word === 17 ? 3 + this.#take(3) : 11 + this.#take(7);
      lengths.fill(length, at, at + repeat);
      at += repeat;
    }
    return [codesOf(lengths.subarray(0, literals)), codesOf(lengths.subarray(literals))];
  }

  #copyCoded(literals: Codes, distances: Codes): void {
    const { out } = this;
    const [lengthStarts, lengthBits] = LENGTHS;
    const [distanceStarts, distanceBits] = DISTANCES;
    let at = this.#at;
    for (let word = this.#symbol(literals); word !== END_OF_BLOCK; word = this.#symbol(literals)) {
      if (word < END_OF_BLOCK) {
        out[at++] = word;
        continue;
      }
      const length = lengthStarts[word - 257]! + this.#take(lengthBits[word - 257]!);
      const far = this.#symbol(distances);
      const distance = distanceStarts[far]! + this.#take(distanceBits[far]!);
      for (const end = at + length; at < end; at += 1) out[at] = out[at - distance]!;
    }
    this.#at = at;
  }
}

function fixedCodes(): [literals: Codes, distances: Codes] {
  const lengths = new Uint8Array(288).fill(8);
  lengths.fill(9, 144, 256).fill(7, 256, 280);
  return [codesOf(lengths), codesOf(new Uint8Array(30).fill(5))];
}

/** Unpacks to `size` bytes. */
export function inflate(packed: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  return new Reader(packed, size).blocks();
}
