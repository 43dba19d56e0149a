/** Bytes as base64, and as base64url without padding. */

/** Length of a piece that is encoded at once: a multiple of three, and few enough arguments of a call. */
const PIECE_BYTES = 0x3000;

/** Bytes in base64. */
export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let start = 0; start < bytes.length; start += PIECE_BYTES)
    text += btoa(String.fromCharCode(...bytes.subarray(start, start + PIECE_BYTES)));
  return text;
}

/** Bytes of base64. Throws for other text. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** Bytes in base64url. */
export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Bytes of base64url. Throws for other text. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  return fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'));
}
