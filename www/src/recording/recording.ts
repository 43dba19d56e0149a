/**
 * Commands of the command line since a start that can be had again: the empty engine, or a snapshot. It is
 * independent of the visible log, which may be cleared and is shorter.
 */

import type { Keylatch } from 'keylatch/core';
import { CLOCK_PROMPT, type SpokenLine } from './transcript.ts';

export interface RecordedClient {
  readonly name: string;
  readonly db: number;
  readonly inTransaction: boolean;
  /** True if the client continues in the next visit, without its transaction and watched keys. */
  readonly isCarried?: boolean | undefined;
  readonly watches?: boolean | undefined;
}

/** State of the engine beside the recording. */
export interface Moment {
  readonly db: Keylatch;
  readonly clients: readonly RecordedClient[];
  readonly nowMs: number;
}

/** A recording, as it becomes a session or is kept for the next visit. */
export interface Recorded {
  /** Keys before the first line; undefined: none. */
  readonly start: Uint8Array | undefined;
  /** Commands that bring clients and settings into the state at the start. */
  readonly setup: readonly SpokenLine[];
  readonly lines: readonly SpokenLine[];
  /** Number of the first line: lines were recorded before it that are no longer there. */
  readonly first?: number | undefined;
  /** Commands for what is not part of a snapshot: the configuration, and the texts of scripts. */
  readonly settings: readonly SpokenLine[];
  /** Number of connections that a name has had, for names that have had several. */
  readonly connections?: readonly (readonly [name: string, count: number])[];
  /** Names of clients with state that no snapshot holds, and of those that have a command without a reply. */
  readonly stateful?: readonly string[];
  readonly waiting?: readonly string[];
}

/** Number of lines after which the recording begins anew from a snapshot, if the clients allow it. */
const MAX_LINES = 4000;
/** Length of a reply that is not recorded in full. */
const MAX_REPLY_CHARS = 64 * 1024;
/** Commands with an effect on their client that is not part of a snapshot. */
const CLIENT_STATE = new Set(['WATCH', 'SUBSCRIBE', 'PSUBSCRIBE', 'SSUBSCRIBE', 'MONITOR', 'HELLO', 'CLIENT', 'AUTH']);
const SETTINGS = /^(?:CONFIG\s+SET|SCRIPT\s+(?:LOAD|FLUSH))\b/i;
/** A script that runs is also stored: EVALSHA finds it from then on. */
const SCRIPT = /^EVAL(?:_RO)?\s+("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\S+)/is;

export class Recording {
  private start: Uint8Array | undefined;
  private setup: readonly SpokenLine[] = [];
  private lines: SpokenLine[] = [];
  private first = 0;
  private settings: SpokenLine[] = [];
  /** Clients with state that no snapshot holds, by their name in the recording. */
  private stateful = new Set<string>();
  /** Clients that have a command without a reply. */
  private waiting = new Set<string>();
  /** Number of connections a name has had: each is a client of its own. */
  private connections = new Map<string, number>();

  get isEmpty(): boolean {
    return this.start === undefined && this.lines.length === 0;
  }

  get recorded(): Recorded {
    const { start, setup, lines, first, settings } = this;
    const held = { stateful: [...this.stateful], waiting: [...this.waiting] };
    return { start, setup, lines, first, settings, connections: [...this.connections], ...held };
  }

  /** Number of the line that is recorded next, by which the log finds it. */
  get next(): number {
    return this.first + this.lines.length;
  }

  /** Adds a command with its reply, or a message (with an empty text). */
  add(client: string, line: SpokenLine): void {
    const name = this.nameOf(client);
    const long = line.printed.reduce((sum, printed) => sum + printed.length, 0) > MAX_REPLY_CHARS;
    const prompt = line.prompt.replace(client, () => name);
    const kept = long ? { ...line, prompt, printed: [], gap: 0 } : { ...line, prompt };
    this.lines.push(kept);
    if (CLIENT_STATE.has(wordOf(line))) this.stateful.add(name);
    this.keepSetting({ ...kept, printed: [], gap: undefined });
    if (line.printed.length > 0) this.waiting.delete(name);
    else if (line.text !== '') this.waiting.add(name);
  }

  private keepSetting(line: SpokenLine): void {
    const script = SCRIPT.exec(line.text)?.[1];
    const text = script === undefined ? line.text : `SCRIPT LOAD ${script}`;
    if (!SETTINGS.test(text)) return;
    this.settings = [...this.settings.filter((one) => one.text !== text), { ...line, text }];
  }

  /** Adds a movement of the clock. */
  moved(nowMs: number): void {
    if (this.lines.length > 0) this.lines.push({ prompt: CLOCK_PROMPT, text: '', printed: [], nowMs });
  }

  /** Notes that a client of the name connects anew. */
  reconnected(client: string): void {
    const name = this.nameOf(client);
    this.stateful.delete(name);
    this.waiting.delete(name);
    this.connections.set(client, (this.connections.get(client) ?? 1) + 1);
  }

  /** True when so much was recorded that a new start is due. */
  get isLong(): boolean {
    return this.lines.length >= MAX_LINES;
  }

  /** Begins anew from the present keys. Goes on instead while a client has state that a snapshot does not hold. */
  restart(moment: Moment): void {
    if (!moment.clients.some((client) => this.isHeld(client))) this.begin(moment);
  }

  /** Begins anew from keys that no recorded command has made. What gave clients their state is part of the setup. */
  begin({ db, clients, nowMs }: Moment): void {
    const setup = [
      ...this.settings,
      ...clients.flatMap((client) => this.selection(client, nowMs)),
      ...clients.flatMap((client) => this.stateLines(client)),
    ];
    this.setup = setup.map((line) => ({ ...line, printed: [], gap: undefined, nowMs }));
    this.start = db.snapshot();
    this.first = this.next;
    this.lines = [];
  }

  /** The recording for the next visit, where transactions have ended. A client that loses other state is another one there. */
  forNextVisit({ clients, nowMs }: Moment): Recorded {
    const next = new Recording();
    next.resume(this.recorded);
    for (const client of clients) {
      const end = endOf(client);
      if (client.isCarried && end)
        next.lines.push({ prompt: `${this.nameOf(client.name)}>`, text: end, printed: ['OK'], nowMs });
      if (client.isCarried || !this.isHeld(client)) continue;
      next.reconnected(client.name);
      next.lines.push(...next.selection(client, nowMs));
    }
    return next.recorded;
  }

  /** Continues a recording of an earlier visit. */
  resume({ start, setup, lines, first = 0, settings, connections = [], stateful, waiting }: Recorded): void {
    this.start = start;
    this.setup = setup;
    this.lines = [...lines];
    this.first = first;
    this.settings = [...settings];
    this.connections = new Map(connections);
    this.stateful = new Set(stateful);
    this.waiting = new Set(waiting);
  }

  /** True if a client has state that ends with its connection. */
  private isHeld({ name, inTransaction }: RecordedClient): boolean {
    const recorded = this.nameOf(name);
    return inTransaction || this.stateful.has(recorded) || this.waiting.has(recorded);
  }

  /** The command that brings a new connection into the client's database. */
  private selection({ name, db }: RecordedClient, nowMs: number): SpokenLine[] {
    return db === 0 ? [] : [{ prompt: `${this.nameOf(name)}>`, text: `SELECT ${db}`, printed: ['OK'], nowMs }];
  }

  /** Recorded commands to which a client owes its state: also the queue of a transaction, and the command that waits. */
  private stateLines({ name, inTransaction }: RecordedClient): SpokenLine[] {
    const recorded = this.nameOf(name);
    const own = [...this.setup, ...this.lines].filter((line) => line.text !== '' && clientOf(line) === recorded);
    const queueStart = inTransaction ? own.findLastIndex((line) => wordOf(line) === 'MULTI') : own.length;
    const last = this.waiting.has(recorded) ? own.length - 1 : own.length;
    return own.filter((line, index) => index >= Math.min(queueStart, last) || CLIENT_STATE.has(wordOf(line)));
  }

  private nameOf(client: string): string {
    const connection = this.connections.get(client) ?? 1;
    return connection === 1 ? client : `${client}-${connection}`;
  }
}

/** The command with which a client's transaction or watch ends in front of the next visit; undefined: it has none. */
export function endOf({
  inTransaction,
  watches,
}: Pick<RecordedClient, 'inTransaction' | 'watches'>): string | undefined {
  return inTransaction ? 'DISCARD' : watches ? 'UNWATCH' : undefined;
}

/** First word of a line, in capital letters. */
function wordOf({ text }: SpokenLine): string {
  return (text.split(' ', 1)[0] ?? '').toUpperCase();
}

/** Name in front of the line's prompt. */
function clientOf({ prompt }: SpokenLine): string {
  return prompt.split(/[[(<>]/, 1)[0] ?? '';
}
