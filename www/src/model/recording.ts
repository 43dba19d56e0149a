/**
 * Commands of the command line since a start that can be had again: the empty engine, or a snapshot. It is
 * independent of the visible log, which may be cleared and is shorter.
 */

import type { Keylatch } from 'keylatch/core';
import type { SpokenLine } from '../text/transcript.ts';

export interface RecordedClient {
  readonly name: string;
  readonly db: number;
  readonly inTransaction: boolean;
}

/** A recording, as it becomes a session or is kept for the next visit. */
export interface Recorded {
  /** Keys before the first line; undefined: none. */
  readonly start: Uint8Array<ArrayBuffer> | undefined;
  /** Commands that bring clients and settings into the state at the start. */
  readonly setup: readonly SpokenLine[];
  readonly lines: readonly SpokenLine[];
  /** Changes of the configuration, which is not part of a snapshot. */
  readonly settings: readonly SpokenLine[];
}

/** Number of lines after which the recording begins anew from a snapshot, if the clients allow it. */
const MAX_LINES = 4000;
/** Length of a reply that is not recorded in full. */
const MAX_REPLY_CHARS = 64 * 1024;
/** Commands with an effect on their client that is not part of a snapshot. */
const CLIENT_STATE = new Set(['WATCH', 'SUBSCRIBE', 'PSUBSCRIBE', 'SSUBSCRIBE', 'MONITOR', 'HELLO', 'CLIENT', 'AUTH']);
const SETTINGS = /^CONFIG\s+SET\b/i;

export class Recording {
  private start: Uint8Array<ArrayBuffer> | undefined;
  private setup: readonly SpokenLine[] = [];
  private lines: SpokenLine[] = [];
  private settings: SpokenLine[] = [];
  /** Clients with state that no snapshot holds, by their name in the recording. */
  private readonly stateful = new Set<string>();
  /** Clients that have a command without a reply. */
  private readonly waiting = new Set<string>();
  /** Number of connections a name has had: each is a client of its own. */
  private readonly connections = new Map<string, number>();

  get isEmpty(): boolean {
    return this.start === undefined && this.lines.length === 0;
  }

  get recorded(): Recorded {
    return { start: this.start, setup: this.setup, lines: this.lines, settings: this.settings };
  }

  /** Adds a command with its reply, or a message (with an empty text). */
  add(client: string, line: SpokenLine): void {
    const name = this.nameOf(client);
    const long = line.printed.reduce((sum, printed) => sum + printed.length, 0) > MAX_REPLY_CHARS;
    const prompt = line.prompt.replace(client, () => name);
    const kept = long ? { ...line, prompt, printed: [], gap: 0 } : { ...line, prompt };
    this.lines.push(kept);
    const [word = ''] = line.text.split(' ', 1);
    if (CLIENT_STATE.has(word.toUpperCase())) this.stateful.add(name);
    if (SETTINGS.test(line.text)) this.settings.push({ ...kept, printed: [], gap: undefined });
    if (line.printed.length > 0) this.waiting.delete(name);
    else if (line.text !== '') this.waiting.add(name);
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
  restart(db: Keylatch, clients: readonly RecordedClient[], nowMs: number): void {
    const names = clients.map(({ name }) => this.nameOf(name));
    const held = names.some((name) => this.stateful.has(name) || this.waiting.has(name));
    if (held || clients.some(({ inTransaction }) => inTransaction)) return;
    const selected = clients.flatMap(({ db: number }, index) =>
      number === 0 ? [] : [{ prompt: `${names[index]}>`, text: `SELECT ${number}`, printed: [], nowMs }],
    );
    this.setup = [...this.settings.map((line) => ({ ...line, nowMs })), ...selected];
    this.start = db.snapshot() as Uint8Array<ArrayBuffer>;
    this.lines = [];
  }

  /** Continues a recording of an earlier visit. Its clients are connected anew. */
  resume(recorded: Recorded): void {
    this.start = recorded.start;
    this.setup = recorded.setup;
    this.lines = [...recorded.lines];
    this.settings = [...recorded.settings];
  }

  private nameOf(client: string): string {
    const connection = this.connections.get(client) ?? 1;
    return connection === 1 ? client : `${client}-${connection}`;
  }
}
