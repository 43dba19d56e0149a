/**
 * Which client holds which key, and which clients believe that they do, as the steps of a session show it. Pure.
 *
 * A hold is the truth in the keyspace: it begins when a command takes the key, which only a missing one grants or which its
 * client has seen to be missing. It ends with its removal, with the end of a latch's lease, or when the key is granted to
 * another one.
 *
 * A belief is what a client can know. It begins with the reply that grants, and ends
 * - with its lease, counted from that reply: a client looks at the clock;
 * - when the client itself removes or renames the key, by any command or script;
 * - when a reply tells the client that the key is not its own: a refusal, a missing key, or the value of another one;
 * - when the latch is stolen: what the client does with its token is refused from then on;
 * - when the client without a name removes the key without having taken it: beside others, it sets the scene.
 * What another client removes, shortens or overwrites does not end it. A client that renews or removes the key of another
 * one has believed up to there, although its own lease had ended.
 *
 * There is a clash where more believe than the modes of the key allow. In a session with the marks of a race, only these
 * count.
 *
 * What was taken, moved or removed is read from facts, whatever the command or script; what a client knows from the reply, by
 * its type and value.
 */

import type { Fact, SessionStep as Step } from 'keylatch/hints';
import { givenBy, isOverText, textOf } from './grants.ts';
import { Inside } from './inside.ts';
import { Ledger, NARRATOR } from './ledger.ts';
import { type Answer, bulkText, Exchanges, isNothing, keysOf, type RowOf, rowFor, saysNo, tells } from './replies.ts';
import { type Clash, clashesOf, isOpen, type Span } from './spans.ts';

export interface Story {
  /** Steps with a row of their own. */
  readonly rows: readonly Step[];
  readonly clients: readonly string[];
  readonly keys: readonly string[];
  /** Holders of keys. */
  readonly holds: readonly Span[];
  /** Beliefs of clients that they hold a key, or are inside. */
  readonly beliefs: readonly Span[];
  readonly clashes: readonly Clash[];
}

/** A change by a client that has not had the reply yet. */
interface Change {
  readonly fact: Fact;
  readonly key: string;
  /** Instant of the change. */
  readonly atMs: number;
  /** True if the client takes a text although its command has no condition. */
  readonly isTaken: boolean;
}

const ROWS = new Set<Step['kind']>(['command', 'receive', 'clock', 'enter', 'leave']);
const REMOVALS: ReadonlySet<Fact['kind']> = new Set(['removed', 'expired', 'evicted', 'renamed']);
const decoder = new TextDecoder();

/** The story of steps with facts, by the rows of the command table. */
export function storyOf(steps: readonly Step[], rowOf: RowOf): Story {
  const teller = new Teller(rowOf);
  for (const step of steps) {
    if (step.kind === 'race' || step.kind === 'join') teller.border();
    else if (ROWS.has(step.kind) && step.message !== 'not run') teller.tell(step);
  }
  return teller.story();
}

class Teller {
  private readonly inside = new Inside();
  private readonly ledger = new Ledger();
  private readonly exchanges = new Exchanges();
  private readonly rows: Step[] = [];
  /** Keys that a client has last seen to be missing, by client and key. */
  private readonly missing = new Set<string>();
  /** Texts of keys, with the clients that put them. */
  private readonly texts = new Map<string, { readonly client: string; readonly text: string }>();
  /** Changes without a reply, by client. */
  private readonly changes = new Map<string, Change[]>();
  /** Databases of changed keys. */
  private readonly databases = new Map<string, number>();
  /** Keys with a removal as their last change in the step. */
  private gone = new Set<string>();

  constructor(private readonly rowOf: RowOf) {}

  /** The begin or the end of a race. */
  border(): void {
    this.inside.reset(this.rows.length);
  }

  tell(step: Step): void {
    const row = this.rows.push(step) - 1;
    const client = nameOf(step.client);
    const answers = this.exchanges.answersOf(step);
    this.ledger.goTo(row, step.nowMs);
    this.gone = new Set();
    for (const fact of step.facts) this.happened(fact, step.nowMs, nameOf(fact.client) === client ? answers : []);
    if (step.kind === 'enter' || step.kind === 'leave') this.inside.mark(client, step.kind === 'enter');
    if (step.reply.length > 0) this.learned(client, answers, step.nowMs);
    if (step.message === 'the client stops here') {
      this.inside.stop(client);
      this.ledger.stopped(client);
    }
    this.inside.update(row, step.nowMs);
  }

  story(): Story {
    const { rows } = this;
    const isMarked = rows.some(({ kind }) => kind === 'enter');
    const holds = shown(this.ledger.holds, rows.length);
    const beliefs = shown(isMarked ? this.inside.spans : this.ledger.beliefs, rows.length);
    const clients = rows.flatMap((step) => (step.kind === 'clock' ? [] : [nameOf(step.client)]));
    const keys = holds.map(({ key }) => key);
    return {
      rows,
      clients: [...new Set(clients)],
      keys: [...new Set(keys)],
      holds,
      beliefs,
      clashes: clashesOf(beliefs),
    };
  }

  private happened(fact: Fact, nowMs: number, answers: readonly Answer[]): void {
    const { db, key: bytes, kind, to } = fact;
    const client = fact.client === null ? undefined : nameOf(fact.client);
    if (bytes === null) return kind === 'removed' ? this.flushed(client ?? '', db) : undefined;
    const key = labelOf(bytes, db);
    this.databases.set(key, db);
    this.gone.delete(key);
    if (to?.key) this.gone.delete(labelOf(to.key, to.db));
    const isTaken = client !== undefined && this.isTaking(fact, key, client, answers, nowMs);
    this.noteText(fact, key, client);
    if (client !== undefined) {
      this.inside.changed(client, [fact]);
      this.changes.set(client, [...(this.changes.get(client) ?? []), { fact, key, atMs: nowMs, isTaken }]);
    }
    if (REMOVALS.has(kind)) return this.removed(fact, key, client);
    this.heldBy(fact, key, client ?? '', isTaken, nowMs);
  }

  private removed({ fields }: Fact, key: string, client: string | undefined): void {
    this.gone.add(key);
    if (client === undefined) this.ledger.expired(key);
    // The end of the last hold removes its latch: the fact names the field.
    else this.ledger.removed(client, key, fields.length > 0);
  }

  private heldBy(fact: Fact, key: string, client: string, isTaken: boolean, nowMs: number): void {
    if (fact.replaces)
      this.ledger.replaced(
        client,
        key,
        fact.fields.some(({ hold }) => hold !== null),
      );
    for (const { field, kind } of fact.fields)
      if (REMOVALS.has(kind)) this.ledger.endedField(key, decoder.decode(field));
    for (const given of givenBy(fact, key, client, isTaken, nowMs)) this.ledger.changed(given);
  }

  /** True if a client puts a text as a lock, without a condition: it has seen that there is none, or the reply says so. */
  private isTaking(fact: Fact, key: string, client: string, answers: readonly Answer[], nowMs: number): boolean {
    if (fact.text === null || fact.ifMissing) return false;
    if (this.missing.has(`${client} ${key}`)) return true;
    return answers.some(({ reply, ...sent }) => {
      const isWriting = rowFor(sent, this.rowOf)?.flags.includes('write') ?? false;
      if (!isWriting || !this.keysIn(sent).includes(key)) return false;
      const before = bulkText(reply);
      return before === undefined ? reply === null && fact.kind === 'created' : isOverText(before, nowMs);
    });
  }

  private noteText(fact: Fact, key: string, client: string | undefined): void {
    const text = textOf(fact);
    if (text !== undefined && client !== undefined) this.texts.set(key, { client, text });
    else if (fact.replaces || REMOVALS.has(fact.kind)) this.texts.delete(key);
  }

  /** A client has a reply: it knows what its commands have done since the last one. */
  private learned(client: string, answers: readonly Answer[], nowMs: number): void {
    const changes = this.changes.get(client) ?? [];
    this.changes.delete(client);
    for (const change of changes) this.believed(client, change, answers, nowMs);
    const changed = new Set(
      changes.flatMap(({ key, fact: { to } }) => (to?.key ? [key, labelOf(to.key, to.db)] : [key])),
    );
    const removed = new Set(changes.filter(({ fact }) => REMOVALS.has(fact.kind)).map(({ key }) => key));
    for (const answer of answers) {
      const keys = this.keysIn(answer);
      const removes = keys.some((key) => removed.has(key));
      for (const key of keys) if (!changed.has(key)) this.answered(client, key, answer, removes);
      this.looked(client, keys, answer);
    }
  }

  private believed(
    client: string,
    { fact, key, atMs, isTaken }: Change,
    answers: readonly Answer[],
    nowMs: number,
  ): void {
    for (const { field, kind } of fact.fields)
      if (kind === 'removed') this.ledger.releasedField(client, key, decoder.decode(field));
    if (this.gone.has(key)) return;
    for (const { grant, token, ...given } of givenBy(fact, key, client, isTaken, atMs)) {
      // A client counts a lease from the reply.
      const untilMs = typeof given.untilMs === 'number' ? nowMs + given.untilMs - atMs : given.untilMs;
      const isGranted = given.isTaken || (token !== undefined && answers.some(({ reply }) => tells(reply, token)));
      if (isGranted) this.ledger.believed(grant, untilMs ?? undefined);
      else if (untilMs !== null) this.ledger.renewed(grant, untilMs);
    }
  }

  /** A command has left a key as it is; `removes` says that it has removed others. */
  private answered(client: string, key: string, { reply }: Answer, removes: boolean): void {
    const own = this.ledger.last(client, key);
    const other = this.texts.get(key);
    const text = bulkText(reply);
    const isOther = text !== undefined && text === other?.text && other.client !== client && own?.text !== text;
    if (isOther || saysNo(reply, own?.owner !== undefined)) this.ledger.refused(client, key);
    else if (removes) this.ledger.released(client, key);
  }

  /** Notes whether the client has seen that a key is missing. */
  private looked(client: string, keys: readonly string[], answer: Answer): void {
    const isMissing = keys.length === 1 && isNothing(answer.reply);
    const isReading = rowFor(answer, this.rowOf)?.flags.includes('readonly') ?? false;
    for (const key of keys) {
      if (isMissing && isReading) this.missing.add(`${client} ${key}`);
      else this.missing.delete(`${client} ${key}`);
    }
  }

  private keysIn(sent: Omit<Answer, 'reply'>): string[] {
    return keysOf(sent, this.rowOf).map((key) => labelOf(key, sent.db));
  }

  private flushed(client: string, db: number): void {
    for (const { key } of [...this.ledger.holds, ...this.ledger.beliefs].filter(isOpen))
      if (this.databases.get(key) === db) this.ledger.removed(client, key);
  }
}

/** Spans up to the last row, without those that end in the row of their begin. */
function shown(spans: readonly Span[], rows: number): Span[] {
  return spans.map((span) => ({ ...span, to: Math.min(span.to, rows) })).filter(({ from, to }) => from < to);
}

function nameOf(client: string | null): string {
  return client || NARRATOR;
}

/** A key with its database, as a prompt shows it. */
function labelOf(key: Uint8Array, db: number): string {
  const name = decoder.decode(key);
  return db === 0 ? name : `[${db}] ${name}`;
}
