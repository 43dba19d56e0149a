/** Errors as data and back: class, message and fields are kept across tabs. */
import {
  ClockError,
  ClosedError,
  LoadError,
  PoisonedError,
  ReplyError,
  SessionError,
  UnsafeIntegerError,
  WatchError,
} from '../base/errors.js';
import { PersistenceError } from '../persist/errors.js';
import type { Failure } from './wire.js';
import { CallerRangeError, CallerTypeError } from '../base/caller-errors.js';

/** Classes by the names that their errors have. */
const CLASSES: Readonly<Record<string, { readonly prototype: object }>> = {
  ClockError,
  ClosedError,
  LoadError,
  PoisonedError,
  ReplyError,
  SessionError,
  UnsafeIntegerError,
  WatchError,
  PersistenceError,
  RangeError: CallerRangeError,
  SyntaxError,
  TypeError: CallerTypeError,
};

/** Fields of errors that cross. */
const FIELDS = ['code', 'command', 'file', 'offset', 'value'];

export function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), fields: {} };
  const own = error as unknown as Readonly<Record<string, unknown>>;
  const given = FIELDS.filter((field) => own[field] !== undefined && typeof own[field] !== 'function');
  return {
    name: error.name,
    message: error.message,
    fields: Object.fromEntries(given.map((field) => [field, own[field]])),
  };
}

export function errorOf({ name, message, fields }: Failure): Error {
  const error = new Error(message);
  const of = Object.hasOwn(CLASSES, name) ? CLASSES[name] : undefined;
  if (of !== undefined) Object.setPrototypeOf(error, of.prototype);
  Object.defineProperty(error, 'name', { value: name, configurable: true, writable: true });
  return Object.assign(error, fields);
}
