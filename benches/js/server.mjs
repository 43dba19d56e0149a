/**
 * `keylatch serve` beside a real redis-server, both over loopback, in turns: throughput as redis-benchmark sees it, the
 * processor time a command costs the server, and large collections with the memory they take.
 */
import { redisBenchmark, serveRedis } from '../../tests/clients/support/redis.mjs';
import { run, serve } from '../../tests/clients/support/server.mjs';
import { answer, isWanted, quick, say } from './options.mjs';
import { measureCollections } from './server-collections.mjs';
import { summarise } from './shared/rounds.mjs';
import { Scope } from './support/scope.mjs';
import { processNs } from './support/processes.mjs';

const ROUNDS = quick ? 1 : 5;
const CONNECTIONS = 50;
const SIDES = ['keylatch', 'redis-server'];

/** How redis-benchmark asks: requests sent at once, and how many in all. */
const LOADS = [
  { pipelined: 100, requests: quick ? 10_000 : 1_000_000 },
  { pipelined: 1, requests: quick ? 2_000 : 50_000 },
];

/** Requests a second by test name, and what the server's processor time was for each of them. */
async function benchmark({ port, pid }, { pipelined, requests }, test) {
  const before = processNs(pid);
  const options = ['-p', port, '-t', test, '-n', requests, '-P', pipelined, '-c', CONNECTIONS, '--csv'];
  const { code, output, errors } = await run(redisBenchmark, options.map(String));
  const rate = Number(/^"[A-Z]+","([\d.]+)"/m.exec(output)?.[1]);
  if (code !== 0 || !(rate > 0)) throw new Error(`redis-benchmark failed (${code}): ${errors}${output}`);
  return { rate, ns: before === undefined ? undefined : (processNs(pid) - before) / requests };
}

async function measureLoad(servers, load, test) {
  const row = `${test.toUpperCase()} -P ${load.pipelined} -c ${CONNECTIONS}`;
  if (!isWanted(row)) return;
  const [rates, times] = [0, 1].map(() => new Map(SIDES.map((side) => [side, []])));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const side of round % 2 === 0 ? SIDES : SIDES.toReversed()) {
      const { rate, ns } = await benchmark(servers[side], load, test);
      rates.get(side).push(rate);
      if (ns !== undefined) times.get(side).push(ns);
    }
  }
  answer({ table: 'redis-benchmark', row, unit: '/s', ...summarise(SIDES, rates) });
  if (times.get('keylatch').length > 0) {
    answer({ table: 'Processor time of the server', row: `${row}, processor time`, unit: 'ns', ...summarise(SIDES, times) });
  }
}

say('Servers');
const scope = new Scope();
try {
  const servers = { keylatch: await serve(scope), 'redis-server': await serveRedis(scope) };
  for (const load of LOADS) {
    for (const test of ['set', 'get']) await measureLoad(servers, load, test);
  }
  await measureCollections(SIDES, servers);
} finally {
  await scope.close();
}
