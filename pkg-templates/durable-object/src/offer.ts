/**
 * Which commands make sense here, read from the engine's own command table, so that a command added later is judged too.
 * Every request is a client of its own that is gone with the reply, and a namespace is data without a server around it.
 */

import rows from 'keylatch/commands.json';

interface Row {
  readonly name: string;
  readonly group: string;
  readonly flags: readonly string[];
}

/** Groups whose commands change or use the state of a connection. */
const ABOUT_CONNECTIONS = new Set(['connection', 'pubsub', 'transactions']);

/** The two of them that do neither. */
const STATELESS = new Set(['PING', 'ECHO']);

/** Subcommands are rows of their own: `CONFIG|SET`. */
const table = new Map((rows as readonly Row[]).map((row) => [row.name, row]));

/** Why the command is not offered, in words for the client; null when it is, and for what the engine does not know. */
export function reasonAgainst(command: readonly string[]): string | null {
  const [name = '', subcommand = ''] = command.slice(0, 2).map((word) => word.toUpperCase());
  const row = table.get(`${name}|${subcommand}`) ?? table.get(name);
  if (row === undefined) return null;
  const called = row.name.replace('|', ' ');
  if (row.flags.includes('blocking')) return `ERR ${called} waits; a request is answered at once or not at all`;
  if (row.flags.includes('admin')) return `ERR ${called} is about a server; a namespace is data alone`;
  if (!ABOUT_CONNECTIONS.has(row.group) || STATELESS.has(row.name)) return null;
  return `ERR ${called} needs a connection that lasts; every request is a client of its own`;
}
