/** The examples of docs/locks-migration.md, with the real libraries: three calls at a time, of which one runs at each moment. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { consumer } from './support/consumer.mjs';
import { serveRedis } from './support/redis.mjs';
import { run } from './support/server.mjs';

const PACKAGES = [
  '@upstash/lock',
  '@upstash/redis',
  'async-mutex',
  'ioredis',
  'proper-lockfile',
  'redis-semaphore',
  'redlock',
];

/** Objects that the examples use. */
const before = (port) => `
import Redis from 'ioredis';
import { Redis as Upstash } from '@upstash/redis';
const redis = new Redis(${port}, '127.0.0.1');
const request = async ({ body: [command, ...args] }) => ({ result: await redis.call(command, ...args.map(String)) });
const upstash = new Upstash({ request });
const seen = { runs: 0, most: 0, tokens: [] };
let inside = 0;
async function work(token) {
  inside += 1;
  seen.most = Math.max(seen.most, inside);
  seen.tokens.push(token);
  await new Promise((resolve) => setTimeout(resolve, 5));
  inside -= 1;
  seen.runs += 1;
}
`;

const AFTER = `
await Promise.all([update(), update(), update()]);
process.stdout.write(JSON.stringify(seen), () => process.exit());
`;

const page = readFileSync(new URL('../../docs/locks-migration.md', import.meta.url), 'utf8');
const sections = page.split(/^## /m).slice(1);

test('there is a pair for each library', () => {
  const names = sections.map((section) => section.split('\n')[0]);
  assert.deepEqual(names, ['redlock', 'redis-semaphore', '@upstash/lock', 'proper-lockfile', 'async-mutex']);
});

for (const section of sections) {
  const [name] = section.split('\n');
  test(`from ${name}`, async (t) => {
    const { port } = await serveRedis(t);
    const pair = [...section.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code);
    assert.equal(pair.length, 2);
    const files = Object.fromEntries(pair.map((code, index) => [`${index}.mjs`, before(port) + code + AFTER]));
    const packages = Object.fromEntries(PACKAGES.map((one) => [one, one]));
    const home = consumer(`migration-${name.replace('/', '-')}`, packages, files);
    for (const file of Object.keys(files)) {
      const { code, output, errors } = await run(process.execPath, [file], { cwd: home });
      assert.equal(code, 0, errors);
      const { runs, most, tokens } = JSON.parse(output);
      assert.deepEqual({ runs, most }, { runs: 3, most: 1 }, file);
      if (file === '1.mjs') assert.ok(tokens[0] < tokens[1] && tokens[1] < tokens[2], 'tokens grow');
    }
  });
}
