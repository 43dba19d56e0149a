/** redis-benchmark runs its tests without an error, with and without pipelining, and finds its configuration. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redisBenchmark } from './support/redis.mjs';
import { run, serve } from './support/server.mjs';

const TESTS = 'ping_inline,ping_mbulk,set,get,incr,lpush,rpush,lpop,rpop,lrange_100,mset';

test('redis-benchmark', async (t) => {
  const { port } = await serve(t);
  for (const options of [
    ['-c', '50'],
    ['-c', '20', '-P', '50'],
    ['-c', '10', '-P', '10', '--threads', '2', '-r', '1000', '-3'],
  ]) {
    const { code, output, errors } = await run(redisBenchmark, [
      '-p',
      String(port),
      '-t',
      TESTS,
      '-n',
      '5000',
      '-q',
      ...options,
    ]);
    assert.equal(code, 0, errors);
    assert.doesNotMatch(output + errors, /error|WARNING/i);
    const finished = output.split(/[\r\n]+/).filter((line) => /requests per second, p50/.test(line));
    assert.ok(finished.length >= 11, output);
  }
});
