/** The holders of keys, and the beliefs of clients, step by step; `story.ts` has the rules. Pure. */

import type { Given } from './grants.ts';
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
    // Keys end with their facts, since scripts move deadlines; the holders of a latch share one key.
    end(this.holds, row, (span) => span.owner !== undefined && this.isOver(span));
  }

  /** The belief of a client that is open, or that ended with its lease. */
  last(client: string, key: string): Span | undefined {
    return this.beliefs.findLast((span) => isOf(span, client, key) && (isOpen(span) || span.isLapsed));
  }

  /** A key has changed: a hold begins, or goes on with another lease. */
  changed({ grant, isTaken, untilMs }: Given): void {
    if (isTaken) return this.held(grant, untilMs ?? undefined);
    if (untilMs === null) return;
    const isMeant = ({ key, owner, mode }: Span): boolean =>
      key === grant.key && (grant.owner === undefined ? isSameField(mode, grant.mode) : owner === grant.owner);
    for (const span of this.holds.filter((one) => isOpen(one) && isMeant(one))) {
      if (span.owner === undefined || isAlike(span, grant)) span.untilMs = untilMs;
      else this.restart(this.holds, { limit: span.limit, ...grant, client: span.client }, untilMs);
    }
  }

  /** A client holds a key from now on. */
  held(grant: Grant, untilMs: number | undefined): void {
    end(this.holds, this.row, (span) => span.key === grant.key && !areCompatible(span, grant));
    this.take(this.holds, grant, untilMs);
  }

  /** A reply has told a client that it holds a key. */
  believed(grant: Grant, untilMs: number | undefined): void {
    this.take(this.beliefs, grant, untilMs);
  }

  /** A reply has told a client that its command moved the lease of a key, or of the hold of its owner. */
  renewed(grant: Grant, untilMs: number | undefined): void {
    const { client, key, owner } = grant;
    const isHeld = this.holds.some((span) => isOpen(span) && span.key === key);
    const own = this.last(client, key);
    if (!own || (owner !== undefined && own.owner !== owner) || !isSameField(own.mode, grant.mode)) return;
    if (!isOpen(own) && isHeld && untilMs !== undefined) reopen(own);
    if (!isOpen(own)) return;
    own.untilMs = untilMs;
    own.text = grant.text ?? own.text;
    if (owner !== undefined && !isAlike(own, grant))
      this.restart(this.beliefs, { limit: own.limit, ...grant }, untilMs);
  }

  /** A field that was the hold of an owner, or a lock, is gone. */
  endedField(key: string, name: string): void {
    end(this.holds, this.row, (span) => span.key === key && isField(span, name));
  }

  /** A client has removed a field: of a latch it has held as that owner, or a lock of its own. */
  releasedField(client: string, key: string, name: string): void {
    const own = this.holds.findLast((span) => isOf(span, client, key) && isField(span, name));
    if (own) this.released(client, key, own.owner);
  }

  /** A client has put a value in place of another one: a latch with other holders, or the end of a latch. */
  replaced(client: string, key: string, isLatch: boolean): void {
    if (isLatch) return this.stolen(client, key);
    const own = this.last(client, key);
    end(this.holds, this.row, (span) => span.key === key && span.owner !== undefined);
    if (own?.owner !== undefined) this.released(client, key, own.owner);
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

  /** Begins a span, or goes on with the one that there is. */
  private take(spans: Span[], grant: Grant, untilMs: number | undefined): void {
    const own = this.open(spans, grant.client, grant.key);
    if (!own || !isAlike(own, grant)) return this.restart(spans, grant, untilMs);
    own.untilMs = untilMs;
    own.text = grant.text;
  }

  private restart(spans: Span[], grant: Grant, untilMs: number | undefined): void {
    end(spans, this.row, (span) => isOf(span, grant.client, grant.key));
    begin(spans, grant, this.row, untilMs);
  }
}

function isAlike(one: Grant, other: Grant): boolean {
  return one.mode === other.mode && one.permits === other.permits;
}

/** A deadline of a key concerns all its holds, that of a field those of the field. */
function isSameField(held: Grant['mode'], changed: Grant['mode']): boolean {
  return !changed.startsWith('#') || held === changed;
}

function isField({ owner, mode }: Span, name: string): boolean {
  return owner === undefined ? mode === `#${name}` : owner === name;
}

function isOf(span: Span, client: string, key: string): boolean {
  return span.client === client && span.key === key;
}

function reopen(span: Span): void {
  span.to = Number.POSITIVE_INFINITY;
  span.isLapsed = false;
}
