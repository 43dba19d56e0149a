/** Command arguments: the accepted types, and their bytes. */
import { fromCaller } from './stack.js';
import { CallerTypeError } from './caller-errors.js';
import { Decoder, Encoder } from './encoders.js';

/** Strings travel as UTF-8, numbers as JavaScript prints them, bytes as they are. */
export type Argument = string | number | bigint | Uint8Array;

/** A word of a command, in capitals or small letters. */
export type CommandWord<Words extends string> = Words | Lowercase<Words>;

/** An argument at a position where these words are options: editors complete them, and any other argument is accepted. */
export type CommandOption<Words extends string> = CommandWord<Words> | (string & {}) | Exclude<Argument, string>;

/** @internal The longest argument, as in Redis' default configuration. */
export const ARGUMENT_MAX = 512 * 1024 * 1024;

const encoder = /* @__PURE__ */ new Encoder();

/** An argument is refused before it reaches the engine: nothing has run. */
function refuse(index: number, command: string, reason: string): never {
  const of = command === '' ? '' : ` of ${command.slice(0, 64)}`;
  throw new CallerTypeError(index === 0 ? `the command name ${reason}` : `argument ${index}${of} ${reason}`);
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value !== 'object') return typeof value;
  return value.constructor?.name ?? 'object';
}

/** Bytes of another realm (test frameworks make some) are bytes as well. */
export function isBytes(value: unknown): value is Uint8Array {
  if (value instanceof Uint8Array) return true;
  return ArrayBuffer.isView(value) && (value as Uint8Array)[Symbol.toStringTag] === 'Uint8Array';
}

/** @internal Refuses anything but bytes; `method` has them as its argument. */
export function checkBytes(value: unknown, method: string): void {
  if (!isBytes(value))
    throw fromCaller(new CallerTypeError(`${method}: expected a Uint8Array, got ${describe(value)}`));
}

/** @internal Whether a text has a form in UTF-8. `isWellFormed` is younger than the oldest browsers this package serves. */
export const isWellFormed = /* @__PURE__ */ testOfSurrogates();

function testOfSurrogates(): (text: string) => boolean {
  if (!('isWellFormed' in String.prototype)) return (text) => !/\p{Surrogate}/u.test(text);
  return (text) => (text as string & { isWellFormed(): boolean }).isWellFormed();
}

/** @internal The text of a string or a finite number; `undefined` for bytes and for values that are no argument. */
export function argumentText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : undefined;
  return typeof value === 'bigint' ? value.toString() : undefined;
}

/**
 * @internal
 * Bytes of an argument; bytes that the caller passed are not copied. Any other type is a TypeError that names the
 * argument's index.
 */
export function bytesOf(value: unknown, index: number, command: string): Uint8Array {
  if (isBytes(value)) {
    if (value.length > ARGUMENT_MAX) refuse(index, command, 'is longer than 512 MB');
    return value;
  }
  const text = argumentText(value) ?? infinityText(value, command);
  if (text === undefined && typeof value === 'number') refuse(index, command, `is ${value}`);
  if (text === undefined)
    refuse(index, command, `must be a string, a number, a bigint or a Uint8Array, got ${describe(value)}`);
  // The encoder would replace half a surrogate pair by U+FFFD, so that two different keys would become one.
  if (!isWellFormed(text))
    refuse(index, command, 'holds half a surrogate pair, which has no UTF-8 form (pass bytes instead)');
  if (text.length > ARGUMENT_MAX) refuse(index, command, 'is longer than 512 MB');
  const bytes = encoder.encode(text);
  if (bytes.length > ARGUMENT_MAX) refuse(index, command, 'is longer than 512 MB');
  return bytes;
}

/** Commands with scores, which may be infinite. Elsewhere such a number is a mistake of a computation, as NaN is. */
const HAS_SCORES = /^B?Z[A-Z]+$/;

function infinityText(value: unknown, command: string): string | undefined {
  if (value !== Infinity && value !== -Infinity) return undefined;
  return HAS_SCORES.test(command) ? String(value) : undefined;
}

/** @internal The command's name in capitals, for messages and errors. */
export function commandName(name: Argument | undefined): string {
  if (isBytes(name)) return new Decoder().decode(name).toUpperCase();
  return String(name ?? '').toUpperCase();
}
