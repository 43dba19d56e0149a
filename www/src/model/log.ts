/** Log of the command line: commands with their replies, notes, help cards. Bounded; independent of engine and DOM. */

import type { CommandRow } from './commands.ts';

interface Numbered {
  readonly id: number;
}

export interface CommandEntry extends Numbered {
  readonly kind: 'command';
  readonly lane: number;
  readonly prompt: string;
  readonly text: string;
  readonly printed: readonly string[];
  readonly failed: boolean;
  readonly nowMs: number;
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

export class Log {
  entries: readonly LogEntry[] = [];
  private lastId = 0;

  add(entry: WithoutId<LogEntry>): void {
    this.lastId += 1;
    this.entries = [...this.entries.slice(1 - MAX_ENTRIES), { ...entry, id: this.lastId } as LogEntry];
  }

  /** Commands and notes of an earlier visit. */
  restore(entries: readonly LogEntry[]): void {
    for (const { id: _, ...entry } of entries) this.add(entry as WithoutId<LogEntry>);
  }

  clear(): void {
    this.entries = [];
  }

  /** The newest command. */
  get last(): CommandEntry | undefined {
    return this.entries.findLast((entry) => entry.kind === 'command');
  }

  get commands(): readonly CommandEntry[] {
    return this.entries.filter((entry) => entry.kind === 'command');
  }
}
