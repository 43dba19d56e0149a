/**
 * Checks of options and arguments, before a command is sent. Every refusal is a TypeError that names the method and
 * says what to pass: an option that is ignored silently is a lock without a lease.
 */
import { isBytes } from './argument.js';
import { nearest } from './nearest.js';
import { CallerTypeError } from './caller-errors.js';

/** Form of an option's value. A list holds the values to choose from. */
export type Kind =
  | 'flag'
  | 'integer'
  | 'number'
  | 'text'
  | 'argument'
  | 'arguments'
  | 'numbers'
  | 'limit'
  | 'function'
  | 'signal'
  | 'object'
  | 'any'
  | readonly (string | number)[];

/** Names of options with the forms of their values, all of them: the compiler refuses a shape that lacks one. */
export type Shape<Options> = { readonly [Name in keyof Options]-?: Kind };

type Kinds = Readonly<Record<string, Kind>>;
type Values = Readonly<Record<string, unknown>>;

const NONE: object = /* @__PURE__ */ Object.freeze({});

/** A value as messages show it: `"EX"`, `1.5`, `a Map`. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}...` : value);
  if (typeof value === 'symbol' || typeof value === 'function') return `a ${typeof value}`;
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value !== 'object' || value === null) return String(value);
  const name = constructorName(value) ?? 'Object';
  return `${/^[AEIO]/.test(name) ? 'an' : 'a'} ${name === 'Object' ? 'object' : name}`;
}

function constructorName(value: object): string | undefined {
  const maker = (value as { readonly constructor?: unknown }).constructor;
  return typeof maker === 'function' ? maker.name : undefined;
}

/** Refuses the value of an option or an argument. */
export function refuse(method: string, name: string, expected: string, value: unknown): never {
  throw new CallerTypeError(`${method}: ${name} must be ${expected}, got ${shown(value)}`);
}

/** Refuses arguments beyond the last one of a method, which JavaScript would ignore. */
export function tooMany(method: string, most: number, given: number): never {
  const takes = most === 0 ? 'no arguments' : most === 1 ? '1 argument' : `at most ${most} arguments`;
  throw new CallerTypeError(
    `${method} takes ${takes}, got ${given}; call('${commandOf(method)}', ...) takes words as in Redis`,
  );
}

/** `configGet` as `CONFIG', 'GET`: the words of a command inside quotes. */
function commandOf(method: string): string {
  return method.replace(/[A-Z]/g, (letter) => `', '${letter}`).toUpperCase();
}

/** Refuses an option that does not exist, with the nearest that does. */
export function unknownOption(method: string, name: string, options: object, kinds: Kinds): never {
  const names = Object.keys(kinds);
  const near = nearest(name, names);
  const isOther = near === undefined && isForeign(options, name);
  if (isOther || Array.isArray(options) || ArrayBuffer.isView(options)) notOptions(method, options, kinds);
  const hint = near === undefined ? `known are ${names.join(', ')}` : `did you mean "${near}"?`;
  throw new CallerTypeError(`${method}: unknown option "${name}"; ${hint}`);
}

/** True for a member of a class, such as of an AbortSignal: the object is not meant as options. */
function isForeign(options: object, name: string): boolean {
  return !Object.hasOwn(options, name) && constructorName(options) !== 'Object';
}

/** An example for the first of the options. */
function example(kinds: Kinds): string {
  const [name, kind] = Object.entries(kinds)[0] ?? ['', 'any'];
  const values: Readonly<Record<string, string>> = { flag: 'true', integer: '5', number: '5' };
  const value = typeof kind === 'string' ? (values[kind] ?? '...') : `'${kind[0]}'`;
  return `{ ${name}: ${value} }`;
}

/** Refuses what is no options object, such as words as they are typed for Redis. */
export function notOptions(method: string, options: unknown, kinds: Kinds): never {
  const isWord = typeof options === 'string' && (/^[A-Z]+$/.test(options) || options.toLowerCase() in kinds);
  const hint = isWord ? `; for words as in Redis use call('${commandOf(method)}', ...)` : '';
  throw new CallerTypeError(
    `${method}: options must be an object such as ${example(kinds)}, got ${shown(options)}${hint}`,
  );
}

/** Refuses an object without any of the options if it is of a class: a Map, an AbortSignal, a database. */
export function requirePlain(method: string, options: object, kinds: Kinds): void {
  for (const _ in options) return;
  const name = constructorName(options);
  if (name !== undefined && name !== 'Object') notOptions(method, options, kinds);
}

/**
 * A checked copy of an options object. Each option is read once, also where it is inherited or a getter; undefined
 * counts as not given. Of the names in each list of `exclusive`, at most one may be given.
 */
export function checked<Options extends object>(
  method: string,
  options: Options | undefined,
  shape: Shape<Options>,
  exclusive: readonly (readonly string[])[] = [],
): Options {
  if (options === undefined) return NONE as Options;
  const kinds = shape as Kinds;
  if (typeof options !== 'object' || options === null) notOptions(method, options, kinds);
  for (const name in options) if (!Object.hasOwn(kinds, name)) unknownOption(method, name, options, kinds);
  const given: Record<string, unknown> = {};
  let count = 0;
  for (const name in kinds) {
    const value = (options as Values)[name];
    if (value === undefined) continue;
    const kind = kinds[name] as Kind;
    if (!isOfKind(kind, value)) {
      if (isForeign(options, name)) notOptions(method, options, kinds);
      refuse(method, name, expectedOf(kind), value);
    }
    given[name] = value;
    count += 1;
  }
  if (count === 0) requirePlain(method, options, kinds);
  for (const names of exclusive) atMostOne(method, given, names);
  return given as Options;
}

function atMostOne(method: string, given: Values, names: readonly string[]): void {
  const found = givenNames(given).filter((name) => names.includes(name));
  if (found.length > 1) excluded(method, found);
}

/** Names of the options that are given: neither undefined nor false. */
export function givenNames(options: Values): string[] {
  return Object.keys(options).filter((name) => options[name] !== undefined && options[name] !== false);
}

/** Refuses options that contradict each other. */
export function excluded(method: string, names: readonly string[]): never {
  throw new CallerTypeError(`${method}: ${names.join(' and ')} exclude each other; pass only one of them`);
}

/** An expected value and its test. */
type Check = readonly [expected: string, test: (value: unknown) => boolean];

const CHECKS: Readonly<Record<Extract<Kind, string>, Check>> = {
  flag: ['true or false', (value) => typeof value === 'boolean'],
  integer: ['a safe integer or a bigint', isWhole],
  number: ['a number', isNumber],
  text: ['a string', (value) => typeof value === 'string'],
  argument: ['a string, a number, a bigint or a Uint8Array', isArgument],
  arguments: [
    'a string, a number, a bigint, a Uint8Array or an array of these',
    (value) => isArgument(value) || (Array.isArray(value) && value.every(isArgument)),
  ],
  numbers: ['an array of numbers', (value) => Array.isArray(value) && value.every(isNumber)],
  limit: [
    'an array of two safe integers: [offset, count]',
    (value) => Array.isArray(value) && value.length === 2 && value.every(isWhole),
  ],
  function: ['a function', (value) => typeof value === 'function'],
  signal: [
    'an AbortSignal',
    (value) => typeof (value as { addEventListener?: unknown } | null)?.addEventListener === 'function',
  ],
  object: ['an object', (value) => typeof value === 'object' && value !== null],
  any: ['', () => true],
};

function isOfKind(kind: Kind, value: unknown): boolean {
  return typeof kind === 'string' ? CHECKS[kind][1](value) : kind.includes(value as string);
}

function expectedOf(kind: Kind): string {
  if (typeof kind === 'string') return CHECKS[kind][0];
  return kind.map((word) => (typeof word === 'string' ? `'${word}'` : word)).join(' or ');
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' && !Number.isNaN(value);
}

function isWhole(value: unknown): boolean {
  return typeof value === 'bigint' || Number.isSafeInteger(value);
}

/** True for what can be an argument of a command. */
export function isArgument(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isNaN(value);
  return typeof value === 'string' || typeof value === 'bigint' || isBytes(value);
}

/** The value of a flag. */
export function flag(method: string, name: string, value: unknown): boolean {
  if (typeof value !== 'boolean') refuse(method, name, 'true or false', value);
  return value;
}

/** The value of an option that is an integer. */
export function integer(method: string, name: string, value: unknown): number | bigint {
  if (!Number.isSafeInteger(value) && typeof value !== 'bigint')
    refuse(method, name, 'a safe integer or a bigint', value);
  return value as number | bigint;
}

/** Refuses a number that is no safe integer, as an argument of a command. Text is left to the command. */
export function whole(method: string, name: string, value: unknown): void {
  if (typeof value === 'number' && !Number.isSafeInteger(value))
    refuse(method, name, 'a safe integer or a bigint', value);
}
