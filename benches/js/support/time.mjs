/** Duration of a sample in nanoseconds. */
const US_NS = 1000;
const MS_NS = 1e6;

/** Processor time of this process. */
export async function processorNs(work) {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) * US_NS;
}

/** Elapsed time: for work that other processes share. */
export async function wallNs(work) {
  const startedMs = performance.now();
  await work();
  return (performance.now() - startedMs) * MS_NS;
}
