/** Time of the log. Timers are those of the platform, also while a test framework replaces the global ones. */
const setTimeout = /* @__PURE__ */ ofPlatform('setTimeout');
const clearTimeout = /* @__PURE__ */ ofPlatform('clearTimeout');

function ofPlatform<Name extends 'setTimeout' | 'clearTimeout'>(name: Name): (typeof globalThis)[Name] {
  return globalThis[name];
}

/** A timer that was started. */
export interface Delay {
  cancel(): void;
}

/** Runs work after `ms`. Only with `keepsAlive` does the timer keep the process alive. */
export function later(ms: number, work: () => void, keepsAlive: boolean): Delay {
  const handle: unknown = setTimeout(work, ms);
  if (!keepsAlive) (handle as { unref?: () => void }).unref?.();
  return { cancel: () => clearTimeout(handle as number) };
}

/** The engine's time; that of the system if the engine's clock fails. */
export function nowOf(db: { now(): number }): number {
  try {
    return db.now();
  } catch {
    return Date.now();
  }
}
