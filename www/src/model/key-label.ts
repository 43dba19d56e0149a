/** Text form of a key's bytes: unchanged for plain text, else quoted with escapes. Pure. */

import { quoteWord } from 'keylatch/hints';

const decoder = new TextDecoder('utf-8', { fatal: true });

export function keyLabel(bytes: Uint8Array): string {
  try {
    return quoteWord(decoder.decode(bytes));
  } catch {
    return `"${Array.from(bytes, escapeByte).join('')}"`;
  }
}

function escapeByte(byte: number): string {
  const printable = byte > 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c;
  return printable ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`;
}
