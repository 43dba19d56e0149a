// Prints which commands that may wait have a method that returns a promise.

/** A method of a class, with type parameters or without. */
const METHOD = /^ {2}([a-z]\w*)[<(]/gm;

export function printAwaitable(commands, source) {
  const methods = new Set([...source.matchAll(METHOD)].map(([, name]) => name.toUpperCase()));
  const names = commands.filter(({ name, flags }) => flags.includes('blocking') && methods.has(name));
  return `/** Printed from the table of commands: those that may wait, and have a method of their name. */

export const AWAITABLE: readonly string[] = '${names.map(({ name }) => name).join(' ')}'.split(' ');
`;
}
