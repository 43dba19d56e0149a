/** A command over several lines as one line of the history. */

const QUOTED = /"(?:\\[\s\S]|[^"\\])*"|'(?:\\'|[^'])*'/g;

/** Writes line breaks in quotes as `\n`, which double quotes alone know: the engine reads the same words. */
export function oneLine(command: string): string {
  return command.replace(QUOTED, (quoted) => (quoted.includes('\n') ? `"${escaped(quoted)}"` : quoted));
}

function escaped(quoted: string): string {
  const text = quoted.slice(1, -1);
  if (quoted.startsWith('"')) return text.replace(/\\[\s\S]|\n/g, (part) => (part.endsWith('\n') ? '\\n' : part));
  return text.replace(/\\'|["\\\n]/g, (part) => ({ "\\'": "'", '\n': '\\n' })[part] ?? `\\${part}`);
}
