// Types of a command's arguments, from the grammar in its row, as the labelled elements of a tuple.
import { label } from './replies.mjs';

/** Every fixed word below an argument. Units of distances are written as texts with their own names. */
function words({ type, name, token, arguments: inner = [] }) {
  const own = token === undefined ? [] : [token];
  const units = type === 'oneof' && inner.every((one) => one.type === 'string' && one.token === undefined);
  return [...own, ...inner.flatMap((one) => (units ? [one.name] : words(one)))].filter((one) => one && name);
}

const union = (all) => all.map((one) => `'${one}'`).join(' | ');

function isChoice({ type, arguments: inner = [] }) {
  return type === 'oneof' && inner.every((one) => one.type === 'pure-token' || isUnit(one));
}

/** One of the units of distance: a word that stands for itself, without a token. */
function isUnit({ type, token, name }) {
  return type === 'string' && token === undefined && /^(m|km|ft|mi)$/.test(name);
}

/** Elements of an argument that is always there once, or undefined where their number depends on what is given. */
function elements(argument) {
  const name = label(argument.name);
  if (isChoice(argument) || argument.type === 'pure-token')
    return [{ name, type: `CommandWord<${union(words(argument))}>` }];
  if (argument.type === 'block') {
    const parts = argument.arguments.map((one) => (one.optional || one.multiple ? undefined : elements(one)));
    return parts.includes(undefined) ? undefined : parts.flat();
  }
  if (argument.type === 'oneof') return undefined;
  const value = { name, type: 'Argument' };
  if (argument.token === undefined) return [value];
  return [{ name: label(argument.token.toLowerCase()), type: `CommandWord<'${argument.token}'>` }, value];
}

/** Elements of an optional argument at the end, such as `[count [WITHSCORES]]`. */
function optionalEnd(argument) {
  if (argument.multiple) return undefined;
  const inner = argument.type === 'block' ? argument.arguments : [argument];
  const parts = inner.map((one, index) => {
    if (one.multiple) return undefined;
    if (one.optional && one !== argument && index === inner.length - 1) return optionalEnd(one);
    return one.optional && one !== argument ? undefined : elements(one);
  });
  return parts.includes(undefined) ? undefined : parts.flat().map((one) => ({ ...one, optional: true }));
}

/** Elements of any number: options by their words, which editors complete, or more of the last argument. */
function rest(following) {
  const all = [...new Set(following.flatMap(words))];
  return {
    name: all.length > 0 ? 'options' : 'more',
    type: all.length > 0 ? `CommandOption<${union(all)}>` : 'Argument',
    rest: true,
  };
}

/** The elements behind the command's name (and that of its subcommand). */
export function argumentElements(row) {
  const fixed = [];
  for (const [index, argument] of row.arguments.entries()) {
    const following = row.arguments.slice(index);
    const isLast = following.length === 1;
    const own = elements(argument);
    if (isLast && argument.optional && optionalEnd(argument)) return named([...fixed, ...optionalEnd(argument)]);
    if (argument.optional || own === undefined) return named([...atLeast(row, fixed), rest(following)]);
    fixed.push(...own);
    if (argument.multiple) {
      const more = isLast
        ? { ...rest([]), type: own.length === 1 ? own[0].type : 'Argument' }
        : rest(following.slice(1));
      return named([...atLeast(row, fixed), more]);
    }
  }
  return named(fixed);
}

/** Adds elements up to the least number that the command takes: those behind repeated ones have no place of their own. */
function atLeast(row, fixed) {
  const least = Math.abs(row.arity) - row.name.split('|').length - fixed.length;
  const next = Array.from({ length: Math.max(least, 0) }, () => ({ name: 'next', type: 'Argument' }));
  return [...fixed, ...next];
}

/** Names of arguments in Redis that are words of TypeScript. */
const RESERVED = new Set(['function']);

/** Numbers names that occur twice, and changes those that TypeScript keeps for itself. */
function named(all) {
  const seen = new Map();
  return all.map((one) => {
    const isName = /^[a-z]\w*$/i.test(one.name) && !RESERVED.has(one.name);
    const name = isName ? one.name : 'argument';
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return { ...one, name: count === 1 ? name : `${name}${count}` };
  });
}

/** `key: Argument, ...more: Argument[]` */
export function parameterList(all) {
  const one = ({ name, type, optional, rest: isRest }) => {
    if (isRest) return `...${name}: ${type.includes(' | ') && !type.includes('<') ? `(${type})` : type}[]`;
    return `${name}${optional ? '?' : ''}: ${type}`;
  };
  return all.map(one).join(', ');
}
