/** Processor time of other processes, where Linux reports it; undefined elsewhere. */
import { readFileSync, readdirSync } from 'node:fs';

/** Processor time of a process's threads in nanoseconds. */
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
