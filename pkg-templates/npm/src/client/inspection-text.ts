/** One line about an object, for consoles, devtools and the messages of test frameworks. */

interface Inspected {
  inspectionText(): string;
}

/** @internal Lets `console.log` of Node, Deno and Bun print the line of objects of a class. Chai and Jest use it, too. */
export function printsItself(own: { readonly prototype: Inspected }): true {
  const value = function inspect(this: Inspected): string {
    return this.inspectionText();
  };
  Object.defineProperty(own.prototype, Symbol.for('nodejs.util.inspect.custom'), { value, writable: true });
  return true;
}

/** @internal `Client { id: 3, closed: false }`; facts that are undefined are left out. */
export function inspectionText(name: string, facts: Readonly<Record<string, unknown>>): string {
  const shown = Object.entries(facts).filter(([, fact]) => fact !== undefined);
  return `${name} { ${shown.map(([key, fact]) => `${key}: ${JSON.stringify(fact)}`).join(', ')} }`;
}
