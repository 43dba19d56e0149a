/** A program with an engine that traps, or a server of its own, in its main thread or in a worker thread. */
import { writeFileSync, writeSync } from 'node:fs';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

const given = isMainThread ? JSON.parse(process.argv[2]) : workerData;
const { packageFolder, dir, fsync, isPending } = given;

async function serve() {
  const { createServer } = await import(`${packageFolder}/esm/server.js`);
  const server = await createServer({ dir, appendfsync: fsync, port: 0, bind: '127.0.0.1' }).listen();
  writeSync(1, `serves 127.0.0.1:${server.port}\n`);
}

async function write() {
  const { open } = await import(`${packageFolder}/esm/persist.js`);
  const db = await open({ dir, fsync });
  db.set('a', 'b');
  await db.flush();
  // With effects that are pending the log's own timer meets the trap.
  if (isPending) db.incr('n');
  writeFileSync(process.env.KEYLATCH_TRAP, '');
  writeSync(1, 'acknowledged\n');
  setInterval(() => (isPending ? undefined : db.incr('n')), 10);
}

// A worker thread has the preloads of its process.
if (isMainThread && given.inThread) new Worker(import.meta.filename, { workerData: given });
else await (given.serves ? serve() : write());
