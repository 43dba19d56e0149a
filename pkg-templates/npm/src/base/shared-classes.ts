/**
 * Classes that are one class to every copy of the package in a program: `import` and `require`, keylatch and
 * keylatch-scripting. `instanceof` accepts the objects of another copy.
 */

type Class = abstract new (...args: never[]) => object;

/**
 * Lets `instanceof` accept objects of the class with this name in other copies; subclasses of a program are their own. Called
 * for a static field, marked as pure: a bundle without the class is then without the call.
 */
export function shareClass(own: Class, name: string): true {
  const mark = Symbol.for(`keylatch class ${name}`);
  Object.defineProperty(own.prototype, mark, { value: true });
  Object.defineProperty(own, Symbol.hasInstance, {
    value(this: unknown, candidate: unknown): boolean {
      if (Function.prototype[Symbol.hasInstance].call(this, candidate)) return true;
      return this === own && typeof candidate === 'object' && candidate !== null && mark in candidate;
    },
  });
  return true;
}
