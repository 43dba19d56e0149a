/**
 * The command table as modules: `virtual:command-columns` has its columns that the page reads, one list for each, which packs
 * better than rows. `virtual:command-complexity` has the one that only help cards show, and which they load.
 */

import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';

const TABLE = new URL('../../target/npm/keylatch/commands.json', import.meta.url);
const UNREAD = new Set(['categories', 'reply', 'syntax', 'complexity']);

export function commandColumns(): Plugin {
  return {
    name: 'keylatch-command-columns',
    // The names without the prefix are those of the built files.
    resolveId: { filter: { id: /^virtual:command-co/ }, handler: (id) => id.replace('virtual:', '') },
    load: {
      filter: { id: /^command-co(?:lumns|mplexity)$/ },
      handler: (id) =>
        id === 'command-columns'
          ? `export const columns = JSON.parse(${JSON.stringify(JSON.stringify(columns()))}, ${WHOLE});`
          : `export const complexities = ${JSON.stringify(complexities())};`,
    },
  };
}

/** Complexities by the name of the command. */
function complexities(): Record<string, string> {
  const rows = JSON.parse(readFileSync(TABLE, 'utf8')) as { name: string; complexity: string }[];
  return Object.fromEntries(rows.map(({ name, complexity }) => [name, complexity]));
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
