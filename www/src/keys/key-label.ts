/** Text form of a key's bytes: unchanged for plain text, else quoted with escapes. Pure. */

import { quoteWord } from 'keylatch/hints';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Bytes as text; undefined when they are not UTF-8. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

export function keyLabel(bytes: Uint8Array): string {
  const text = textOf(bytes);
  return text === undefined ? `"${Array.from(bytes, escapeByte).join('')}"` : quoteWord(text);
}

/** The key without quotes, if it is text. Most labels are the key itself, which saves decoding it again. */
export function keyName(bytes: Uint8Array, label: string): string {
  return label.startsWith('"') ? (textOf(bytes) ?? label) : label;
}

function escapeByte(byte: number): string {
  const printable = byte > 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c;
  return printable ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`;
}
