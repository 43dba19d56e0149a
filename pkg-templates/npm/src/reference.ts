/** References that keep nothing alive. */

export interface Reference<T> {
  deref(): T | undefined;
}

/** Weak where the runtime can: older compatibility dates of workerd have no WeakRef, and there the target is held. */
export function referenceTo<T extends object>(target: T): Reference<T> {
  return typeof WeakRef === 'function' ? new WeakRef(target) : { deref: () => target };
}
