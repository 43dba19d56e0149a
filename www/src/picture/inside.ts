/**
 * Beliefs by the marks of a race, as the explorer of races judges them: a client is inside between its marks, as long as no
 * lease has ended that its commands gave it since. Only one may be inside, whatever the modes of its keys. Pure.
 */

import { leaseOf } from 'keylatch/hints';
import { begin, end, isOpen, type Span } from './spans.ts';

export class Inside {
  readonly spans: Span[] = [];
  private readonly marked = new Set<string>();
  /** Ends of leases, by client and key. */
  private readonly leases = new Map<string, Map<string, number>>();

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

  /** A command that was not refused. */
  leased(client: string, key: string, words: readonly string[], nowMs: number): void {
    const lease = leaseOf(words);
    if (!lease) return;
    const own = this.leases.get(client) ?? new Map<string, number>();
    this.leases.set(client, own.set(key, 'forMs' in lease ? nowMs + lease.forMs : lease.untilMs));
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
    const untils = this.leases.get(client)?.values() ?? [];
    return this.marked.has(client) && [...untils].every((untilMs) => nowMs <= untilMs);
  }
}
