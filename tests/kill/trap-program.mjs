/** A program with `open` and an engine that traps, in its main thread or in a worker thread. */
import { writeFileSync, writeSync } from 'node:fs';
import { Worker, isMainThread, workerData } from 'node:worker_threads';

const given = isMainThread ? JSON.parse(process.argv[2]) : workerData;
const { persistFile, dir, fsync, inThread, isPending } = given;

if (isMainThread && inThread) {
  // A worker thread has the preloads of its process; its error ends the process.
  new Worker(import.meta.filename, { workerData: given });
} else {
  const { open } = await import(persistFile);
  const db = await open({ dir, fsync });
  db.set('a', 'b');
  await db.flush();
  writeSync(1, 'acknowledged\n');
  // Effects that are pending: the log's own timer meets the trap.
  if (isPending) db.incr('n');
  writeFileSync(process.env.KEYLATCH_TRAP, '');
  setInterval(() => (isPending ? undefined : db.incr('n')), 10);
}
