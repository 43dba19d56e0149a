// Prints the class of plain methods: the command's arguments in its order, and nothing to choose but what comes last.
import { documentation } from './documentation.mjs';
import { quoted } from './examples.mjs';
import { label, replyType } from './replies.mjs';

/** Types of parameters by the type of the argument. Doubles may be text: `'+inf'`, or all digits. */
const TYPES = {
  key: 'Argument',
  string: 'Argument',
  integer: 'number',
  double: 'number | string',
  'unix-time': 'number',
};

/** Names of arguments that read better in JavaScript otherwise. */
const NAMES = {
  destkey: 'destination',
  sourcekey: 'source',
  shardchannel: 'channel',
  wherefrom: 'from',
  whereto: 'to',
  'unix-time-seconds': 'seconds',
  'unix-time-milliseconds': 'milliseconds',
};

/** Methods of at most so many arguments write them into the frame without a list. */
const DIRECT_MAX = 3;

/** `OBJECT|ENCODING` as `objectEncoding`. */
export function methodName(row) {
  return row.toLowerCase().replace(/[|-](.)/g, (_, letter) => letter.toUpperCase());
}

function argumentType(argument, row) {
  const choices = argument.type === 'oneof' ? argument.arguments : [];
  const tokens = choices.length > 0 && choices.every(({ type }) => type === 'pure-token');
  const type = tokens ? choices.map(({ token }) => `'${token}'`).join(' | ') : TYPES[argument.type];
  if (type === undefined) throw new Error(`${row.name}: the argument ${argument.name} is not plain`);
  return type;
}

/** A parameter for an argument; `given` is another name, or another name and type. */
function parameter(argument, row, given) {
  const [ownName, ownType] = (given ?? '').split(': ');
  const name = ownName || label(NAMES[argument.name] ?? argument.name) + (argument.multiple ? 's' : '');
  return { name, type: ownType ?? argumentType(argument, row) };
}

/**
 * The parameters of a method and the words it sends behind the name. A count of what follows is no parameter: `FIELDS
 * numfields field...` is `...fields`.
 */
function shape(row, given) {
  const fixed = [];
  const words = [];
  const slots = [];
  const last = row.arguments.at(-1);
  let [rest, optional] = [undefined, undefined];
  for (const [index, argument] of row.arguments.entries()) {
    const isLast = argument === last;
    const { name, type } = parameter(argument, row, given[argument.name]);
    const counts = argument.token !== undefined && row.arguments[index + 1] === last && last.multiple;
    if ((argument.optional && !isLast) || (argument.multiple && !isLast) || (argument.token !== undefined && !counts))
      throw new Error(`${row.name}: the argument ${argument.name} is not plain`);
    if (counts) {
      words.push(`'${argument.token}'`, `${parameter(last, row, given[last.name]).name}.length`);
      slots.push({ skipped: 2 });
    } else if (argument.multiple) {
      rest = `...${name}: ${type.includes(' ') ? `(${type})` : type}[]`;
      words.push(`...${name}`);
      slots.push({ type, rest: true });
    } else if (argument.optional) {
      optional = `${name}?: ${type}`;
      words.push(name);
      slots.push({ type, optional: true });
    } else {
      fixed.push(`${name}: ${type}`);
      words.push(name);
      slots.push({ type });
    }
  }
  const parameters = [...fixed, ...[rest, optional].filter((one) => one !== undefined)];
  return { parameters, words, rest, optional, slots };
}

/** Arguments of a request as those of the method; undefined if they do not fit. */
function written(args, slots) {
  const left = [...args];
  const all = [];
  for (const { type, rest, optional, skipped = 0 } of slots) {
    const taken = left.splice(0, rest ? left.length : Math.max(skipped, 1));
    if (taken.length === 0 && !optional) return undefined;
    if (skipped === 0) all.push(...taken.map((word) => (/number|\d/.test(type) ? word : quoted(word))));
  }
  const numbers = all.every((one) => /^('.*'|-?\d+(\.\d+)?)$/.test(one));
  return left.length === 0 && numbers ? all : undefined;
}

function runs(row, reply, words) {
  const sent = row.name.split('|').map((word) => `'${word}'`);
  if (sent.length > 1) return `this.execute<${reply}>([${[...sent, ...words].join(', ')}])`;
  const direct = words.length > 0 && words.length <= DIRECT_MAX && words.every((word) => /^\w+$/.test(word));
  return direct
    ? `this.run${words.length}<${reply}>(Row.${row.name}, ${words.join(', ')})`
    : `this.run<${reply}>(Row.${row.name}, [${[...sent, ...words].join(', ')}])`;
}

function method(row, { reply = replyType(row.reply, row), note, arguments: given = {} }, examples) {
  const unknown = Object.keys(given).find((name) => row.arguments.every((argument) => argument.name !== name));
  if (unknown !== undefined) throw new Error(`${row.name}: there is no argument ${unknown}`);
  const { parameters, words, optional, slots } = shape(row, given);
  const described = {
    name: methodName(row.name),
    parameter: (name) => parameter({ name }, row, given[name] ?? `${label(NAMES[name] ?? name)}: any`).name,
    written: (args) => written(args, slots),
  };
  const all = runs(row, reply, words);
  const body = optional ? `${words.at(-1)} === undefined ? ${runs(row, reply, words.slice(0, -1))} : ${all}` : all;
  const head = `${methodName(row.name)}(${parameters.join(', ')}): Carried<C, ${reply}>`;
  return `${documentation(row, note, examples, described)}  ${head} {\n    return ${body};\n  }\n`;
}

/** The methods that `plain` names by row, with what rows do not say about them, and examples from the session files. */
export function printMethods(rows, plain, examples) {
  const methods = Object.entries(plain).map(([name, said]) => {
    const row = rows.find((one) => one.name === name);
    if (row === undefined) throw new Error(`${name}: there is no such command`);
    return method(row, said, examples);
  });
  return `/** Printed from the table of commands: methods that take the command's arguments in its order. */
import type { Argument } from '../argument.js';
import type { Carried, ResultMode } from '../result-mode.js';
import { Calls } from './calls.js';
import { Row } from './convention.js';

/** Methods of commands without options: their arguments in the command's order. */
export abstract class PlainCommands<C extends ResultMode, Text extends string | Uint8Array> extends Calls<C, Text> {
${methods.join('\n')}}
`;
}
