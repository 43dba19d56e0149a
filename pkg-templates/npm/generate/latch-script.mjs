// The script of locks as a text of the package: without comments and with short names, and with the hash by which servers know it.
import { createHash } from 'node:crypto';

/** Words that keep their meaning: of the language, its libraries, and of the server. All others are names of the script. */
const KEPT = new Set(
  (
    'and break do else elseif end false for function if in local nil not or repeat return then true until while ' +
    'ipairs pairs tonumber type unpack math ceil floor huge max min string find format gsub match ' +
    'redis call pcall err error_reply replicate_commands KEYS ARGV'
  ).split(' '),
);

/** Texts in quotes of either kind, names, numbers, spaces and other signs. */
const TOKENS = /'[^']*'|"[^"]*"|[A-Za-z_]\w*|\d+|\s+|[^\s\w'"]/g;
const NAME = /^[A-Za-z_]/;

/** A name of one or two letters by its number, which no kept word has. */
const shortName = (number) => {
  const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
  const first = letters[number % letters.length];
  return number < letters.length ? first : `${first}${Math.floor(number / letters.length)}`;
};

/** A script that does the same, shorter: the most frequent names become the shortest. Fields are renamed like variables. */
function shortened(script) {
  const code = script.replaceAll(/^\s*--.*\n/gm, '');
  const tokens = code.match(TOKENS);
  const counts = new Map();
  for (const token of tokens) if (NAME.test(token) && !KEPT.has(token)) counts.set(token, (counts.get(token) ?? 0) + 1);
  const byCount = [...counts].sort(([, one], [, other]) => other - one).map(([name]) => name);
  const names = new Map(byCount.map((name, number) => [name, shortName(number)]));
  const isWord = (token) => token !== undefined && /^\w/.test(token);
  const isNeeded = (index) => isWord(tokens[index - 1]) && isWord(tokens[index + 1]);
  const spaced = tokens.map((token, index) => {
    if (token.trim() !== '') return names.get(token) ?? token;
    // Errors name lines.
    if (token.includes('\n')) return '\n';
    return isNeeded(index) ? ' ' : '';
  });
  return spaced.join('').trim();
}

/** Files of the script in their order: each uses what those before it define. */
const PARTS = ['start', 'limits', 'barriers', 'state', 'holders', 'line', 'operations'].map((part) => `${part}.lua`);

/** A text as it stands in a template literal, which keeps its lines. */
const literal = (text) => text.replaceAll(/[`\\]|\$\{/g, '\\$&');

/** `read` gets the text of a part. */
export function printLatchScript(read) {
  const text = shortened(PARTS.map(read).join(''));
  const sha1 = createHash('sha1').update(text).digest('hex');
  return `/** The script of locks/latch, printed by generate/latch-script.mjs. */
export const LATCH_SCRIPT = \`${literal(text)}\`;

/** Hash by which a server knows the script. */
export const LATCH_SCRIPT_SHA1 = '${sha1}';
`;
}
