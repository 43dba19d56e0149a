/**
 * Which client holds which key, and which clients believe that they do, as the steps of a session show it. Pure.
 *
 * A hold is the truth in the keyspace: it begins with a command that takes the key, and ends with the events of its removal,
 * with the end of a latch's lease, or when the key is granted to another one.
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
 * count. The picture cannot see what a script takes.
 */

import type { Fact, SessionStep as Step } from 'keylatch/hints';
import { type Answer, endsLatch, grantsOf, has, keysOf, leaseEnd, saysNo, saysYes, wordsOf } from './grants.ts';
import { Inside } from './inside.ts';
import { GivenTimes } from './given-times.ts';
import { Ledger, NARRATOR } from './ledger.ts';
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

/** A command, and the number of its client's database. */
interface Sent {
  /** Name of the command, in capitals. */
  readonly command: string;
  readonly words: readonly string[];
  readonly db: number;
}

const ROWS = new Set<Step['kind']>(['command', 'receive', 'clock', 'enter', 'leave']);
const REMOVALS: ReadonlySet<Fact['kind']> = new Set(['removed', 'expired', 'evicted', 'renamed']);
const decoder = new TextDecoder();

export function storyOf(steps: readonly Step[]): Story {
  const teller = new Teller();
  for (const step of steps) {
    if (step.kind === 'race' || step.kind === 'join') teller.border();
    else if (ROWS.has(step.kind) && step.message !== 'not run') teller.tell(step);
  }
  return teller.story();
}

class Teller {
  private readonly inside = new Inside();
  private readonly ledger = new Ledger();
  private readonly rows: Step[] = [];
  /** Replies to the last looks at keys, by client and key. */
  private readonly seen = new Map<string, string>();
  /** Commands without a reply, by client. */
  private readonly waiting = new Map<string, Sent>();
  /** Commands of open transactions, by client. */
  private readonly queued = new Map<string, Sent[]>();
  private readonly given = new GivenTimes();
  /** Keys with a removal as their last change in the step. */
  private gone = new Set<string>();

  /** The begin or the end of a race. */
  border(): void {
    this.inside.reset(this.rows.length);
  }

  tell(step: Step): void {
    const row = this.rows.push(step) - 1;
    const client = nameOf(step);
    const sent = sentIn(step);
    this.ledger.goTo(row, step.nowMs);
    this.gone = new Set();
    for (const fact of step.facts) this.happened(fact, step.nowMs);
    if (step.kind === 'enter' || step.kind === 'leave') this.inside.mark(client, step.kind === 'enter');
    else if (step.kind === 'command') this.sent(step, sent);
    else if (step.kind === 'receive') this.received(step);
    if (step.printed.length > 0) this.given.forget(client);
    if (step.message === 'the client stops here') {
      this.inside.stop(client);
      this.ledger.stopped(client);
    }
    this.inside.update(row, step.nowMs);
  }

  story(): Story {
    const { rows } = this;
    const { holds } = this.ledger;
    const isMarked = rows.some(({ kind }) => kind === 'enter');
    const beliefs = isMarked ? this.inside.spans : this.ledger.beliefs;
    for (const span of [...holds, ...beliefs]) span.to = Math.min(span.to, rows.length);
    const clients = rows.flatMap((step) => (step.kind === 'clock' ? [] : [nameOf(step)]));
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

  private happened(fact: Fact, nowMs: number): void {
    const { client, db, key: bytes, kind, to } = fact;
    const name = client === '' ? NARRATOR : client;
    if (bytes === null) return kind === 'removed' ? this.flushed(name ?? '', db) : undefined;
    const key = labelOf(decoder.decode(bytes), db);
    this.gone.delete(key);
    if (to?.key) this.gone.delete(labelOf(decoder.decode(to.key), to.db));
    if (name !== null) {
      this.inside.changed(name, [fact]);
      this.given.note(name, key, fact, nowMs);
    }
    if (!REMOVALS.has(kind)) return;
    this.gone.add(key);
    if (name === null) this.ledger.expired(key);
    // The end of the last hold removes its latch: the fact names the field.
    else this.ledger.removed(name, key, fact.fields.length > 0);
  }

  private sent(step: Step, sent: Sent): void {
    const client = nameOf(step);
    const [reply] = step.printed;
    if (reply === undefined) this.waiting.set(client, sent);
    else if (reply === 'QUEUED') this.queued.get(client)?.push(sent);
    else if (/^(?:MULTI|EXEC|DISCARD|RESET)$/.test(sent.command)) {
      const queued = this.queued.get(client);
      this.queued.set(client, []);
      elementsOf(step.printed).forEach((element, index) => this.answered(step, queued?.[index], element));
    } else this.answered(step, sent, reply);
  }

  private received(step: Step): void {
    const [reply] = step.printed;
    // Without a message, the command waits on.
    if (reply === undefined) return;
    this.answered(step, this.waiting.get(nameOf(step)), reply);
    this.waiting.delete(nameOf(step));
  }

  private answered(step: Step, sent: Sent | undefined, reply: string): void {
    if (!sent) return;
    const { command, words } = sent;
    const client = nameOf(step);
    const owner = command.startsWith('LATCH.') ? words[2] : undefined;
    const forMs = (key: string): number | undefined => this.given.forMs(client, key, owner);
    const answer: Answer = { ...sent, client, reply, nowMs: step.nowMs, forMs };
    const keys = keysOf(answer).map((name) => labelOf(name, sent.db));
    const look = `${client} ${keys[0]}`;
    const grants = grantsOf(answer, this.seen.get(look));
    if (/^(?:GET|EXISTS)$/.test(command)) this.seen.set(look, reply);
    else this.seen.delete(look);
    if (grants.length === 0) for (const key of keys) this.settled(answer, key);
    else if (has(words, 'STEAL')) this.ledger.stolen(client, keys[0] ?? '');
    for (const grant of grants) {
      const key = labelOf(grant.key, sent.db);
      if (!this.gone.has(key)) this.ledger.granted({ ...grant, key }, leaseEnd(answer, key) ?? undefined);
    }
  }

  /** A command that has taken nothing. */
  private settled(answer: Answer, key: string): void {
    const { client, command, words, reply } = answer;
    const owner = command.startsWith('LATCH.') ? words[2] : undefined;
    const value = this.ledger.last(client, key)?.value;
    const readsOther = command === 'GET' && value !== undefined && saysYes(reply) && reply !== `"${value}"`;
    if (saysNo(answer) || readsOther) return this.ledger.refused(client, key);
    if (/^(?:DEL|UNLINK)$/.test(command) || (endsLatch(answer) && saysYes(reply)))
      return this.ledger.released(client, key, owner);
    const untilMs = saysYes(reply) ? leaseEnd(answer, key) : null;
    if (untilMs !== null) this.ledger.renewed(client, key, owner, untilMs);
    if (command === 'LATCH.RENEW' && has(words, 'SHARED')) this.ledger.downgraded(client, key);
  }

  private flushed(client: string, db: number): void {
    for (const { key } of [...this.ledger.holds, ...this.ledger.beliefs].filter(isOpen))
      if (labelOf(nameIn(key), db) === key) this.ledger.removed(client, key);
  }
}

function nameOf({ client }: Step): string {
  return client || NARRATOR;
}

function sentIn({ text, prompt }: Step): Sent {
  const words = wordsOf(text);
  return { command: (words[0] ?? '').toUpperCase(), words, db: Number(/\[(\d+)\]/.exec(prompt)?.[1] ?? 0) };
}

/** A key with its database, as a prompt shows it. */
function labelOf(key: string, db: number): string {
  return db === 0 ? key : `[${db}] ${key}`;
}

function nameIn(label: string): string {
  return label.replace(/^\[\d+\] /, '');
}

/** First lines of the elements of a printed array; none for other replies. */
function elementsOf([first = '', ...more]: readonly string[]): string[] {
  const width = first.indexOf(') ') + 2;
  return [first, ...more].filter((line) => /^ *\d+\) $/.test(line.slice(0, width))).map((line) => line.slice(width));
}
