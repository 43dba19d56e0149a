/** The header Idempotency-Key: a string of structured fields (RFC 9651), or the bare text that many clients send. */

/** Most characters of a key. */
const CHARS_MAX = 255;

/** Printable characters in quotes; quotes and backslashes behind a backslash. */
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;
const BARE = /^[\x21\x23-\x7e]+$/;

/** The header of a request, by the headers as `node:http` has them. */
export function headerIn(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): string | undefined {
  return [headers['idempotency-key'] ?? []].flat()[0];
}

/** The key of a header; undefined for a text that is none. */
export function keyOf(header: string): string | undefined {
  const text = header.trim();
  if (text.length > 2 * CHARS_MAX) return undefined;
  const quoted = QUOTED.exec(text)?.[1]?.replace(/\\(.)/g, '$1');
  const key = quoted ?? (BARE.test(text) ? text : '');
  return key === '' || key.length > CHARS_MAX ? undefined : key;
}
