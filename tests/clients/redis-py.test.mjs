/** redis-py over both protocols: a script has the results it has with a real Redis. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { python, serveRedis } from './support/redis.mjs';
import { run, serve } from './support/server.mjs';

async function results(port, protocol) {
  const { code, output, errors } = await run(python, [join(import.meta.dirname, 'python/script.py'), port, protocol]);
  assert.equal(code, 0, errors);
  return JSON.parse(output);
}

for (const protocol of [2, 3]) {
  test(`redis-py, RESP${protocol}: the same results as on a real Redis`, async (t) => {
    const control = await results((await serveRedis(t)).port, protocol);
    assert.match(control['wrong type'], /WRONGTYPE|wrong kind/);
    assert.deepEqual(await results((await serve(t)).port, protocol), control);
  });
}
