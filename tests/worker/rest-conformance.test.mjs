/** Recorded replies of a real Redis, compared through REST: commands as JSON, or as a path if they are not UTF-8. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { compareRecordings } from './support/conformance.mjs';
import { start } from './support/host.mjs';

/** Commands of a connection, which requests lack. */
const OF_CONNECTION =
  /^(multi|exec|discard|watch|unwatch|select|hello|reset|quit|subscribe|psubscribe|.*unsubscribe)$/i;

const isWithoutConnection = ({ steps }) =>
  steps.every(({ argv, connection }) => connection === 0 && argv.length > 0 && !OF_CONNECTION.test(String(argv[0])));

const isText = (word) => Buffer.from(word.toString()).equals(word);

/** A command as it is sent: JSON, or a path with the last argument as body. One slash at the end is taken away. */
function requestOf(argv) {
  if (argv.every(isText)) return { path: '', body: JSON.stringify(argv.map(String)) };
  const words = argv.map((word) => Array.from(word, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''));
  return { path: `/${words.slice(0, -1).join('/')}/`, body: argv.at(-1) };
}

test('recorded sessions give the recorded replies', async (t) => {
  const worker = await start(t);
  let paths = 0;
  await compareRecordings(
    async (namespace) => ({
      async ask(argv) {
        const { path, body } = requestOf(argv);
        if (path !== '') paths += 1;
        const response = await worker.send(body, {
          path: `/namespace/${encodeURIComponent(namespace)}${path}`,
          headers: { 'upstash-response-format': 'resp2' },
        });
        return Buffer.from(await response.arrayBuffer());
      },
      close() {},
    }),
    { suits: isWithoutConnection, atLeast: 150 },
  );
  assert.ok(paths > 0, 'some arguments are no text');
});
