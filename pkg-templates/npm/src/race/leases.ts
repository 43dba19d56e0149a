/** Leases of a client in a race, as the facts of its commands state them. Pure. */
import type { Fact, FieldFact } from '../host/facts.js';

/** A lease: a key, or the hold of an owner of a latch, with its last instant. */
export interface Lease {
  /** Database and key, with the field if it is the lease of one. */
  readonly on: string;
  /** Last instant of the lease, in milliseconds. */
  readonly untilMs: number;
}

/**
 * The leases of a client after its changes of keys: a deadline that it set begins or renews one, and a write without a deadline
 * ends one. A key that the client removes leaves its lease: the client goes on believing up to its mark.
 *
 * @example leasesAfter([], runSession('> SET lock me PX 5000\n', { facts: true }).steps[0].facts).length // 1
 */
export function leasesAfter(leases: readonly Lease[], facts: readonly Fact<unknown>[]): readonly Lease[] {
  let held = leases;
  for (const fact of facts) {
    const on = `${fact.db} ${fact.key?.join('.')}`;
    held = changed(held, on, fact, fact.deadlineMs);
    for (const field of fact.fields) held = changed(held, `${on} ${field.field.join('.')}`, field, endOf(field));
  }
  return held;
}

/** The end of a lease of a latch comes before the deadline of its field, if there is a delay. */
function endOf({ hold, deadlineMs }: FieldFact): number | null {
  return hold ? hold.endMs : deadlineMs;
}

function changed(
  leases: readonly Lease[],
  on: string,
  { kind, setsDeadline }: Pick<FieldFact, 'kind' | 'setsDeadline'>,
  untilMs: number | null,
): readonly Lease[] {
  const isWritten = kind === 'created' || kind === 'changed';
  if (!isWritten || (!setsDeadline && untilMs !== null)) return leases;
  const others = leases.filter((lease) => lease.on !== on);
  if (setsDeadline && untilMs !== null) return [...others, { on, untilMs }];
  return others.length === leases.length ? leases : others;
}
