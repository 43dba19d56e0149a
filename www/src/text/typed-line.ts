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
  return scanned(text, 0, undefined, text.length);
}

/** The quote that is open at an index, read on from where `open` was. */
function scanned(text: string, from: number, before: string | undefined, end: number): string | undefined {
  let open = before;
  for (let at = from; at < end; at += 1) {
    const character = text[at];
    if (character === '\\' && open === '"') at += 1;
    else if (open !== undefined) open = character === open ? undefined : open;
    else if ((character === '"' || character === "'") && /\s/.test(text[at - 1] ?? ' ')) open = character;
  }
  return open;
}

/** Characters in front of a mark that are looked at. */
const BEFORE_MAX = 64;

/** Splits `SET k v # why`. A mark in quotes, inside a word, or as a whole argument at the end is no comment. */
export function trailingComment(text: string): { text: string; comment?: string } {
  let open: string | undefined;
  let at = 0;
  for (const { index } of text.matchAll(/\s#\s+\S/g)) {
    open = scanned(text, at, open, index);
    at = index;
    if (open !== undefined || /\bGET$/i.test(text.slice(Math.max(0, index - BEFORE_MAX), index).trimEnd())) continue;
    return { text: text.slice(0, index).trimEnd(), comment: text.slice(index).trim().replace(/^#\s*/, '') };
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
