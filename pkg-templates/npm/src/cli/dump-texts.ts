/** Bytes of keys and values as `keylatch dump` prints them. */
import { Decoder } from '../base/encoders.js';

/** An argument as redis-cli reads it. */
export function quoted(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString('latin1');
  if (/^[\w:.+-]+$/.test(text)) return text;
  const escaped = text.replace(/[\\"]/g, '\\$&').replace(/[^\x20-\x7e]/g, hexadecimal);
  return `"${escaped}"`;
}

function hexadecimal(character: string): string {
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
}

/** Text, or an object with the bytes if they are not UTF-8. */
export function readable(bytes: Uint8Array): unknown {
  try {
    return new Decoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return { base64: Buffer.from(bytes).toString('base64') };
  }
}
