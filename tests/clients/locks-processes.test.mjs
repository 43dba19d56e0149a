/** keylatch/locks of processes over a real Redis, some of which are stopped or killed. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { serveRedis } from './support/redis.mjs';
import { sleep } from './support/server.mjs';

const WORKER = join(import.meta.dirname, 'fixtures/lock-worker.mjs');
const PROCESSES = Number(process.env.KEYLATCH_LOCK_PROCESSES ?? 8);
/** Long, so that a busy machine does not end a lease that no signal ended. */
const LEASE_MS = 5000;
const SECTIONS = Number(process.env.KEYLATCH_LOCK_SECTIONS ?? 50);

/** Starts a worker; `lines` has the facts that it printed. */
function start(t, port, lines) {
  const child = spawn(process.execPath, [WORKER, port, SECTIONS, LEASE_MS].map(String), {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  createInterface({ input: child.stdout }).on('line', (line) => lines.push({ pid: child.pid, ...JSON.parse(line) }));
  return { child, ended: once(child, 'close') };
}

test(`${PROCESSES} processes, ${SECTIONS} sections each, some stopped for longer than their lease, some killed`, async (t) => {
  const { port } = await serveRedis(t);
  const lines = [];
  const workers = Array.from({ length: PROCESSES }, () => start(t, port, lines));
  // Half of the processes are left alone.
  const victims = workers.slice(0, PROCESSES / 2);
  while (lines.length < PROCESSES * 2) await sleep(5);
  const stopped = victims.filter((_, index) => index % 2 === 0);
  const killed = victims.filter((victim) => !stopped.includes(victim));
  for (const { child } of stopped) child.kill('SIGSTOP');
  for (const { child } of killed) child.kill('SIGKILL');
  await sleep(LEASE_MS + 500);
  for (const { child } of stopped) child.kill('SIGCONT');
  for (const worker of workers) {
    const [code] = await worker.ended;
    if (!killed.includes(worker)) assert.equal(code, 0);
  }

  const disturbed = new Set(victims.map(({ child }) => child.pid));
  const entered = lines.filter(({ token }) => token !== undefined);
  const calm = entered.filter(({ pid }) => !disturbed.has(pid));
  assert.equal(calm.length, (PROCESSES - victims.length) * SECTIONS, 'each section of the others was entered');
  for (const { pid, token, isLate, inside } of calm) {
    assert.equal(isLate, false, `process ${pid} entered with token ${token} after a later one`);
    const others = inside.filter((other) => !disturbed.has(other));
    assert.deepEqual(others, [], `process ${pid} entered with token ${token} beside others`);
  }
  assert.deepEqual(
    lines.filter(({ pid, lost }) => lost && !disturbed.has(pid)),
    [],
    'no lease is lost without a reason',
  );
  assert.equal(new Set(entered.map(({ token }) => token)).size, entered.length);
});
