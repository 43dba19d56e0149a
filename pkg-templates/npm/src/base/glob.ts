/**
 * Glob patterns of Redis, as KEYS has them: `*`, `?`, `[abc]`, `[^a-c]`, and `\` before a literal. Follows
 * src/base/glob.rs: only the last star is ever retried, so the time is at most the product of both lengths.
 */
import { Encoder } from './encoders.js';

/** One element of a pattern: the byte that it matches, the bytes of a class, any byte, or any number of bytes. */
type Element = number | ReadonlySet<number> | typeof ANY | typeof STAR;

const ANY = -1;
const STAR = -2;

const BYTES = 256;
const encoder = /* @__PURE__ */ new Encoder();

/** Test of bytes against a pattern, as a function. */
export function globMatcher(pattern: Uint8Array): (text: Uint8Array) => boolean {
  const elements = elementsOf(pattern);
  // A lone star is no pattern; others match no empty text, as in Redis.
  if (elements.length === 1 && elements[0] === STAR && pattern.length === 1) return () => true;
  return (text) => (text.length === 0 ? pattern.length === 0 : matches(elements, text));
}

/**
 * Test of a key against a glob pattern, as KEYS has it: `*`, `?`, `[abc]`, `[^a-c]`, and `\` before a literal.
 *
 * @example keyMatcher('user:*')('user:1') // true
 */
export function keyMatcher(pattern: string): (key: string | Uint8Array) => boolean {
  const isMatch = globMatcher(encoder.encode(pattern));
  return (key) => isMatch(typeof key === 'string' ? encoder.encode(key) : key);
}

function matches(elements: readonly Element[], text: Uint8Array): boolean {
  let [element, at] = [0, 0];
  // Where a retry begins: behind the last star, and one byte further in the text each time.
  let [afterStar, retryAt] = [-1, 0];
  while (at < text.length) {
    if (elements[element] === STAR) {
      element += 1;
      [afterStar, retryAt] = [element, at];
    } else if (element < elements.length && matchesOne(elements[element] as Element, text[at] as number)) {
      element += 1;
      at += 1;
    } else if (afterStar === -1) {
      return false;
    } else {
      retryAt += 1;
      [element, at] = [afterStar, retryAt];
    }
  }
  while (elements[element] === STAR) element += 1;
  return element === elements.length;
}

function matchesOne(element: Element, byte: number): boolean {
  return typeof element === 'number' ? element === byte || element === ANY : element.has(byte);
}

function elementsOf(pattern: Uint8Array): Element[] {
  const elements: Element[] = [];
  let at = 0;
  while (at < pattern.length) {
    const [element, next] = elementAt(pattern, at);
    // A star behind another one matches nothing more.
    if (element !== STAR || elements.at(-1) !== STAR) elements.push(element);
    at = next;
  }
  return elements;
}

const Sign = {
  Star: 0x2a,
  Dash: 0x2d,
  Question: 0x3f,
  Open: 0x5b,
  Backslash: 0x5c,
  Close: 0x5d,
  Caret: 0x5e,
} as const;

/** The element of a pattern that begins at an index, and the index after it. */
function elementAt(pattern: Uint8Array, at: number): [element: Element, next: number] {
  const byte = pattern[at] as number;
  if (byte === Sign.Star) return [STAR, at + 1];
  if (byte === Sign.Question) return [ANY, at + 1];
  if (byte === Sign.Open) return classAt(pattern, at + 1);
  if (byte === Sign.Backslash && at + 1 < pattern.length) return [pattern[at + 1] as number, at + 2];
  return [byte, at + 1];
}

/** A class of bytes. Without its end it extends to the end of the pattern, as in Redis. */
function classAt(pattern: Uint8Array, start: number): [element: Element, next: number] {
  let at = start;
  const isNegated = pattern[at] === Sign.Caret;
  if (isNegated) at += 1;
  const inside = new Set<number>();
  while (at < pattern.length && pattern[at] !== Sign.Close) at = addMember(pattern, at, inside);
  if (!isNegated) return [inside, at + 1];
  const outside = Array.from({ length: BYTES }, (_, byte) => byte).filter((byte) => !inside.has(byte));
  return [new Set(outside), at + 1];
}

/** Adds the bytes of one member of a class, a byte or a range. Returns the index after it. */
function addMember(pattern: Uint8Array, at: number, inside: Set<number>): number {
  const first = pattern[at] as number;
  if (first === Sign.Backslash && at + 1 < pattern.length) {
    inside.add(pattern[at + 1] as number);
    return at + 2;
  }
  if (pattern[at + 1] !== Sign.Dash || at + 2 >= pattern.length) {
    inside.add(first);
    return at + 1;
  }
  const last = pattern[at + 2] as number;
  addRange(signed(first), signed(last), inside);
  return at + 3;
}

/** Both ends are included and may be in either order. */
function addRange(first: number, last: number, inside: Set<number>): void {
  for (let byte = Math.min(first, last); byte <= Math.max(first, last); byte += 1) inside.add(byte & (BYTES - 1));
}

/** Redis compares C's `char`, which is signed on x86. */
function signed(byte: number): number {
  return (byte << 24) >> 24;
}
