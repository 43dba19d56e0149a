/** Fingerprints of requests: equal for equal method, address and body. */
import { Encoder } from '../../base/encoders.js';
import { concat } from '../../resp/concat.js';

const encoder = /* @__PURE__ */ new Encoder();

/** SHA-256 in hexadecimal digits. */
export async function fingerprintOf(method: string, address: string, body: Uint8Array): Promise<string> {
  // No method and no address contains a line break, so each text has one reading.
  const bytes = concat([encoder.encode(`${method}\n${address}\n`), body]);
  const digest = await crypto.subtle.digest('SHA-256', bytes as BufferSource);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Bytes of a body that a parser has made a value of. */
export function bodyBytes(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body;
  if (body === undefined || body === null) return new Uint8Array();
  return encoder.encode(typeof body === 'string' ? body : JSON.stringify(body));
}
