/** The command table of the engine, for the help cards, the hints and the completion. */

import type { HintRow } from 'keylatch/hints';
import type { CommandDetails } from 'virtual:command-details';

export interface CommandRow extends HintRow {
  readonly summary: string;
  readonly since: string;
  readonly group: string;
  readonly flags: readonly string[];
  /** Which words are keys: `1`, `1..-1/2`, `#1`. Left out where none is. */
  readonly keys?: readonly string[];
  /** True if the order of the reply means nothing; left out otherwise. */
  readonly unordered?: boolean;
}

const rows = new Map<string, CommandRow>();

/** Rows by name in capitals; empty until they are loaded. */
export const commandRows: ReadonlyMap<string, CommandRow> = rows;

/** Loads the table, which the first reply does not wait for. */
export async function loadCommandRows(): Promise<void> {
  const { columns } = await import('virtual:command-columns');
  columns.name.forEach((name, index) => {
    const cells = Object.entries(columns).map(([column, cell]) => [column, cell[index] ?? undefined]);
    rows.set(name.toUpperCase(), Object.fromEntries(cells));
  });
}

/** Reply, errors and more of a command, which only its help card shows. */
export async function detailsOf({ name }: CommandRow): Promise<CommandDetails | undefined> {
  const { details } = await import('virtual:command-details');
  return details[name];
}

/** Row for a typed name such as `set`, `object encoding` or `OBJECT|ENCODING`. */
export function rowNamed(words: string): CommandRow | undefined {
  return commandRows.get(words.trim().toUpperCase().replace(/\s+/g, '|'));
}

/** Rows with every word of the query in name or summary, by group and name. */
export function searchRows(query: string): CommandRow[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return [...commandRows.values()]
    .filter((row) =>
      words.every((word) => `${row.name.replace('|', ' ')} ${row.summary} ${row.group}`.toLowerCase().includes(word)),
    )
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}
