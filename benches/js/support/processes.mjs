/** Processor time of other processes, where Linux tells it; undefined elsewhere. */
import { readFileSync, readdirSync } from 'node:fs';

/** Nanoseconds that the main thread of a process was on a processor. */
export const mainThreadNs = (pid) => readNs(`/proc/${pid}/schedstat`);

/** The same for all of its threads. */
export function processNs(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + readNs(`/proc/${pid}/task/${thread}/schedstat`), 0);
  } catch {
    return undefined;
  }
}

function readNs(path) {
  try {
    return Number(readFileSync(path, 'utf8').split(' ')[0]);
  } catch {
    return undefined;
  }
}
