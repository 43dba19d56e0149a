/** Parts of a typed command: quotes, comments, indentation. Pure. */

const TYPOGRAPHIC: Readonly<Record<string, string>> = {
  '“': '"',
  '”': '"',
  '„': '"',
  '«': '"',
  '»': '"',
  '‘': "'",
  '’': "'",
  '‚': "'",
  '\u00a0': ' ',
};

/** Straight quotes and ordinary blanks in place of those that word processors write. */
export function plainQuotes(text: string): string {
  return text.replace(/[“”„«»‘’‚\u00a0]/g, (character) => TYPOGRAPHIC[character] ?? character);
}

/** The quote that is open at the end of a line. */
export function openQuote(text: string): string | undefined {
  let open: string | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '\\' && open === '"') at += 1;
    else if (open !== undefined) open = character === open ? undefined : open;
    else if ((character === '"' || character === "'") && /\s/.test(text[at - 1] ?? ' ')) open = character;
  }
  return open;
}

/** Splits `SET k v # why`. A mark in quotes, inside a word, or as a whole argument at the end is no comment. */
export function trailingComment(text: string): { text: string; comment?: string } {
  for (const { index } of text.matchAll(/\s#\s+\S/g)) {
    const command = text.slice(0, index).trimEnd();
    if (openQuote(command) !== undefined || /\bGET$/i.test(command)) continue;
    return { text: command, comment: text.slice(index).trim().replace(/^#\s*/, '') };
  }
  return { text };
}

export function indentOf(line: string): string {
  return /^\s*/.exec(line)?.[0] ?? '';
}

/** A reply without the indentation of its command; its own stays. */
export function dedented(line: string, indent: string): string {
  return line.startsWith(indent) ? line.slice(indent.length) : line;
}
