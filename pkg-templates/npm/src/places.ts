/**
 * Places in the scratch area for keys that are used again and again: such a key is written once, and found again by its
 * text. Behind it is room for a short value, and the text of the bytes that lie there is remembered: it is made anew only
 * when they change.
 */

import { areAlike, firstPositions, lesson, mix } from './positions.js';

/** Names that cost nothing: a constant of a module is looked up each time. */
export const enum Place {
  /** Keys of so many characters may have a place. */
  KeyMin = 4,
  KeyMax = 63,
  /** Values up to so many bytes the engine copies behind their key. */
  ShortMax = 32,
  ValueBehind = 64,
  Size = ValueBehind + ShortMax,
  Count = 2048,
  /** A key may be at so many of them, this far from each other. */
  Choices = 4,
  Apart = Count / Choices,
  /** Behind the front of the area. */
  Start = 16 * 1024,
  End = Start + Count * Size,
}

/** How often a key came by, in the lowest bits of what it was mixed to: others who come by in between count against it. */
const enum Passing {
  Bits = 4,
  Mask = 15,
  Own = 3,
  /** Coming by beyond this a key is given a place: the fourth time, if nobody else came. */
  Enough = 9,
}

/** When hardly a key is found, looking for one is left for a while: there are too many of them, or each comes only once. */
const enum Rest {
  AfterMisses = 8192,
  /** With at least one find for so many misses it is worth while. */
  MissesPerFind = 2,
  /** So many keys are not looked for. */
  Length = 15 * AfterMisses,
}

/** How often keys were found elsewhere than at their first places since the last judgement. */
const enum Astray {
  /** Every key in use was found a dozen times since then: a key moves to its first place if nobody was found there. */
  Enough = 12 * Place.Count,
  /** It is time for the next judgement. */
  Judged = 16 * Place.Count,
  /** So many less for each key without a place: while places are fought for, moving is not worth while. */
  LessForMiss = 8,
}

/** So many lessons are taken for so many misses, since each makes keys move to other places. */
const LESSONS_MAX = 16;

/** Stands for a text that is not known: no short value is as long. */
const UNKNOWN = ' '.repeat(Place.ShortMax + 1);

export class Places {
  /** The key at each place; empty for none. */
  readonly #keys: string[] = new Array<string>(Place.Count).fill('');
  /** The text of the bytes behind each key. */
  readonly #texts: string[] = new Array<string>(Place.Count).fill(UNKNOWN);
  /** What each of these keys was mixed to. */
  readonly #marks = new Int32Array(Place.Count);
  /** How often each was found since the last judgement, or since another key wanted its place: found at all, it keeps it. */
  readonly #finds = new Uint32Array(Place.Count);
  /** What a key was mixed to that came by its first place without being found, and how often it came. */
  readonly #passing = new Int32Array(Place.Count);
  /** Where keys are looked at, by their length. */
  readonly #positions = Int32Array.from({ length: Place.KeyMax + 1 }, (_, length) => firstPositions(length));
  #misses = 0;
  #astray = 0;
  #lessons = 0;
  #resting = 0;

  /** Whether a key should not be looked for. To be asked for each: so the rest ends. */
  rests(): boolean {
    if (this.#resting === 0) return false;
    this.#resting -= 1;
    return true;
  }

  /**
   * Where a key lies; 0 when it has no place. A key that came by a few times is told where to be written, by the negative: a
   * lock that is acquired and released is not worth more than writing its key at the front. So is a key that moves.
   */
  find(text: string): number {
    const length = text.length;
    if (length > Place.KeyMax || length < Place.KeyMin) return 0;
    const mixed = mix(text, this.#positions[length] as number);
    const first = mixed & (Place.Count - 1);
    if (this.#keys[first] !== text) return this.#findElsewhere(first, mixed, text);
    // As #found, which the compiler does not put in here.
    (this.#finds[first] as number) += 1;
    return Place.Start + first * Place.Size;
  }

  /** A key was written at a place. */
  take(at: number, key: string): void {
    this.#keys[numberOf(at)] = key;
  }

  /** The last text for a key; of the bytes that lie behind it, if it is as long as they are. */
  textAt(at: number): string {
    return at === 0 ? UNKNOWN : (this.#texts[numberOf(at)] as string);
  }

  /** Bytes were made into a text. */
  remember(at: number, text: string): void {
    this.#texts[numberOf(at)] = text;
  }

  /** Bytes changed and were not made into a text. */
  forget(at: number): void {
    this.remember(at, UNKNOWN);
  }

  /** The same, whichever they were. */
  forgetAll(): void {
    this.#texts.fill(UNKNOWN);
  }

  #found(number: number): number {
    (this.#finds[number] as number) += 1;
    return Place.Start + number * Place.Size;
  }

  #findElsewhere(first: number, mixed: number, text: string): number {
    for (let number = next(first); number !== first; number = next(number)) {
      if (this.#marks[number] === mixed && this.#keys[number] === text) return this.#foundAstray(number, first, mixed);
    }
    return this.#pass(first, mixed, text);
  }

  /** Keys that a program used earlier may hold the first places of those it uses now, which are found a fifth quicker there. */
  #foundAstray(number: number, first: number, mixed: number): number {
    this.#astray += 1;
    if (this.#astray > Astray.Enough && this.#finds[first] === 0) {
      this.#keys[number] = '';
      this.#finds[number] = 0;
      return this.#clear(first, mixed);
    }
    if (this.#astray === Astray.Judged) this.#judge();
    return this.#found(number);
  }

  #pass(first: number, mixed: number, text: string): number {
    this.#misses += 1;
    this.#astray = Math.max(0, this.#astray - Astray.LessForMiss);
    if (this.#misses === Rest.AfterMisses) this.#judge();
    const passing = this.#passing[first] as number;
    const times = passing & Passing.Mask;
    if (passing >> Passing.Bits !== mixed) {
      this.#passing[first] = times === 0 ? (mixed << Passing.Bits) + Passing.Own : passing - 1;
      return 0;
    }
    if (times < Passing.Enough) {
      this.#passing[first] = passing + Passing.Own;
      return 0;
    }
    this.#passing[first] = 0;
    return this.#claim(first, mixed, text);
  }

  /** A place for a key that is worth one, as `find` answers it. */
  #claim(first: number, mixed: number, text: string): number {
    const choices = Array.from({ length: Place.Choices }, (_, index) => (first + index * Place.Apart) & (Place.Count - 1));
    const free = choices.find((number) => this.#finds[number] === 0);
    if (free !== undefined) return this.#clear(free, mixed);
    const positions = this.#positions[text.length] as number;
    const alike = choices.map((number) => this.#keys[number] as string).filter((key) => areAlike(text, key, positions));
    if (alike.length > 1 && this.#lessons < LESSONS_MAX) {
      this.#lessons += 1;
      this.#positions[text.length] = lesson(text, alike[0] as string, positions, this.#keys);
    } else {
      for (const number of choices) this.#finds[number] = 0;
    }
    return 0;
  }

  /** Until the key is written nobody is here. */
  #clear(number: number, mixed: number): number {
    this.#keys[number] = '';
    this.#marks[number] = mixed;
    this.#finds[number] = 1;
    return -(Place.Start + number * Place.Size);
  }

  #judge(): void {
    const finds = this.#finds.reduce((sum, count) => sum + count, 0);
    if (finds * Rest.MissesPerFind < this.#misses) {
      this.#resting = Rest.Length;
    }
    this.#finds.fill(0);
    this.#misses = 0;
    this.#astray = 0;
    this.#lessons = 0;
  }
}

/** The next place a key may be at. */
function next(number: number): number {
  return (number + Place.Apart) & (Place.Count - 1);
}

/** Which of the places it is. */
export function numberOf(at: number): number {
  return ((at - Place.Start) / Place.Size) | 0;
}
