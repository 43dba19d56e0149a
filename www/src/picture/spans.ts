/** Spans of steps in which a client holds a key or believes that it does, and the rows in which too many do. Pure. */

import { type LatchMode, modesAdmit } from 'keylatch/hints';

/** Hold that a client takes, and how it is shared with others. */
export interface Grant {
  /** The key, with its database unless that is 0; "" stands for being inside, by the marks of a race. */
  readonly key: string;
  readonly client: string;
  /** Owner of a latch: clients with one owner are one party. Undefined for other keys. */
  readonly owner?: string | undefined;
  /** `x` alone, `s` with other readers, `ix` and `is` above a part held so, `p` with permits, `#` and a field of a hash. */
  readonly mode: LatchMode | `#${string}`;
  readonly permits?: number | undefined;
  /** Permits that there are. */
  readonly limit?: number | undefined;
  /** Text that was put last. */
  text?: string | undefined;
}

/** A span of steps: from the row of its begin up to that of its end. */
export interface Span extends Grant {
  readonly from: number;
  /** Row at which it ends; infinite while it is open. */
  to: number;
  /** Last instant of the lease, if there is one. */
  untilMs: number | undefined;
  /** True for a belief that ended with its lease: its client has learned nothing from a reply. */
  isLapsed: boolean;
}

/** Rows in which several clients believe that they hold one thing. */
export interface Clash {
  readonly key: string;
  readonly clients: readonly string[];
  readonly from: number;
  readonly to: number;
}

export function isOpen({ to }: Span): boolean {
  return to === Number.POSITIVE_INFINITY;
}

export function begin(spans: Span[], grant: Grant, from: number, untilMs: number | undefined): void {
  spans.push({ ...grant, from, to: Number.POSITIVE_INFINITY, untilMs, isLapsed: false });
}

/** Ends the open spans that pass a test. */
export function end(spans: readonly Span[], row: number, test: (span: Span) => boolean): void {
  for (const span of spans) if (isOpen(span) && test(span)) span.to = row;
}

/** True if two grants of one key can stand beside each other, whatever the number of permits. */
export function areCompatible(one: Grant, other: Grant): boolean {
  const isOneParty = one.client === other.client || (one.owner !== undefined && one.owner === other.owner);
  return isOneParty || standBeside(one.mode, other.mode);
}

/** True for modes of a latch that admit each other, and for two fields that differ. */
function standBeside(one: Grant['mode'], other: Grant['mode']): boolean {
  if (isField(one) || isField(other)) return isField(one) && isField(other) && one !== other;
  return modesAdmit(one, other);
}

function isField(mode: Grant['mode']): mode is `#${string}` {
  return mode.startsWith('#');
}

/** Rows in which more believe that they hold a key than its modes allow. */
export function clashesOf(beliefs: readonly Span[]): Clash[] {
  return [...new Set(beliefs.map(({ key }) => key))].flatMap((key) => {
    const spans = beliefs.filter((span) => span.key === key);
    const borders = [...new Set(spans.flatMap(({ from, to }) => [from, to]))].sort((one, other) => one - other);
    return borders.flatMap((from, index) => {
      const to = borders[index + 1] ?? from;
      const clients = tooMany(spans.filter((span) => span.from <= from && span.to >= to && from < to));
      return clients.length > 0 ? [{ key, clients, from, to }] : [];
    });
  });
}

/** Clients that may not be inside together. */
function tooMany(spans: readonly Span[]): string[] {
  const permits = spans.reduce((sum, span) => sum + (span.permits ?? 0), 0);
  const isOver = permits > Math.max(...spans.map(({ limit = 0 }) => limit));
  const involved = spans.filter(
    (span) => (isOver && span.permits) || spans.some((other) => !areCompatible(span, other)),
  );
  return [...new Set(involved.map(({ client }) => client))];
}
