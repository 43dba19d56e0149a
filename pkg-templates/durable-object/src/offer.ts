/**
 * The commands that the template offers, selected from the engine's command table, so that a command added later is
 * judged too. Every request runs on a client of its own that ends with the reply, and a namespace has no server around
 * it.
 */

import rows from 'keylatch/commands.json';

interface Argument {
  readonly token?: string;
  readonly optional?: boolean;
}

interface Row {
  readonly arguments: readonly Argument[];
  readonly name: string;
  readonly group: string;
  readonly flags: readonly string[];
}

/** Groups of commands that change or use the state of a connection. */
const ABOUT_CONNECTIONS = new Set(['connection', 'pubsub', 'transactions']);

/** Connection commands that neither change nor use that state. */
const STATELESS = new Set(['PING', 'ECHO']);

/** Subcommands are rows of their own: `CONFIG|SET`. */
const table = new Map((rows as readonly Row[]).map((row) => [row.name, row]));

/** Options of latches that a number of keys follows, whatever the keys are called. */
const KEYS_FOLLOW = /^(ALSO|INTENT)$/i;

/** Whether a blocking command may have to wait. A command on latches waits with its option WAIT only. */
function mayWait(row: Row, command: readonly string[]): boolean {
  if (row.group !== 'latch') return true;
  const required = row.arguments.filter((argument) => argument.optional !== true);
  const words = required.map(({ token }) => (token === undefined ? 1 : 2) as number);
  let index = words.reduce((sum, count) => sum + count, 1);
  for (; index < command.length; index += 1) {
    const word = command[index] ?? '';
    if (/^WAIT$/i.test(word)) return true;
    if (KEYS_FOLLOW.test(word)) index += 1 + (Number(command[index + 1]) || 0);
  }
  return false;
}

/** Reason why the command is not offered, as text for the client. Null when it is offered, and for unknown commands. */
export function reasonAgainst(command: readonly string[]): string | null {
  const [name = '', subcommand = ''] = command.slice(0, 2).map((word) => word.toUpperCase());
  const row = table.get(`${name}|${subcommand}`) ?? table.get(name);
  if (row === undefined) return null;
  const called = row.name.replace('|', ' ');
  if (row.flags.includes('blocking') && mayWait(row, command))
    return `ERR ${called} waits; a request is answered at once or not at all`;
  if (row.flags.includes('admin')) return `ERR ${called} is about a server; a namespace is data alone`;
  if (!ABOUT_CONNECTIONS.has(row.group) || STATELESS.has(row.name)) return null;
  return `ERR ${called} needs a connection that lasts; every request is a client of its own`;
}
