/** Log of the command line: commands with their replies, notes, help cards. Bounded; independent of engine and DOM. */

import type { Circumstances } from '../why/witness.ts';
import type { CommandRow } from '../commands/commands.ts';
import type { Received } from '../resp/received.ts';

interface Numbered {
  readonly id: number;
}

export interface CommandEntry extends Numbered {
  readonly kind: 'command';
  readonly lane: number;
  readonly prompt: string;
  readonly text: string;
  /** The reply as sessions have it. */
  readonly printed: readonly string[];
  /** The reply as redis-cli prints it, where that differs. */
  readonly raw?: readonly string[] | undefined;
  readonly failed: boolean;
  readonly nowMs: number;
  /** The reply as it came, for the view of bytes. */
  readonly received?: Received | undefined;
  /** Number of its line in the recording; undefined for entries that an earlier version of the page has kept. */
  readonly recordedAt?: number | undefined;
  /** State at that moment, for replies that may need an explanation. */
  readonly circumstances?: Circumstances | undefined;
}

export interface NoteEntry extends Numbered {
  readonly kind: 'note';
  readonly text: string;
}

export interface CardEntry extends Numbered {
  readonly kind: 'card';
  readonly row: CommandRow;
}

export type LogEntry = CommandEntry | NoteEntry | CardEntry;
type WithoutId<Entry> = Entry extends LogEntry ? Omit<Entry, 'id'> : never;

/** Maximum number of entries: older ones are dropped, so that the page stays light after a pasted thousand lines. */
const MAX_ENTRIES = 2000;
/** Maximum number of lines of all replies, for the memory's sake. */
const MAX_LINES = 1_000_000;

export class Log {
  private kept: LogEntry[] = [];
  private lastId = 0;
  private lines = 0;

  /** From the oldest to the newest. */
  get entries(): readonly LogEntry[] {
    return this.kept;
  }

  add(entry: WithoutId<LogEntry>): void {
    this.lastId += 1;
    this.kept.push({ ...entry, id: this.lastId } as LogEntry);
    if (this.kept.length > MAX_ENTRIES) this.kept.shift();
    this.lines += linesOf(entry);
    if (this.lines > MAX_LINES) this.shorten();
  }

  /** Commands and notes of an earlier visit. */
  restore(entries: readonly LogEntry[]): void {
    for (const { id: _, ...entry } of entries) this.add(entry as WithoutId<LogEntry>);
  }

  clear(): void {
    this.kept = [];
    this.lines = 0;
  }

  /** Drops the oldest entries, but never the last one. */
  private shorten(): void {
    let first = 0;
    let lines = this.kept.reduce((sum, entry) => sum + linesOf(entry), 0);
    while (lines > MAX_LINES / 2 && first < this.kept.length - 1) {
      lines -= linesOf(this.kept[first] as LogEntry);
      first += 1;
    }
    this.kept.splice(0, first);
    this.lines = lines;
  }

  /** The newest command. */
  get last(): CommandEntry | undefined {
    return this.kept.findLast((entry) => entry.kind === 'command');
  }

  get commands(): readonly CommandEntry[] {
    return this.kept.filter((entry) => entry.kind === 'command');
  }
}

function linesOf(entry: WithoutId<LogEntry>): number {
  return entry.kind === 'command' ? entry.printed.length : 1;
}
