// Prints src/generated/commands.ts, the types of `call`, from commands.json, which the engine's rows print.
// `node generate.mjs` writes the file, `node generate.mjs --check` fails when it is stale.
import { readFileSync, writeFileSync } from 'node:fs';

const TABLE = new URL('commands.json', import.meta.url);
const TARGET = new URL('src/generated/commands.ts', import.meta.url);

/** The words of a row's reply and their types. Integers that may pass 2^53 are those below. */
const REPLY_WORDS = {
  OK: "'OK'",
  status: 'string',
  bulk: 'Text',
  integer: 'number',
  double: 'number',
  boolean: 'boolean',
  null: 'null',
  any: 'Reply<Text>',
  array: 'Reply<Text>[]',
  map: 'Map<Reply<Text>, Reply<Text>>',
  set: 'Set<Reply<Text>>',
};
const UNBOUNDED = new Set([
  'INCR',
  'DECR',
  'INCRBY',
  'DECRBY',
  'HINCRBY',
  'BITFIELD',
  'BITFIELD_RO',
  'TTL',
  'PTTL',
  'EXPIRETIME',
  'PEXPIRETIME',
]);

/** Splits at a separator outside parentheses. */
function split(notation, separator) {
  const parts = [''];
  let depth = 0;
  for (const character of notation) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (character === separator && depth === 0) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts.map((part) => part.trim());
}

/** `array(x)` is any number of x, `array(x,y)` just the two, `map(k,v)` a map. */
function aggregateType(word, row) {
  const [, kind, inner] = /^(array|map|set)\((.*)\)$/.exec(word) ?? [];
  if (kind === undefined) return undefined;
  const types = split(inner, ',').map((part) => replyType(part, row));
  if (kind === 'map') return `Map<${types.join(', ')}>`;
  if (kind === 'set') return `Set<${types.join(', ')}>`;
  return types.length === 1 ? `(${types[0]})[]` : `[${types.join(', ')}]`;
}

function wordType(word, row) {
  if (word === 'integer' && UNBOUNDED.has(row.name)) return 'number | bigint';
  const type = REPLY_WORDS[word] ?? aggregateType(word, row);
  if (type === undefined) throw new Error(`${row.name}: no type is known for the reply '${word}'`);
  return type;
}

function replyType(notation, row) {
  return [...new Set(split(notation, '|').map((word) => wordType(word, row)))].join(' | ');
}

function label(name) {
  return name.replace(/-+(.)/g, (_, letter) => letter.toUpperCase());
}

/** Leading plain arguments one by one; from the first optional or repeated one on, anything. */
function argumentTypes(row) {
  const types = [];
  for (const argument of row.arguments) {
    const name = label(argument.name);
    const plain = !argument.optional && !['oneof', 'block', 'pure-token'].includes(argument.type) && !argument.token;
    if (plain) types.push(`${name}: Argument`);
    if (plain && !argument.multiple) continue;
    types.push(`...${argument.multiple ? 'more' : 'options'}: Argument[]`);
    break;
  }
  return types;
}

function tuple(types) {
  return `[${types.join(', ')}]`;
}

/** A container takes the words of any of its subcommands; some also run on their own. */
function containerEntry(row, children) {
  const shapes = children.map((child) => {
    const word = child.name.split('|')[1];
    return tuple([`subcommand: '${word}' | '${word.toLowerCase()}'`, ...argumentTypes(child)]);
  });
  if (Math.abs(row.arity) === 1) shapes.unshift('[]');
  const replies = [...(Math.abs(row.arity) === 1 ? [row] : []), ...children].map((one) => replyType(one.reply, one));
  return { arguments: shapes.join(' | '), reply: [...new Set(replies)].join(' | ') };
}

function entry(row, rows) {
  const children = rows.filter(({ name }) => name.startsWith(`${row.name}|`));
  const types =
    children.length > 0
      ? containerEntry(row, children)
      : { arguments: tuple(argumentTypes(row)), reply: replyType(row.reply, row) };
  return `  /** ${row.summary} */\n  ${row.name}: { arguments: ${types.arguments}; reply: ${types.reply} };\n`;
}

function print(rows) {
  const entries = rows.filter(({ name }) => !name.includes('|')).sort((a, b) => (a.name < b.name ? -1 : 1));
  return `/** Printed by generate.mjs from commands.json: what each command takes and answers. */
import type { Argument } from '../argument.js';
import type { Reply } from '../reply.js';

export interface CommandTable<Text> {
${entries.map((row) => entry(row, rows)).join('')}}
`;
}

const wanted = print(JSON.parse(readFileSync(TABLE, 'utf8')));
if (process.argv.includes('--check')) {
  if (readFileSync(TARGET, 'utf8') !== wanted) {
    console.error('src/generated/commands.ts is stale: run node generate.mjs in pkg-templates/npm');
    process.exitCode = 1;
  }
} else {
  writeFileSync(TARGET, wanted);
}
