/**
 * The command table as modules: `virtual:command-columns` has its columns that the page reads, one list for each, which packs
 * better than rows. `virtual:command-details` has what only help cards show, and which they load.
 */

import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';

const TABLE = new URL('../../target/npm/keylatch/commands.json', import.meta.url);
const EXAMPLES = new URL('../../target/generated/examples.json', import.meta.url);
const UNREAD = new Set(['categories', 'reply', 'syntax', 'complexity', 'deprecatedSince', 'replacedBy']);
/** Replies and errors on a card are the first few. */
const SHOWN = 2;

export function commandColumns(): Plugin {
  return {
    name: 'keylatch-command-columns',
    // The names without the prefix are those of the built files.
    resolveId: { filter: { id: /^virtual:command-(?:columns|details)$/ }, handler: (id) => id.replace('virtual:', '') },
    load: {
      filter: { id: /^command-(?:columns|details)$/ },
      handler: (id) =>
        id === 'command-columns'
          ? `export const columns = JSON.parse(${JSON.stringify(JSON.stringify(columns()))}, ${WHOLE});`
          : `export const details = JSON.parse(${JSON.stringify(JSON.stringify(details()))});`,
    },
  };
}

interface Row {
  readonly name: string;
  readonly complexity: string;
  readonly reply: string;
  readonly deprecatedSince?: string;
  readonly replacedBy?: string;
}

interface Examples {
  readonly replies: readonly (readonly [reply: string, request: string])[];
  readonly errors: readonly string[];
}

/** By the name of the command what its help card adds to its row. */
function details(): Record<string, unknown> {
  const rows = JSON.parse(readFileSync(TABLE, 'utf8')) as Row[];
  const examples = JSON.parse(readFileSync(EXAMPLES, 'utf8')) as Record<string, Examples>;
  const entries = rows.map(({ name, complexity, reply, deprecatedSince, replacedBy }) => {
    const { replies = [], errors = [] } = examples[name] ?? {};
    const shown = { replies: replies.slice(0, SHOWN), errors: errors.slice(0, SHOWN) };
    return [name, { complexity, reply, ...shown, deprecatedSince, replacedBy }] as const;
  });
  return Object.fromEntries(entries);
}

/** Code that completes the arguments which `short` has shortened. */
const WHOLE =
  "(_, value) => value?.token && !value.type ? { name: value.token.toLowerCase(), type: 'pure-token', ...value } : value";

/** Values of all rows, by column. */
function columns(): Record<string, unknown[]> {
  const rows = JSON.parse(readFileSync(TABLE, 'utf8'), (column, value) =>
    isUnread(column, value) ? undefined : short(value),
  ) as Record<string, unknown>[];
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  return Object.fromEntries([...names].map((name) => [name, rows.map((row) => row[name])]));
}

/** Of the numbers of arguments, hints ask only for those of containers that are commands without a subcommand, too. */
function isUnread(column: string, value: unknown): boolean {
  return UNREAD.has(column) || value === false || (column === 'arity' && Math.abs(Number(value)) !== 1);
}

/** An argument that is a token alone, without what the token says. */
function short(value: unknown): unknown {
  const { name, type, token, ...rest } = (value ?? {}) as Record<string, unknown>;
  return type === 'pure-token' && name === String(token).toLowerCase() ? { token, ...rest } : value;
}
