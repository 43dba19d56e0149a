// Prints which commands only read, and which may wait: what repeating a call, and a token, depend on.

const namesWith = (commands, flag) => commands.filter(({ flags }) => flags.includes(flag)).map(({ name }) => name);

/** Names as one text: shorter than a list, and split once. */
const text = (names) => names.map((name) => name.replace('|', ' ')).join(',');

export function printReads(commands) {
  return `/** Printed from the table of commands: commands that only read, and commands that may wait. */

/** Commands with the flag readonly; a subcommand stands behind its container. */
export const READ_ONLY = '${text(namesWith(commands, 'readonly'))}';

/** Commands with the flag blocking. */
export const BLOCKING = '${text(namesWith(commands, 'blocking'))}';
`;
}
