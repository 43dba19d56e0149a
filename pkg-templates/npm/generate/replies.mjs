// Types of replies, from the notation in which rows describe them.

/** Words of a row's reply with their types. */
const WORDS = {
  OK: "'OK'",
  status: 'string',
  bulk: 'Text',
  integer: 'number',
  double: 'number',
  boolean: 'boolean',
  null: 'null',
  any: 'Reply<Text>',
  error: 'never',
  array: 'Reply<Text>[]',
  map: 'Map<Reply<Text>, Reply<Text>>',
  set: 'Set<Reply<Text>>',
};

/** Commands with integers that may exceed 2^53. */
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
  if (types.length > 1) return `[${types.join(', ')}]`;
  return types[0].includes(' | ') ? `(${types[0]})[]` : `${types[0]}[]`;
}

function wordType(word, row) {
  if (word === 'integer' && UNBOUNDED.has(row.name)) return 'number | bigint';
  const type = WORDS[word] ?? aggregateType(word, row);
  if (type === undefined) throw new Error(`${row.name}: no type is known for the reply '${word}'`);
  return type;
}

/** The type of a reply; `notation` is all of the row's, or a part of it. */
export function replyType(notation, row) {
  return [...new Set(split(notation, '|').map((word) => wordType(word, row)))].join(' | ');
}

/** The name of an argument in JavaScript. */
export function label(name) {
  return name.replace(/-+(.)/g, (_, letter) => letter.toUpperCase());
}
