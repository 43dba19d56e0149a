/** Glob patterns of Redis, as KEYS and PSUBSCRIBE have them: `*`, `?`, `[abc]`, `[^a-c]`, and `\` before a literal. */

/** Bytes as text with one character a byte, so that patterns match bytes as in Redis. */
export function binaryText(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

/** Test of a binary text against a pattern, as a function. */
export function globMatcher(pattern: Uint8Array): (text: string) => boolean {
  const source = binaryText(pattern);
  let regexp = '';
  let at = 0;
  while (at < source.length) {
    const [part, next] = partOf(source, at);
    regexp += part;
    at = next;
  }
  const matcher = new RegExp(`^${regexp}$`, 's');
  return (text) => matcher.test(text);
}

const encoder = new TextEncoder();

/**
 * Test of a key against a glob pattern, as KEYS has it: `*`, `?`, `[abc]`, `[^a-c]`, and `\` before a literal.
 *
 * @example keyMatcher('user:*')('user:1') // true
 */
export function keyMatcher(pattern: string): (key: string | Uint8Array) => boolean {
  const matches = globMatcher(encoder.encode(pattern));
  return (key) => matches(binaryText(typeof key === 'string' ? encoder.encode(key) : key));
}

/** The part of a pattern that begins at an index, as a regular expression, and the index after it. */
function partOf(source: string, at: number): [part: string, next: number] {
  const character = source[at] as string;
  if (character === '*') {
    let next = at + 1;
    while (source[next] === '*') next += 1;
    return ['.*', next];
  }
  if (character === '?') return ['.', at + 1];
  if (character === '[') return classOf(source, at + 1);
  if (character === '\\' && at + 1 < source.length) return [literal(source[at + 1] as string), at + 2];
  return [literal(character), at + 1];
}

/** A class of characters. Without its end it extends to the end of the pattern, as in Redis. */
function classOf(source: string, start: number): [part: string, next: number] {
  let at = start;
  const isNegated = source[at] === '^';
  if (isNegated) at += 1;
  const ranges: [number, number][] = [];
  while (at < source.length && source[at] !== ']') {
    if (source[at] === '\\' && at + 1 < source.length) at += 1;
    const first = source.charCodeAt(at);
    if (source[at + 1] === '-' && at + 2 < source.length) {
      const last = source.charCodeAt(at + 2);
      ranges.push([Math.min(first, last), Math.max(first, last)]);
      at += 3;
    } else {
      ranges.push([first, first]);
      at += 1;
    }
  }
  const hex = (code: number): string => `\\x${code.toString(16).padStart(2, '0')}`;
  const inside = ranges.map(([first, last]) => `${hex(first)}-${hex(last)}`).join('');
  if (inside === '') return [isNegated ? '.' : '(?!)', at + 1];
  return [`[${isNegated ? '^' : ''}${inside}]`, at + 1];
}

function literal(character: string): string {
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
}
