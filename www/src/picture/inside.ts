/**
 * Beliefs by the marks of a race, as the explorer of races judges them: a client is inside between its marks, as long as no
 * lease has ended that its commands gave it since. Only one may be inside, whatever the modes of its keys. Pure.
 */

import { type Fact, type Lease, leasesAfter } from 'keylatch/hints';
import { begin, end, isOpen, type Span } from './spans.ts';

export class Inside {
  readonly spans: Span[] = [];
  private readonly marked = new Set<string>();
  /** Leases by client. */
  private readonly leases = new Map<string, readonly Lease[]>();

  /** A race begins or ends in front of a row: what was marked and leased before counts no more. */
  reset(row: number): void {
    end(this.spans, row, () => true);
    this.marked.clear();
    this.leases.clear();
  }

  mark(client: string, isInside: boolean): void {
    if (isInside) this.marked.add(client);
    else this.stop(client);
  }

  stop(client: string): void {
    this.marked.delete(client);
    this.leases.delete(client);
  }

  /** A client has changed keys. */
  changed(client: string, facts: readonly Fact[]): void {
    this.leases.set(client, leasesAfter(this.leases.get(client) ?? [], facts));
  }

  /** Begins and ends spans as clients are inside at a row. */
  update(row: number, nowMs: number): void {
    end(this.spans, row, ({ client }) => !this.has(client, nowMs));
    for (const client of this.marked) {
      const isNew = this.has(client, nowMs) && !this.spans.some((span) => isOpen(span) && span.client === client);
      if (isNew) begin(this.spans, { key: '', client, mode: 'x' }, row, undefined);
    }
  }

  private has(client: string, nowMs: number): boolean {
    const leases = this.leases.get(client) ?? [];
    return this.marked.has(client) && leases.every(({ untilMs }) => nowMs <= untilMs);
  }
}
