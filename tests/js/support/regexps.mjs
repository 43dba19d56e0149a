// Finds the regular expressions of TypeScript sources, and texts on which they would backtrack.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A slash that begins a regular expression: behind a sign after which no division can stand. */
const BEGINS = /(?:[(,=:[!&|?{};>]|^|\breturn)\s*$/;

/** Regular expressions of all `.ts` files below a folder, as `{ file, line, source, flags }`. */
export function regexpsBelow(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts') && !name.includes('generated'))
    .flatMap((file) =>
      readFileSync(join(folder, file), 'utf8')
        .split('\n')
        .flatMap((text, index) => literalsOf(text).map((found) => ({ file, line: index + 1, ...found }))),
    );
}

function literalsOf(line) {
  const found = [];
  if (/^\s*(?:\*|\/\*|\/\/)/.test(line)) return found;
  for (let at = line.indexOf('/'); at !== -1; at = line.indexOf('/', at + 1)) {
    if (!BEGINS.test(line.slice(0, at)) || '/*'.includes(line[at + 1] ?? '/')) continue;
    const end = endOf(line, at);
    if (end === -1) continue;
    const [flags] = /^[a-z]*/.exec(line.slice(end + 1));
    const source = line.slice(at + 1, end);
    if (isRegexp(source, flags)) found.push({ source, flags });
    at = end;
  }
  return found;
}

function endOf(line, start) {
  let isClass = false;
  for (let at = start + 1; at < line.length; at += 1) {
    if (line[at] === '\\') at += 1;
    else if (line[at] === '[') isClass = true;
    else if (line[at] === ']') isClass = false;
    else if (line[at] === '/' && !isClass) return at;
  }
  return -1;
}

function isRegexp(source, flags) {
  try {
    return new RegExp(source, flags) instanceof RegExp;
  } catch {
    return false;
  }
}

/** Texts that expressions repeat, beside the words and signs of the expression itself. */
const COMMON = [
  'a',
  'A',
  '1',
  ' ',
  '\t',
  '\n',
  '"',
  "'",
  '\\',
  '>',
  '[',
  '(',
  '-',
  ':',
  '#',
  '/',
  '~',
  ',',
  '\\x',
  '"\\',
  "'\\",
  '> ',
  ' #',
  '\r\n',
  '1.',
];

/** Texts of a length, made of what an expression looks for: a beginning, one part over and over, and an end that fits nothing. */
export function* hostileTexts(source, length) {
  const words = [...new Set(source.match(/[A-Za-z]{2,}|[^\\\w\s]|\w/g) ?? [])].slice(0, 20);
  const units = new Set([...words, ...COMMON, ...words.map((word) => `${word} `)]);
  const starts = new Set(['', ...words.slice(0, 3), words.slice(0, 2).join(''), '> ']);
  for (const unit of units) {
    const body = unit.repeat(Math.ceil(length / unit.length));
    for (const start of starts) yield `${start}${body}\u0000`;
  }
}

/** Searches a text to its end. */
export function searchAll({ source, flags }, text) {
  const regexp = new RegExp(source, flags);
  if (flags.includes('g')) for (const _ of text.matchAll(regexp));
  else regexp.test(text);
}
