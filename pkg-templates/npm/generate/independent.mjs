// Prints which commands depend on words, keys, clock and earlier commands alone, for the explorer of races.

export function printIndependent(commands) {
  const containers = new Set(commands.flatMap(({ name }) => (name.includes('|') ? [name.split('|')[0]] : [])));
  const independent = commands.filter(({ name, dependsOn }) => dependsOn.length === 0 && !containers.has(name));
  const names = independent.map(({ name }) => name);
  return `/** Printed from the table of commands: those that chance, server and other connections do not concern. */

/** Names in capitals, separated by blanks; a subcommand is \`PARENT|CHILD\`. */
export const INDEPENDENT =
  '${names.join(' ')}';
`;
}
