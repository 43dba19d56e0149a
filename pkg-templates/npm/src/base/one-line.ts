/** A command over several lines as one line: of a history, or of a session. */

/** Writes line breaks in quotes as `\n`, which double quotes alone know: the engine reads the same words. */
export function oneLine(command: string): string {
  let written = '';
  let at = 0;
  for (;;) {
    const start = openingQuote(command, at);
    const end = start === -1 ? -1 : closingQuote(command, start);
    if (end === -1) return written + command.slice(at);
    const quoted = command.slice(start, end + 1);
    written += command.slice(at, start) + (quoted.includes('\n') ? `"${escaped(quoted)}"` : quoted);
    at = end + 1;
  }
}

function openingQuote(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) if (text[at] === '"' || text[at] === "'") return at;
  return -1;
}

/** Index of the quote that closes the one at `start`; -1 if none does. */
function closingQuote(text: string, start: number): number {
  const quote = text[start];
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\' && (quote === '"' || text[at + 1] === "'")) at += 1;
    else if (text[at] === quote) return at;
  }
  return -1;
}

function escaped(quoted: string): string {
  const text = quoted.slice(1, -1);
  if (quoted.startsWith('"')) return text.replace(/\\[\s\S]|\n/g, (part) => (part.endsWith('\n') ? '\\n' : part));
  return text.replace(/\\'|["\\\n]/g, (part) => ({ "\\'": "'", '\n': '\\n' })[part] ?? `\\${part}`);
}
