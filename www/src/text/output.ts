/** Output of commands: its beginning, its texts in UTF-8, and replies that redis-cli prints without quotes. Pure. */

/** Lines and characters of an output that are shown without being asked for. */
const SHOWN_LINES = 40;
const SHOWN_CHARS = 4000;

/** The beginning of an output; undefined when that is all of it. */
export function beginning(lines: readonly string[]): string[] | undefined {
  const shown: string[] = [];
  let chars = 0;
  for (const line of lines) {
    const rest = SHOWN_CHARS - chars;
    if (shown.length === SHOWN_LINES || rest <= 0) return shown;
    if (line.length > rest) return [...shown, line.slice(0, rest)];
    shown.push(line);
    chars += line.length;
  }
  return undefined;
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** A printed line with its `\xHH` as text where they are UTF-8. Escaped backslashes stay as they are. */
export function readable(line: string): string {
  if (!line.includes('\\x')) return line;
  return line.replace(/\\\\|(?:\\x[89a-f][0-9a-f])+/g, (escapes) => {
    if (escapes === '\\\\') return escapes;
    const bytes = Uint8Array.from(escapes.split('\\x').slice(1), (hex) => Number.parseInt(hex, 16));
    return decodedCharacters(bytes) ?? escapes;
  });
}

function decodedCharacters(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Commands with replies that redis-cli 7 prints without quotes: by name, or by name and subcommand. */
const RAW = new Set([
  'INFO',
  'LOLWUT',
  'DEBUG HTSTATS',
  'DEBUG HTSTATS-KEY',
  'MEMORY MALLOC-STATS',
  'MEMORY DOCTOR',
  'CLUSTER NODES',
  'CLUSTER INFO',
  'CLIENT LIST',
  'CLIENT INFO',
  'LATENCY GRAPH',
  'LATENCY DOCTOR',
]);

export function isPrintedRaw(words: readonly (string | Uint8Array)[]): boolean {
  const [name = '', subcommand = ''] = words.slice(0, 2).map(upperCase);
  return RAW.has(name) || RAW.has(`${name} ${subcommand}`);
}

function upperCase(word: string | Uint8Array): string {
  return (typeof word === 'string' ? word : new TextDecoder().decode(word.subarray(0, 64))).toUpperCase();
}

/** Lines of a bulk string or error in RESP, without quotes; undefined for other replies. */
export function rawLines(reply: Uint8Array): string[] | undefined {
  const text = new TextDecoder().decode(reply);
  const found = /^(?:\$\d+\r\n|=\d+\r\ntxt:|-)(.*)\r\n$/s.exec(text)?.[1];
  const lines = found?.split(/\r?\n/);
  while (lines !== undefined && lines.length > 1 && lines.at(-1) === '') lines.pop();
  return lines;
}
