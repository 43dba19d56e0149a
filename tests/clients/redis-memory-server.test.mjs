/** The README's examples in place of redis-memory-server: real clients over TCP print what the comments promise. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { consumer } from './support/consumer.mjs';
import { examplesBelow, promisedLines } from './support/readme.mjs';
import { run } from './support/server.mjs';

describe('in place of redis-memory-server', { concurrency: 1 }, () => {
  const examples = examplesBelow('In place of redis-memory-server');

  test('there are examples', () => assert.equal(examples.length, 5));

  for (const [index, code] of examples.entries()) {
    test(`example ${index + 1} of the README`, async () => {
      const home = consumer(
        'redis-memory-server',
        { redis: 'redis', ioredis: 'ioredis', '@redis': '@redis' },
        { 'example.mjs': code },
      );
      const { code: status, output, errors } = await run(process.execPath, ['example.mjs'], { cwd: home });
      assert.deepEqual([output.split('\n').slice(0, -1), status], [promisedLines(code), 0], errors);
    });
  }
});
