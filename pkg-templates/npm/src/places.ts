/**
 * Places in the scratch area for keys that are used again and again: such a key is written once, and found again by its
 * text. Behind it is room for a short value, and the text of the bytes that lie there is remembered: it is made anew only
 * when they change.
 */

/** Names that cost nothing: a constant of a module is looked up each time. */
export const enum Place {
  /** Keys of so many characters may have a place. */
  KeyMin = 4,
  KeyMax = 32,
  /** Values up to so many bytes the engine copies behind their key. */
  ShortMax = 32,
  ValueBehind = 32,
  SizeBits = 6,
  Count = 1024,
  /** Behind the front of the area. */
  Start = 16 * 1024,
  End = Start + (Count << SizeBits),
}

/** How often a key came by, in the lowest bits of what it was mixed to. */
const enum Passing {
  Bits = 2,
  Max = 3,
}

/** When hardly a key is found, looking for one is left for a while: there are too many of them, or each comes only once. */
const enum Rest {
  AfterMisses = 8192,
  /** With at least one find for so many misses it is worth while. */
  MissesPerFind = 6,
  /** So many keys are not looked for. */
  Length = 15 * AfterMisses,
}

/** Stands for a text that is not known: no short value is as long. */
const UNKNOWN = ' '.repeat(Place.ShortMax + 1);

export class Places {
  /** The key at each place; empty for none. */
  readonly #keys: string[] = new Array<string>(Place.Count).fill('');
  /** The text of the bytes behind each key. */
  readonly #texts: string[] = new Array<string>(Place.Count).fill(UNKNOWN);
  /** What the last key was mixed to that came by a place without having it, and how often it came. */
  readonly #passing = new Int32Array(Place.Count);
  #finds = 0;
  #misses = 0;
  #resting = 0;

  /**
   * Where a key lies; 0 when it has no place. A key that came by its place a few times is told where to be written, by the
   * negative: a lock that is acquired and released is not worth more than writing its key at the front.
   */
  find(text: string): number {
    const length = text.length;
    if (length < Place.KeyMin || length > Place.KeyMax) return 0;
    if (this.#resting > 0) {
      this.#resting -= 1;
      return 0;
    }
    // Keys differ at the end, or in the middle; what they count there is often decimal.
    const middle = length >> 1;
    const mixed = text.charCodeAt(length - 1) + 10 * text.charCodeAt(length - 2) + 100 * text.charCodeAt(length - 3)
      + 331 * text.charCodeAt(middle) + 57 * text.charCodeAt(middle + 1);
    const number = mixed & (Place.Count - 1);
    if (this.#keys[number] !== text) return this.#pass(number, mixed);
    // It need not count beyond what is enough.
    if (this.#finds < Rest.AfterMisses) this.#finds += 1;
    return Place.Start + (number << Place.SizeBits);
  }

  /** A key was written at a place. */
  take(at: number, key: string): void {
    this.#keys[numberOf(at)] = key;
  }

  /** The text of the bytes that lie behind a key, if it is as long as they are. */
  textAt(at: number): string {
    return at === 0 ? UNKNOWN : (this.#texts[numberOf(at)] as string);
  }

  /** Bytes were made into a text. The front has no memory. */
  remember(at: number, text: string): void {
    if (at !== 0) this.#texts[numberOf(at)] = text;
  }

  /** Bytes changed and were not made into a text. */
  forget(at: number): void {
    this.remember(at, UNKNOWN);
  }

  /** The same, whichever they were. */
  forgetAll(): void {
    this.#texts.fill(UNKNOWN);
  }

  #pass(number: number, mixed: number): number {
    this.#misses += 1;
    if (this.#misses === Rest.AfterMisses) this.#judge();
    const passing = this.#passing[number] as number;
    const times = passing >> Passing.Bits === mixed ? passing & Passing.Max : 0;
    if (times < Passing.Max) {
      this.#passing[number] = (mixed << Passing.Bits) + times + 1;
      return 0;
    }
    // The next one has to come as often; and until this one is written nobody is here.
    this.#passing[number] = 0;
    this.#keys[number] = '';
    return -(Place.Start + (number << Place.SizeBits));
  }

  #judge(): void {
    if (this.#finds * Rest.MissesPerFind < this.#misses) this.#resting = Rest.Length;
    this.#finds = 0;
    this.#misses = 0;
  }
}

function numberOf(at: number): number {
  return (at - Place.Start) >> Place.SizeBits;
}
