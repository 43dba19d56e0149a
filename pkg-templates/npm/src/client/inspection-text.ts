/** One line about an object, for consoles, devtools and the messages of test frameworks. */

/** @internal Method that `console.log` of Node, Deno and Bun calls. Chai and Jest use it, too. */
export const CUSTOM_INSPECT: unique symbol = Symbol.for('nodejs.util.inspect.custom') as never;

/** @internal `Client { id: 3, closed: false }`; facts that are undefined are left out. */
export function inspectionText(name: string, facts: Readonly<Record<string, unknown>>): string {
  const shown = Object.entries(facts).filter(([, fact]) => fact !== undefined);
  return `${name} { ${shown.map(([key, fact]) => `${key}: ${JSON.stringify(fact)}`).join(', ')} }`;
}
