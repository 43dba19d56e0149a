/** Timers of the log: those of the platform, also while a test framework replaces the global ones. */
const { setTimeout, clearTimeout } = globalThis;

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
