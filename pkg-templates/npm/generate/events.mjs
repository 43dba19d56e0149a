// Prints the names of events as a union, so that a misspelt name does not compile.

export function printEvents(names) {
  return `/** Printed from the kinds of events of the engine. */

/** Name of an event, in the vocabulary of Redis keyspace notifications; \`clock\` is that of a clock set back. */
export type EventKind =
${names.map((name) => `  | '${name}'`).join('\n')};
`;
}
