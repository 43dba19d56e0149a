/** References that do not keep their target alive. */

export interface Reference<T> {
  deref(): T | undefined;
}

/**
 * Weak where the runtime supports it. Older compatibility dates of workerd have no WeakRef; the target is held there.
 */
export function referenceTo<T extends object>(target: T): Reference<T> {
  return typeof WeakRef === 'function' ? new WeakRef(target) : { deref: () => target };
}
