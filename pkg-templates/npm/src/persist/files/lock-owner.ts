/** Owners of locks: what a lock file says of a process, and whether it still runs. */
import { hostname } from 'node:os';
import { isListening, isSocketName } from './lock-socket.js';
import { bootId, isRunning, startOf } from './processes.js';

/** A process that owns a lock. */
export interface Owner {
  readonly pid: number;
  /** Start of the process, in ticks since boot; null where the system does not report it. */
  readonly started: string | null;
  readonly boot: string | null;
  readonly host: string;
  /** Different for each lock. Older versions wrote none. */
  readonly id?: string;
  /** Name of the socket on which the owner listens, in the folder of the lock. */
  readonly socket?: string | undefined;
}

/** This process as the owner of a lock. */
export function ownOwner(id: string, socket: string | undefined): Owner {
  const { pid } = process;
  return { pid, started: startOf(pid), boot: bootId(), host: hostname(), id, socket };
}

/** Reads a lock file; undefined if it makes no sense. */
export function parseOwner(text: string): Owner | undefined {
  try {
    const found = JSON.parse(text) as Owner;
    const { pid, socket } = found;
    return Number.isSafeInteger(pid) && (socket === undefined || isSocketName(socket)) ? found : undefined;
  } catch {
    return undefined;
  }
}

/** The live owner in words; undefined if the owner is dead. */
export async function liveOwner(folder: string, text: string): Promise<string | undefined> {
  const owner = parseOwner(text);
  if (owner === undefined) return 'an unknown process (the lock cannot be read)';
  const { pid, host } = owner;
  if (host !== hostname() && owner.boot !== bootId()) return `process ${pid} on ${host}, another machine`;
  if (!(await isAlive(folder, owner))) return undefined;
  if (host !== hostname()) return `process ${pid} on ${host}`;
  return pid === process.pid && owner.started === startOf(pid) ? 'this process' : `process ${pid}`;
}

/**
 * The kernel that ran the owner answers by the socket. Process ids are asked only where there is none: in another container
 * they mean other processes.
 */
async function isAlive(folder: string, owner: Owner): Promise<boolean> {
  const { socket, boot, host } = owner;
  const isSameKernel = boot === bootId() && (boot !== null || host === hostname());
  if (socket !== undefined && isSameKernel) return isListening(folder, socket);
  return isAliveById(owner);
}

/** A process id alone may belong to another process since, or to one before the last boot. */
function isAliveById({ pid, started, boot }: Owner): boolean {
  if (boot !== null && bootId() !== null && boot !== bootId()) return false;
  const now = startOf(pid);
  return isRunning(pid) && (started === null || now === null || started === now);
}
