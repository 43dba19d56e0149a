// Whether a value has a type that is written in TypeScript, for the types of replies: unions of literals, `Text`, numbers,
// arrays, tuples, maps and sets.

const TOKENS = /'[^']*'|-?\d+|[A-Za-z]+\??|[[\]()<>|,:]/g;

const NAMED = {
  Text: (value) => typeof value === 'string',
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  bigint: (value) => typeof value === 'bigint',
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  never: () => false,
};

class Parser {
  constructor(text) {
    this.tokens = text.match(TOKENS);
  }

  next(expected) {
    const token = this.tokens.shift();
    if (expected !== undefined && token !== expected) throw new Error(`found ${token}, not ${expected}`);
    return token;
  }

  takes(token) {
    if (this.tokens[0] !== token) return false;
    this.next();
    return true;
  }

  union() {
    const parts = [this.array()];
    while (this.takes('|')) parts.push(this.array());
    return (value) => parts.some((part) => part(value));
  }

  array() {
    let one = this.single();
    while (this.tokens[0] === '[' && this.tokens[1] === ']') {
      this.tokens.splice(0, 2);
      const item = one;
      one = (value) => Array.isArray(value) && value.every(item);
    }
    return one;
  }

  single() {
    if (this.takes('(')) {
      const inner = this.union();
      this.next(')');
      return inner;
    }
    if (this.takes('[')) return this.tuple();
    const token = this.next();
    if (token.startsWith("'")) return (value) => value === token.slice(1, -1);
    if (/^-?\d+$/.test(token)) return (value) => value === Number(token);
    if (token in NAMED) return NAMED[token];
    return this.generic(token);
  }

  tuple() {
    const parts = this.list(']');
    return (value) =>
      Array.isArray(value) && value.length === parts.length && parts.every((part, index) => part(value[index]));
  }

  generic(name) {
    this.next('<');
    const [first, second] = this.list('>');
    if (name === 'Reply') return () => true;
    if (name === 'Set') return (value) => value instanceof Set && [...value].every(first);
    if (name !== 'Map') throw new Error(`${name} is no type of a reply`);
    return (value) => value instanceof Map && [...value].every(([key, item]) => first(key) && second(item));
  }

  /** Types up to a bracket; labels of tuples do not count. */
  list(end) {
    const parts = [];
    while (!this.takes(end)) {
      if (this.tokens[1] === ':') this.tokens.splice(0, 2);
      parts.push(this.union());
      this.takes(',');
    }
    return parts;
  }
}

/** A predicate for a type. */
export function typeMatcher(text) {
  const parser = new Parser(text);
  const matches = parser.union();
  if (parser.tokens.length > 0) throw new Error(`${text}: cannot be read from ${parser.tokens.join(' ')}`);
  return matches;
}
