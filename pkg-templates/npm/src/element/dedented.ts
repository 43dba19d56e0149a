/** Indentation of the texts between the tags of a page. Pure. */

/** A text without blank lines around it and without the indentation that all lines share. */
export function dedented(text: string): string {
  const whole = text.replace(/\r\n?/g, '\n').trimEnd().split('\n');
  const first = whole.findIndex((line) => line.trim() !== '');
  const lines = whole.slice(Math.max(first, 0));
  const indents = lines.filter((line) => line.trim() !== '').map((line) => /^[ \t]*/.exec(line)?.[0].length ?? 0);
  const shared = Math.min(...indents, text.length);
  return lines.map((line) => line.slice(shared)).join('\n');
}
