// Prints the class of plain methods: the command's arguments in its order, and nothing to choose but what comes last.
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
    } else if (argument.multiple) {
      rest = `...${name}: ${type.includes(' ') ? `(${type})` : type}[]`;
      words.push(`...${name}`);
    } else if (argument.optional) {
      optional = `${name}?: ${type}`;
      words.push(name);
    } else {
      fixed.push(`${name}: ${type}`);
      words.push(name);
    }
  }
  return { parameters: [...fixed, ...[rest, optional].filter((one) => one !== undefined)], words, rest, optional };
}

function runs(row, reply, words) {
  const sent = row.name.split('|').map((word) => `'${word}'`);
  if (sent.length > 1) return `this.execute<${reply}>([${[...sent, ...words].join(', ')}])`;
  const direct = words.length > 0 && words.length <= DIRECT_MAX && words.every((word) => /^\w+$/.test(word));
  return direct
    ? `this.run${words.length}<${reply}>(Row.${row.name}, ${words.join(', ')})`
    : `this.run<${reply}>(Row.${row.name}, [${[...sent, ...words].join(', ')}])`;
}

function since(version) {
  return version.startsWith('keylatch ') ? version : `Redis ${version}`;
}

function method(row, { reply = replyType(row.reply, row), note, arguments: given = {} }) {
  const unknown = Object.keys(given).find((name) => row.arguments.every((argument) => argument.name !== name));
  if (unknown !== undefined) throw new Error(`${row.name}: there is no argument ${unknown}`);
  const { parameters, words, optional } = shape(row, given);
  const text = [row.summary, note, `Since ${since(row.since)}.`].filter((part) => part !== undefined).join(' ');
  const all = runs(row, reply, words);
  const body = optional ? `${words.at(-1)} === undefined ? ${runs(row, reply, words.slice(0, -1))} : ${all}` : all;
  const head = `${methodName(row.name)}(${parameters.join(', ')}): Carried<C, ${reply}>`;
  return `  /** ${text} */\n  ${head} {\n    return ${body};\n  }\n`;
}

/** The methods that `plain` names by row, with what rows do not say about them. */
export function printMethods(rows, plain) {
  const methods = Object.entries(plain).map(([name, said]) => {
    const row = rows.find((one) => one.name === name);
    if (row === undefined) throw new Error(`${name}: there is no such command`);
    return method(row, said);
  });
  return `/** Printed from the table of commands: methods that take the command's arguments in its order. */
import type { Argument } from '../argument.js';
import type { Carried, ResultMode } from '../result-mode.js';
import { Executor } from '../executor.js';
import { Row } from './convention.js';

export abstract class PlainCommands<C extends ResultMode, Text extends string | Uint8Array> extends Executor<C, Text> {
${methods.join('\n')}}
`;
}
