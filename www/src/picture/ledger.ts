/** The holders of keys, and the beliefs of clients, step by step; `story.ts` has the rules. Pure. */

import { areCompatible, begin, end, type Grant, isOpen, type Span } from './spans.ts';

/** Name of the default client. Where it removes a key that it has not taken, it sets the scene for the others. */
export const NARRATOR = 'keylatch';

export class Ledger {
  readonly holds: Span[] = [];
  readonly beliefs: Span[] = [];
  private row = 0;
  private nowMs = 0;

  /** Goes on to a row, and ends the leases that are over. */
  goTo(row: number, nowMs: number): void {
    this.row = row;
    this.nowMs = nowMs;
    for (const span of this.beliefs) span.isLapsed ||= isOpen(span) && this.isOver(span);
    end(this.beliefs, row, (span) => this.isOver(span));
    // Keys end with their events, since scripts move deadlines; the holders of a latch share one key.
    end(this.holds, row, (span) => span.owner !== undefined && this.isOver(span));
  }

  /** The belief of a client that is open, or that ended with its lease. */
  last(client: string, key: string): Span | undefined {
    return this.beliefs.findLast((span) => isOf(span, client, key) && (isOpen(span) || span.isLapsed));
  }

  granted(grant: Grant, untilMs: number | undefined): void {
    end(this.holds, this.row, (span) => span.key === grant.key && !areCompatible(span, grant));
    for (const spans of [this.holds, this.beliefs]) {
      const own = this.open(spans, grant.client, grant.key);
      // A writer that asks to read goes on as a writer.
      if (own && own.permits === grant.permits && (own.mode === grant.mode || own.mode + grant.mode === 'xs'))
        // The lease of a latch is never shortened.
        own.untilMs = own.owner && untilMs ? Math.max(untilMs, own.untilMs ?? 0) : untilMs;
      else this.restart(spans, grant, untilMs);
    }
  }

  /** A writer goes on as a reader. */
  downgraded(client: string, key: string): void {
    for (const spans of [this.holds, this.beliefs]) {
      const own = this.open(spans, client, key);
      if (own?.mode === 'x') this.restart(spans, { ...own, mode: 's' }, own.untilMs);
    }
  }

  /** A command of a client has moved the deadline of a key, or of the hold of an owner. */
  renewed(client: string, key: string, owner: string | undefined, untilMs: number | undefined): void {
    const held = this.holds.filter((span) => isOpen(span) && span.key === key);
    for (const span of held) if (owner === undefined || span.owner === owner) span.untilMs = untilMs;
    const own = this.last(client, key);
    if (own && !isOpen(own) && held.length > 0 && untilMs !== undefined) reopen(own);
    if (own && isOpen(own)) own.untilMs = untilMs;
  }

  /** A client gives a key back, whether it held it or not. An owner of a latch does so for all its clients. */
  released(client: string, key: string, owner?: string): void {
    const isParty = (span: Span): boolean => span.key === key && owner !== undefined && span.owner === owner;
    end(this.holds, this.row, isParty);
    end(this.beliefs, this.row, (span) => isOf(span, client, key) || isParty(span));
  }

  /** A reply tells a client that it has not got a key. */
  refused(client: string, key: string): void {
    if (this.open(this.holds, client, key)) return;
    for (const span of this.beliefs) if (isOf(span, client, key)) span.isLapsed = false;
    this.released(client, key);
  }

  /** A latch is taken away from its holders, which are fenced. */
  stolen(thief: string, key: string): void {
    for (const spans of [this.holds, this.beliefs])
      end(spans, this.row, (span) => span.key === key && span.client !== thief);
  }

  /** A command of a client has removed a key. Unless it is one for owners, its client had still believed that it was its own. */
  removed(client: string, key: string, isForOwners = true): void {
    const own = this.last(client, key);
    const isForeign = (span: Span): boolean => isOpen(span) && span.key === key && span.client !== client;
    if (own && !isForOwners && this.holds.some(isForeign)) reopen(own);
    end(this.holds, this.row, (span) => span.key === key);
    end(
      this.beliefs,
      this.row,
      (span) => span.key === key && (span.client === client || (client === NARRATOR && !own)),
    );
  }

  /** A key has ended by itself. */
  expired(key: string): void {
    end(this.holds, this.row, (span) => span.key === key);
  }

  /** A client that stops believes nothing any more. */
  stopped(client: string): void {
    end(this.beliefs, this.row, (span) => span.client === client);
  }

  private isOver({ untilMs }: Span): boolean {
    return untilMs !== undefined && untilMs < this.nowMs;
  }

  private open(spans: readonly Span[], client: string, key: string): Span | undefined {
    return spans.find((span) => isOpen(span) && isOf(span, client, key));
  }

  private restart(spans: Span[], grant: Grant, untilMs: number | undefined): void {
    end(spans, this.row, (span) => isOf(span, grant.client, grant.key));
    begin(spans, grant, this.row, untilMs);
  }
}

function isOf(span: Span, client: string, key: string): boolean {
  return span.client === client && span.key === key;
}

function reopen(span: Span): void {
  span.to = Number.POSITIVE_INFINITY;
  span.isLapsed = false;
}
