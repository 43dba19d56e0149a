/** Maps and Sets of replies as objects and arrays, which JSON can hold. */
import { textOf } from '../../resp/reply.js';
import { checked, type Shape } from '../../base/option-check.js';
import { CallerTypeError } from '../../base/caller-errors.js';
import { Decoder } from '../../base/encoders.js';

/** Result as an object without a prototype instead of a Map. Its names are text, also in bytes. */
export interface AsObject {
  readonly as: 'object';
}

/** Result as a Map. */
export interface AsMap {
  readonly as?: 'map' | undefined;
}

/** Result as an array instead of a Set. */
export interface AsArray {
  readonly as: 'array';
}

/** Result as a Set. */
export interface AsSet {
  readonly as?: 'set' | undefined;
}

interface Form {
  readonly as?: string | undefined;
}

const MAP: Shape<Form> = { as: ['object', 'map'] };
const SET: Shape<Form> = { as: ['array', 'set'] };

type Change = (reply: unknown, method: string) => unknown;

const same: Change = (reply) => reply;

/** Two names that are no UTF-8 could become one, so they are refused. */
function nameOf(name: string | Uint8Array, method: string): string {
  if (typeof name === 'string') return name;
  try {
    return new Decoder('utf-8', { fatal: true, ignoreBOM: true }).decode(name);
  } catch {
    throw new CallerTypeError(
      `${method}: "${textOf(name)}" is not UTF-8, which the name of an object must be; use a Map`,
    );
  }
}

function objectOf(reply: unknown, method: string): unknown {
  if (!(reply instanceof Map)) return reply;
  // Without a prototype `__proto__` is a name as any other.
  const object = Object.create(null) as Record<string, unknown>;
  for (const [name, value] of reply as Map<string | Uint8Array, unknown>) object[nameOf(name, method)] = value;
  return object;
}

function arrayOf(reply: unknown): unknown {
  return reply instanceof Set ? [...reply] : reply;
}

/** How to change a reply that is a Map. Called before the command runs, because it checks the options. */
export function mapAs(method: string, options: AsObject | AsMap | undefined): Change {
  return checked<Form>(method, options, MAP).as === 'object' ? objectOf : same;
}

/** How to change a reply that is a Set. Called before the command runs, because it checks the options. */
export function setAs(method: string, options: AsArray | AsSet | undefined): Change {
  return checked<Form>(method, options, SET).as === 'array' ? arrayOf : same;
}
