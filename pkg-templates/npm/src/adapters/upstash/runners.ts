/** Runners of the databases of a program. */
import { CallerTypeError } from '../../base/caller-errors.js';
import type { Keylatch } from '../../db/keylatch.js';
import { Runner, type UnitLog } from './run.js';

/** Part of a database that the REST protocol needs. */
export type UpstashDatabase = Pick<Keylatch, 'client' | 'subscribe' | 'psubscribe' | 'streams' | 'closed'>;

const runners = /* @__PURE__ */ new WeakMap<object, Runner>();

/** @internal The runner of a database; all requesters and handlers share it. */
export function runnerOf(db: UpstashDatabase): Runner {
  const { database, log } = (db ?? {}) as Partial<Keylatch> & { readonly log?: UnitLog };
  if (database === undefined) throw new CallerTypeError('a database is needed: new Keylatch()');
  const runner = runners.get(db) ?? new Runner(database, log);
  runners.set(db, runner);
  return runner;
}
