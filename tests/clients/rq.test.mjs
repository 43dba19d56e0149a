/** rq, a job queue in Python: jobs have the outcome they have with a real Redis. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { python, serveRedis } from './support/redis.mjs';
import { run, serve } from './support/server.mjs';

async function results(port) {
  const { code, output, errors } = await run(python, [join(import.meta.dirname, 'python/queue_script.py'), port]);
  assert.equal(code, 0, errors);
  return JSON.parse(output);
}

test('rq without streams: the same becomes of jobs as on a real Redis', async (t) => {
  const ports = [(await serveRedis(t)).port, (await serve(t)).port];
  const [control, ours] = await Promise.all(ports.map(results));
  assert.deepEqual(control.order, ['high', 'at the front', 'low']);
  assert.deepEqual(control.results, [5, 'ab', 'finished', 'finished']);
  assert.deepEqual(control['in time'], ['scheduled', 'finished', ['late'], 'soon']);
  assert.deepEqual(control.waited, [true, 'waited for']);
  assert.deepEqual(ours, control);
});
