/** Values as text, JSON and hexadecimal bytes. Pure. */

const BYTES_A_LINE = 16;

export type ValueForm = 'text' | 'json' | 'hex';

/** Indented JSON; undefined when the text is none, or only a number or word that needs no other form. */
export function jsonText(text: string): string | undefined {
  if (!/^\s*[[{"]/.test(text)) return undefined;
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return undefined;
  }
}

/** Lines of sixteen bytes: offset, bytes, and the characters among them. */
export function hexText(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += BYTES_A_LINE) {
    const part = bytes.subarray(at, at + BYTES_A_LINE);
    const hex = Array.from(part, (byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const characters = Array.from(part, (byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.'));
    lines.push(`${at.toString(16).padStart(6, '0')}  ${hex.padEnd(3 * BYTES_A_LINE)} ${characters.join('')}`);
  }
  return lines.join('\n');
}
