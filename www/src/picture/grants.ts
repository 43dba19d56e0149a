/** Holds and leases that the changes of keys give to the clients of their commands. Pure. */

import type { Fact, FieldFact } from 'keylatch/hints';
import type { Grant } from './spans.ts';

/** A change of a key or of a field, with the hold that its client has by it, or that goes on. */
export interface Given {
  readonly grant: Grant;
  /** True if the hold begins; false if only its lease may have changed. */
  readonly isTaken: boolean;
  /** Last instant of the lease; undefined for no end, null if the change leaves the lease as it is. */
  readonly untilMs: number | undefined | null;
  /** Token of the grant of a latch, in decimal. */
  readonly token?: string;
}

/** A text this far from now is no instant. */
const FAR_MS = 3.2e10;
const decoder = new TextDecoder();

/** The holds and leases that a change of a key gives; `isTaken` says that its client takes a text although the command has no condition. */
export function givenBy(fact: Fact, key: string, client: string, isTaken: boolean, nowMs: number): Given[] {
  if (fact.kind !== 'created' && fact.kind !== 'changed') return [];
  if (fact.fields.length > 0) return fact.fields.flatMap((field) => givenByField(fact, field, key, client));
  const text = textOf(fact);
  const grant: Grant = { key, client, mode: 'x', text };
  return [{ grant, isTaken: fact.ifMissing || isTaken, untilMs: leaseEnd(fact, nowMs) }];
}

function givenByField(fact: Fact, field: FieldFact, key: string, client: string): Given[] {
  if (field.kind !== 'created' && field.kind !== 'changed') return [];
  const name = decoder.decode(field.field);
  const { hold } = field;
  if (!hold) {
    const isTaken = fact.ifMissing && field.kind === 'created';
    return [{ grant: { key, client, mode: `#${name}` }, isTaken, untilMs: deadlineOf(field) }];
  }
  const { mode, token, endMs } = hold;
  const permits = mode === 'p' ? { permits: hold.permits, limit: hold.limit ?? undefined } : {};
  const grant: Grant = { key, client, owner: name, mode, ...permits };
  return [{ grant, isTaken: field.kind === 'created', untilMs: endMs ?? undefined, token }];
}

/** The bytes that a command put, as text: bytes that are not UTF-8 become one replacement character, whatever they are. */
export function textOf({ text }: Fact): string | undefined {
  return text === null ? undefined : decoder.decode(text);
}

/** True for the text of an old lock that contains its end, if the lock has ended. */
export function isOverText(text: string, nowMs: number): boolean {
  const instant = instantOf(text, nowMs);
  return instant !== undefined && instant < nowMs;
}

/** A command without a deadline may write the end of the lock as its text. */
function leaseEnd(fact: Fact, nowMs: number): number | undefined | null {
  const untilMs = deadlineOf(fact);
  if (untilMs !== undefined) return untilMs;
  const instant = instantOf(textOf(fact) ?? '', nowMs);
  return instant !== undefined && instant > nowMs ? instant : undefined;
}

function deadlineOf({ setsDeadline, deadlineMs }: Pick<FieldFact, 'setsDeadline' | 'deadlineMs'>) {
  if (deadlineMs === null) return undefined;
  return setsDeadline ? deadlineMs : null;
}

/** A text that is a Unix time near now, in seconds or milliseconds. */
function instantOf(text: string, nowMs: number): number | undefined {
  return [Number(text) * 1000, Number(text)].find((ms) => Math.abs(ms - nowMs) < FAR_MS);
}
