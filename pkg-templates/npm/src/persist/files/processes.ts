/** Facts about processes of this system. */
import { readFileSync } from 'node:fs';
import { codeOf } from './file-error.js';

/** Start of a process that has ended and that its parent has not noticed. */
const DEAD = 'dead';

/** True if a process with that id runs, of any user. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: another user's process.
    if (codeOf(error) === 'ESRCH') return false;
  }
  return startOf(pid) !== DEAD;
}

/**
 * Start of a process in ticks since boot: field 22 of its status. Null where the system does not report it. The name of the
 * process, field 2, may contain anything but ends with the last parenthesis.
 */
export function startOf(pid: number): string | null {
  const status = readIfThere(`/proc/${pid}/stat`);
  if (status === undefined) return null;
  const fields = status.slice(status.lastIndexOf(')') + 2).split(' ');
  return /^[ZX]/.test(fields[0] ?? '') ? DEAD : (fields[19] ?? null);
}

/** Id of the present run of the system; null where there is none. */
export function bootId(): string | null {
  return readIfThere('/proc/sys/kernel/random/boot_id')?.trim() ?? null;
}

/** Contents of a file as text; undefined if it cannot be read. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
