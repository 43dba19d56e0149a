/** The state of the command line beside its keys, as it is kept from visit to visit. */

import type { ExportedClient } from 'keylatch/hints';
import type { LogEntry } from './log.ts';
import type { ClockState } from '../clock/page-clock.ts';
import type { Recorded } from '../recording/recording.ts';

/** A client as it is kept. */
export interface KeptClient {
  readonly name: string;
  readonly db: number;
  readonly inTransaction?: boolean | undefined;
  /** Undefined for a client that was never connected, or is to be disconnected. */
  readonly exported?: ExportedClient | undefined;
}

export interface WorkspaceState {
  readonly clock: ClockState;
  readonly clients: readonly KeptClient[];
  /** Name of the chosen client. */
  readonly active: string;
  readonly recorded: Recorded;
  readonly log: readonly LogEntry[];
}

/** Size of the kept log: the newest entries. */
const MAX_LOG_CHARS = 256 * 1024;
const MAX_LOG_ENTRIES = 500;

/** The newest commands and notes, within a size. */
export function keptLog(entries: readonly LogEntry[]): LogEntry[] {
  const newest: LogEntry[] = [];
  let chars = 0;
  for (const entry of entries.slice(-MAX_LOG_ENTRIES).reverse()) {
    if (entry.kind === 'card') continue;
    const printed = entry.kind === 'command' ? entry.printed.reduce((sum, line) => sum + line.length, 0) : 0;
    const received = entry.kind === 'command' ? (entry.received?.bytes.length ?? 0) : 0;
    chars += entry.text.length + printed + received;
    if (chars > MAX_LOG_CHARS) break;
    newest.push(entry);
  }
  return newest.reverse();
}
