/** Methods of the database that a tab may call by name. */
import type { PersistentKeylatch } from '../persist/persistent.js';
import { failureOf } from './failures.js';
import { CallerTypeError } from '../base/caller-errors.js';

type Method = (db: PersistentKeylatch, ...given: never[]) => unknown;

const METHODS = {
  digestAll: (db) => db.digestAll(),
  flush: (db) => db.flush(),
  inspectKey: (db, key, options) => db.inspectKey(key, options),
  inspectPage: (db, options) => db.inspectPage(options),
  load: (db, snapshot) => db.load(snapshot),
  nextExpiry: (db) => db.nextExpiry(),
  now: (db) => db.now(),
  persistence: (db) => stateOf(db),
  rewrite: (db) => db.rewrite(),
  snapshot: (db) => db.snapshot(),
} satisfies Record<string, Method>;

/** Names of the methods. */
export type MethodName = keyof typeof METHODS;

/** Methods that change nothing. */
const READS: readonly string[] = [
  'digestAll',
  'flush',
  'inspectKey',
  'inspectPage',
  'nextExpiry',
  'now',
  'persistence',
  'snapshot',
] satisfies MethodName[];

/** The state of the store; its error is data. */
function stateOf(db: PersistentKeylatch): unknown {
  const { error, ...state } = db.persistence;
  return { ...state, error: error === undefined ? undefined : failureOf(error) };
}

export function methodOf(name: string): (db: PersistentKeylatch, ...given: readonly unknown[]) => unknown {
  if (!Object.hasOwn(METHODS, name)) throw new CallerTypeError(`tabs have no method ${name}`);
  return METHODS[name as MethodName] as never;
}

/** Whether a method may run twice. */
export function isRead(name: MethodName): boolean {
  return READS.includes(name);
}
