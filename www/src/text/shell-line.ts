/** Lines that were typed into a shell: calls of redis-cli with their arguments, and other commands. Pure. */

// A root prompt ends with the sign of a comment; the host or folder in front of it tells the two apart.
const ROOT = String.raw`(?=[^\s"'>#]*[@:/])[^\s"'>#]+#\s+`;
const CALL = new RegExp(String.raw`^\s*(?:[^\s"'>]*[$%]\s+|${ROOT})?(?:redis-cli|valkey-cli)(?=\s|$)(.*)$`);
const SHELL = new RegExp(String.raw`^\s*(?:(?:[\w.@~:/-]+)?[$%]\s+|${ROOT})(\S.*)$`);
/** Options of redis-cli that have a value. */
const WITH_VALUE = new Set(['-h', '-p', '-s', '-a', '-u', '-r', '-i', '-d', '-t', '-D', '--user', '--pass']);
const WORD = /\s*((?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+)/gy;

/** Words of a command that redis-cli is called with; undefined for other lines. */
export function redisCliCall(line: string): { words: string[]; database: string | undefined } | undefined {
  const match = CALL.exec(line);
  if (!match || /[<|]/.test(unquoted(match[1] ?? ''))) return undefined;
  const words = shellWords(match[1] ?? '');
  let database: string | undefined;
  let first = 0;
  for (; words[first]?.startsWith('-'); first += 1) {
    const option = words[first] ?? '';
    if (option === '-n') database = words[(first += 1)];
    else if (WITH_VALUE.has(option)) first += 1;
  }
  return { words: words.slice(first), database: database && database !== '0' ? database : undefined };
}

/** The command behind a shell's prompt; undefined for other lines. */
export function shellCommand(line: string): string | undefined {
  return SHELL.exec(line)?.[1]?.trim();
}

/** Splits as a shell does; a comment behind the words is left out. */
function shellWords(text: string): string[] {
  const words: string[] = [];
  for (const [, word = ''] of text.matchAll(WORD)) {
    if (word.startsWith('#')) break;
    words.push(word.replace(/'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/g, unescaped));
  }
  return words;
}

function unescaped(_all: string, single?: string, double?: string, escaped?: string): string {
  return single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped ?? '';
}

/** A text without what stands in quotes. Quotes that nothing closes stay. */
function unquoted(text: string): string {
  let bare = '';
  for (let at = 0; at < text.length; at += 1) {
    const end = closingQuote(text, at);
    if (end === -1) return bare + text.slice(at);
    if (end === at) bare += text[at];
    at = end;
  }
  return bare;
}

/** Index of the quote that closes the one at an index; that index if there is none, -1 if nothing closes it. */
function closingQuote(text: string, at: number): number {
  const quote = text[at];
  if (quote !== '"' && quote !== "'") return at;
  for (let end = at + 1; end < text.length; end += 1) {
    if (text[end] === '\\' && quote === '"') end += 1;
    else if (text[end] === quote) return end;
  }
  return -1;
}
