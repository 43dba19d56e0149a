/** Processor time of other processes, where Linux tells it; undefined elsewhere. */
import { readFileSync, readdirSync } from 'node:fs';

/** Nanoseconds that the threads of a process were on a processor. */
export function processNs(pid) {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return threads.reduce(
      (sum, thread) => sum + Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
      0,
    );
  } catch {
    return undefined;
  }
}
