/** Processor time that work takes, so that what else the machine does counts little. */

/** Milliseconds of processor time, of all threads of this process, that a call takes. */
export function processorMs(work) {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** The least of a few measurements; the first one below the limit ends them. */
export function leastMs(work, limitMs, rounds = 3) {
  let least = Infinity;
  for (let count = 0; count < rounds && least > limitMs; count += 1) least = Math.min(least, processorMs(work));
  return least;
}
