// Prints the class of plain methods: the command's arguments in its order, and nothing to choose but what comes last.
import { identifier } from './convention.mjs';
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

/** `OBJECT|ENCODING` as `objectEncoding`, `LATCH.CHECK` as `latchCheck`. */
export function methodName(row) {
  return row.toLowerCase().replace(/[|.-](.)/g, (_, letter) => letter.toUpperCase());
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

/** Types of arguments that have to be safe integers. */
const INTEGERS = ['integer', 'unix-time'];

/** One word after another, or all in one array. */
function restOf({ name, type }) {
  return `...${name}: ${type}[] | [${name}: readonly ${type}[]]`;
}

/**
 * The parameters of a method and the words it sends behind the name. A count of what follows is no parameter: `FIELDS
 * numfields field...` is `...fields`. The words of a condition may be an object: EXPIRE with `'NX'` or `{ nx: true }`.
 */
function shape(row, given) {
  const fixed = [];
  const words = [];
  const integers = [];
  const slots = [];
  const last = row.arguments.at(-1);
  let [rest, condition] = [undefined, undefined];
  for (const [index, argument] of row.arguments.entries()) {
    const isLast = argument === last;
    const { name, type } = parameter(argument, row, given[argument.name]);
    const counts = argument.token !== undefined && row.arguments[index + 1] === last && last.multiple;
    const isCondition = isLast && argument.optional && argument.type === 'oneof';
    const isChoice = argument.optional && !isCondition && !(isLast && argument.multiple);
    if (isChoice || (argument.multiple && !isLast) || (argument.token !== undefined && !counts))
      throw new Error(`${row.name}: the argument ${argument.name} is not plain`);
    if (counts) {
      words.push(`'${argument.token}'`, 'list.length');
      slots.push({ skipped: 2 });
    } else if (argument.multiple) {
      rest = { name, type };
      words.push('...list');
      slots.push({ type, rest: true });
    } else if (isCondition) {
      condition = name;
      slots.push({ type, optional: true });
    } else {
      if (INTEGERS.includes(argument.type)) integers.push(name);
      fixed.push(`${name}: ${type}`);
      words.push(name);
      slots.push({ type });
    }
  }
  return { fixed, words, rest, condition, integers, slots };
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

function argv(row, words) {
  return `[${[...row.name.split('|').map((word) => `'${word}'`), ...words].join(', ')}]`;
}

function runs(row, reply, words) {
  if (row.name.includes('|')) return `this.execute<${reply}>(${argv(row, words)})`;
  const direct = words.length > 0 && words.length <= DIRECT_MAX && words.every((word) => /^\w+$/.test(word));
  return direct
    ? `this.run${words.length}<${reply}>(Row.${identifier(row.name)}, ${words.join(', ')})`
    : `this.run<${reply}>(Row.${identifier(row.name)}, ${argv(row, words)})`;
}

/**
 * Forms of results that an option chooses, by the type of the reply: the types with and without it, and the function
 * that checks the option and changes the reply.
 */
const FORMS = [
  {
    of: /^number \| bigint$/,
    chosen: 'bigint',
    usual: 'number',
    option: '{ readonly bigint: true }',
    none: '{ readonly bigint?: false | undefined }',
    change: 'integerAs',
    given: '{ bigint: true }',
    shown: (result) => `${result}n`,
    note: 'A number; beyond 2^53 - 1 an UnsafeIntegerError, after the command has run. With `{ bigint: true }` a bigint.',
  },
  {
    of: /^Map<Text, (.*)>$/,
    chosen: 'Record<string, $1>',
    usual: 'Map<Text, $1>',
    option: 'AsObject',
    none: 'AsMap',
    change: 'mapAs',
    given: "{ as: 'object' }",
    shown: (result) =>
      result
        .replace(/^Map /, '')
        .replaceAll(/'(\w+)' =>/g, '$1:')
        .replaceAll(' =>', ':'),
    note: "A Map, which JSON.stringify shows as {}; with `{ as: 'object' }` an object without a prototype.",
  },
  {
    of: /^Set<(.*)>$/,
    chosen: '$1[]',
    usual: 'Set<$1>',
    option: 'AsArray',
    none: 'AsSet',
    change: 'setAs',
    given: "{ as: 'array' }",
    shown: (result) => result.replace(/^Set \{ ?(.*?) ?\}$/, '[$1]'),
    note: "A Set, which JSON.stringify shows as {}; with `{ as: 'array' }` an array.",
  },
];

function formOf(reply) {
  const form = FORMS.find(({ of }) => of.test(reply));
  if (form === undefined) return undefined;
  return { ...form, chosen: reply.replace(form.of, form.chosen), usual: reply.replace(form.of, form.usual) };
}

/** Checks of the arguments' number and of integers. */
function checksOf(name, { rest, integers }, most) {
  const tooMany =
    rest === undefined ? [`if (arguments.length > ${most}) tooMany('${name}', ${most}, arguments.length);`] : [];
  return [...tooMany, ...integers.map((one) => `whole('${name}', '${one}', ${one});`)];
}

function lines(head, body) {
  return `  ${head} {\n${body.map((line) => `    ${line}\n`).join('')}  }\n`;
}

/** A method with one form of result. */
function plainMethod(row, name, reply, doc, parts) {
  const { fixed, words, rest, condition } = parts;
  const parameters = [...fixed];
  if (rest !== undefined) parameters.push(restOf(rest));
  if (condition !== undefined) parameters.push(`${condition}?: ExpireCondition | ExpireOptions`);
  const body = checksOf(name, parts, parameters.length);
  if (rest !== undefined) body.push(`const list = listOf(${rest.name});`);
  if (condition !== undefined) {
    body.push(`if (${condition} === undefined) return ${runs(row, reply, words)};`);
    body.push(`return this.run<${reply}>(Row.${row.name}, pushWhen('${name}', ${argv(row, words)}, ${condition}));`);
  } else {
    body.push(`return ${runs(row, reply, words)};`);
  }
  return `${doc}${lines(`${name}(${parameters.join(', ')}): Carried<C, ${reply}>`, body)}`;
}

/** The documentation of a method with the option: its example has the other form. */
function chosenDoc(doc, { given, shown }, isList) {
  return doc.replace(/(@example db\.\w+\()(.*)\) \/\/ (.*)$/m, (_, head, args, result) => {
    const all = isList ? `[${args}]` : args;
    return `${head}${[all, given].filter((part) => part !== '').join(', ')}) // ${shown(result)}`;
  });
}

/** A method with an option for the form of its result. */
function formedMethod(row, name, form, doc, parts) {
  const { fixed, words, rest } = parts;
  const either = `${form.chosen} | ${form.usual}`;
  const chosen = chosenDoc(doc, form, rest !== undefined);
  const head = (parameters, type, text = doc) => `${text}  ${name}(${parameters.join(', ')}): Carried<C, ${type}>;\n`;
  const changed = `return this.mapped<${either}>(${runs(row, form.usual, words)}, change, '${name}');`;
  if (rest === undefined) {
    const change = `const change = ${form.change}('${name}', options);`;
    const parameters = [...fixed, `options?: ${form.option} | ${form.none}`];
    const body = [...checksOf(name, parts, parameters.length), change, changed];
    return (
      head([...fixed, `options: ${form.option}`], form.chosen, chosen) +
      head([...fixed, `options?: ${form.none}`], form.usual) +
      lines(`${name}(${parameters.join(', ')}): Carried<C, ${either}>`, body)
    );
  }
  if (fixed.length > 0) throw new Error(`${row.name}: an option behind a list and other arguments is not plain`);
  const oneOrMore = `${rest.name}: ${rest.type} | readonly ${rest.type}[]`;
  const body = [
    'const { list, options } = listAndOptions(given);',
    `const change = ${form.change}('${name}', options as ${form.option} | ${form.none} | undefined);`,
    changed,
  ];
  return (
    head([oneOrMore, `options: ${form.option}`], form.chosen, chosen) +
    head([oneOrMore, `options: ${form.none}`], form.usual) +
    head([restOf(rest)], form.usual) +
    lines(`${name}(...given: unknown[]): Carried<C, ${either}>`, body)
  );
}

function method(row, { reply = replyType(row.reply, row), note, arguments: given = {} }, examples) {
  const unknown = Object.keys(given).find((name) => row.arguments.every((argument) => argument.name !== name));
  if (unknown !== undefined) throw new Error(`${row.name}: there is no argument ${unknown}`);
  const form = formOf(reply);
  const name = methodName(row.name);
  const parts = shape(row, given);
  const described = {
    name,
    parameter: (one) => parameter({ name: one }, row, given[one] ?? `${label(NAMES[one] ?? one)}: any`).name,
    written: (args) => written(args, parts.slots),
  };
  const notes = [note, form?.note].filter((part) => part !== undefined).join(' ');
  const doc = documentation(row, notes, examples, described);
  return form === undefined ? plainMethod(row, name, reply, doc, parts) : formedMethod(row, name, form, doc, parts);
}

/** Arguments of a request as those of a printed method; undefined if they do not fit. */
export function plainCall(row, { arguments: given = {} }) {
  const { slots } = shape(row, given);
  return (words) => written(words, slots);
}

/** The methods that `plain` names by row, with what rows do not say about them, and examples from the session files. */
export function printMethods(rows, plain, examples) {
  const methods = Object.entries(plain).map(([name, said]) => {
    const row = rows.find((one) => one.name === name);
    if (row === undefined) throw new Error(`${name}: there is no such command`);
    return method(row, said, examples);
  });
  return `/** Printed from the table of commands: methods that take the command's arguments in its order. */
import type { Argument } from '../../base/argument.js';
import type { Carried, ResultMode } from '../../base/result-mode.js';
import { listAndOptions, listOf } from '../sugar/arguments.js';
import { type ExpireCondition, type ExpireOptions, pushWhen } from '../sugar/expire-condition.js';
import { integerAs } from '../sugar/integers.js';
import { tooMany, whole } from '../../base/option-check.js';
import { type AsArray, type AsMap, type AsObject, type AsSet, mapAs, setAs } from '../sugar/result-forms.js';
import { Calls } from './calls.js';
import { Row } from '../../host/generated/convention.js';

/** Methods of commands without options: their arguments in the command's order. */
export abstract class PlainCommands<C extends ResultMode, Text extends string | Uint8Array> extends Calls<C, Text> {
${methods.join('\n')}}
`;
}
