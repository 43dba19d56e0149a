/** Declarations of `keylatch/ioredis` and `keylatch/testing`, beside those of ioredis and without ioredis. */
import { join, resolve } from 'node:path';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { consumer } from './support/consumer.mjs';
import { run } from './support/server.mjs';

const tools = resolve(import.meta.dirname, '../../pkg-templates/npm/node_modules');

const PROGRAM = `
import Default, { Cluster, clockOf, connector, Redis, reset, serverAt } from 'keylatch/ioredis';
import { assertSameKeys, startServer, RedisMemoryServer, type StartedServer, type FaultKind } from 'keylatch/testing';
import { Keylatch } from 'keylatch';

const redis = new Redis('redis://localhost:6379', { keyPrefix: 'a:', lazyConnect: true });
const value = redis.get('k');
const again: Redis = redis;
VALUE
new Default({ Connector: connector(new Keylatch()) });
serverAt(redis).failNext('READONLY', { command: ['SET', 'DEL'], when: ([, key]) => key === 'k', times: undefined });
serverAt('localhost', 6379).latency(20);
clockOf().advance(5).toFixed();
reset();
const kind: FaultKind = 'OOM';
export async function main(): Promise<StartedServer> {
  await using server = await startServer({ port: 0, time: new Date(), seed: 1, maxmemory: '1mb' });
  server.failNext(kind).cancel();
  server.disconnect(({ name }) => name === 'worker').toFixed();
  // @ts-expect-error: there is no such option.
  await startServer({ prot: 1 });
  // @ts-expect-error: there is no such option.
  server.failNext('OOM', { time: 1 });
  assertSameKeys(server.db, server.db.snapshot(), { deadlines: false });
  await (await RedisMemoryServer.create()).getPort();
  return server;
}
void [value, again, Cluster];
`;

const OPTIONS = {
  strict: true,
  noEmit: true,
  skipLibCheck: false,
  exactOptionalPropertyTypes: true,
  target: 'es2022',
  lib: ['es2022', 'esnext.disposable'],
  types: ['node'],
  typeRoots: [join(tools, '@types')],
};

for (const [name, packages, assertion] of [
  ['with ioredis', { ioredis: 'ioredis' }, 'const typed: Promise<string | null> = value; void typed;'],
  ['without ioredis', {}, 'const anything: number = value; void anything;'],
]) {
  for (const [module, extension] of [
    ['nodenext', 'mts'],
    ['nodenext', 'cts'],
    ['bundler', 'ts'],
  ]) {
    test(`types ${name}: ${module}, .${extension}`, async () => {
      const options = { ...OPTIONS, module: module === 'bundler' ? 'esnext' : module, moduleResolution: module };
      const home = consumer(`types-${name}-${extension}`.replaceAll(' ', '-'), packages, {
        [`program.${extension}`]: PROGRAM.replace('VALUE', assertion),
        'tsconfig.json': JSON.stringify({ compilerOptions: options, include: ['program.*'] }),
      });
      const { code, output } = await run(process.execPath, [join(tools, 'typescript/bin/tsc'), '-p', home]);
      // Declarations of Node contradict each other under exactOptionalPropertyTypes; those of others count.
      const errors = output.split(/\n(?! )/).filter((error) => error !== '' && !error.includes('@types/node/'));
      assert.deepEqual(errors, [], `${code}`);
    });
  }
}
