// Prints which commands only read, which may wait, and which are about a server: what repeating a call, a token, and an engine
// without a server around it depend on.

const namesWith = (commands, flag) => commands.filter(({ flags }) => flags.includes(flag)).map(({ name }) => name);

/** Names as one text: shorter than a list, and split once. */
const text = (names) => names.map((name) => name.replace('|', ' ')).join(',');

export function printReads(commands) {
  return `/** Printed from the table of commands: commands that only read, that may wait, and that are about a server. */

/** Commands with the flag readonly; a subcommand stands behind its container. */
export const READ_ONLY = '${text(namesWith(commands, 'readonly'))}';

/** Commands with the flag readonly and with keys, of which the reply depends on neither chance, the server nor connections. */
export const KEY_READS = '${text(keyReads(commands))}';

/** Commands with the flag blocking. */
export const BLOCKING = '${text(namesWith(commands, 'blocking'))}';

/** Commands with the flag admin; a subcommand stands behind its container. */
export const ADMIN = '${text(namesWith(commands, 'admin'))}';
`;
}

/** Names of reads that are about their keys alone. No subcommand is one. */
function keyReads(commands) {
  const isKeyRead = ({ name, flags, keys = [], dependsOn }) =>
    flags.includes('readonly') && keys.length > 0 && dependsOn.length === 0 && !name.includes('|');
  return commands.filter(isKeyRead).map(({ name }) => name);
}
