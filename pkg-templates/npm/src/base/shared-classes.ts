/**
 * Classes that are one class to every copy of the package in a program: `import` and `require`, keylatch and
 * keylatch-scripting, and entries that are bundled apart. `instanceof` accepts the objects of another copy.
 */

type Class = abstract new (...args: never[]) => object;

/** Lets `instanceof` accept objects of the classes with these names in other copies. Subclasses of a program are its own. */
export function shareClasses(classes: Readonly<Record<string, Class>>): void {
  for (const [name, own] of Object.entries(classes)) {
    const mark = Symbol.for(`keylatch class ${name}`);
    Object.defineProperty(own.prototype, mark, { value: true });
    Object.defineProperty(own, Symbol.hasInstance, {
      value(this: unknown, candidate: unknown): boolean {
        if (Function.prototype[Symbol.hasInstance].call(this, candidate)) return true;
        return this === own && typeof candidate === 'object' && candidate !== null && mark in candidate;
      },
    });
  }
}
