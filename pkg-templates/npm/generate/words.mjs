// Words of a request as values of JavaScript, by the grammar of its row.
import { quoted } from './examples.mjs';

const NUMERIC = ['integer', 'double', 'unix-time'];

/** A word as a value of JavaScript, by the type of its argument. */
function value(word, type) {
  return NUMERIC.includes(type) && /^-?\d{1,15}(?:\.\d+)?$/.test(word) ? word : quoted(word);
}

/** Types of arguments in their order, as often as there are words; undefined for words that are options. */
function typesOf(words, list) {
  const types = [];
  const take = (argument) => {
    if (argument.type === 'block') return argument.arguments.every(take);
    const word = words[types.length];
    const choices = argument.type === 'oneof' ? argument.arguments.map(({ token }) => token) : undefined;
    if (word === undefined || argument.token !== undefined || (choices && !choices.includes(word))) return false;
    types.push(argument.type);
    return true;
  };
  for (const argument of list) {
    const isTaken = take(argument);
    if (!isTaken && !argument.optional) return undefined;
    while (isTaken && argument.multiple && types.length < words.length) if (!take(argument)) return undefined;
  }
  return types.length === words.length ? types : undefined;
}

/** Words behind the name as values in their order; undefined with options. */
export function inOrder(words, row) {
  return typesOf(words, row.arguments)?.map((type, index) => value(words[index], type));
}

/** `{ a: '1', b: '2' }` of words in pairs. */
export function pairs(words) {
  const names = words.filter((_, index) => index % 2 === 0);
  const entry = (name, index) => `${/^\w+$/.test(name) ? name : quoted(name)}: ${quoted(words[2 * index + 1])}`;
  return `{ ${names.map(entry).join(', ')} }`;
}
