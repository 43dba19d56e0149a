/**
 * `keylatch serve --dir` with `appendfsync everysec`, by redis-benchmark in turns: processor time of SET beside a server without
 * a folder, and its rate beside a redis-server with the same log. KEYLATCH_BEFORE names the folder of another build to compare with.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { redisBenchmark, serveRedis } from '../../tests/clients/support/redis.mjs';
import { run, serve, serveBuild } from '../../tests/clients/support/server.mjs';
import { answer, isWanted, quick, say } from './options.mjs';
import { summarise } from './shared/rounds.mjs';
import { processNs } from './support/processes.mjs';
import { Scope } from './support/scope.mjs';

const TABLE = 'Servers with a log';
const ROUNDS = quick ? 1 : 9;
const LOADS = [
  { pipelined: 16, connections: 50, requests: quick ? 2000 : 200_000 },
  { pipelined: 1, connections: 50, requests: quick ? 2000 : 40_000 },
  { pipelined: 1, connections: 1, requests: quick ? 2000 : 20_000 },
];

const nameOf = ({ pipelined, connections }) => `SET, everysec, -P ${pipelined} -c ${connections}`;

/** Requests per second, and the server's processor time per request. */
async function measure({ port, pid }, { pipelined, connections, requests }) {
  const before = processNs(pid);
  const options = [
    '-p',
    port,
    '-t',
    'set',
    '-n',
    requests,
    '-P',
    pipelined,
    '-c',
    connections,
    '-d',
    80,
    '-r',
    1000,
    '--csv',
  ];
  const { code, output, errors } = await run(redisBenchmark, options.map(String));
  const rate = Number(/^"SET","([\d.]+)"/m.exec(output)?.[1]);
  if (code !== 0 || !(rate > 0)) throw new Error(`redis-benchmark failed (${code}): ${errors}${output}`);
  return { rate, ns: (processNs(pid) - before) / requests };
}

async function measureLoad(load, servers) {
  const names = Object.keys(servers);
  const [times, rates] = [0, 1].map(() => new Map(names.map((name) => [name, []])));
  // The first round warms up.
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (let turn = 0; turn < names.length; turn += 1) {
      const name = names[(round + turn) % names.length];
      const { rate, ns } = await measure(servers[name], load);
      if (round > 0 || quick) times.get(name).push(ns);
      if (round > 0 || quick) rates.get(name).push(rate);
    }
  }
  const { figures, ratios } = summarise(names, times);
  answer({ table: TABLE, row: nameOf(load), unit: 'ns', figures, ratios });
  const sides = ['keylatch', 'redis-server'];
  answer({ table: TABLE, row: `${nameOf(load)}, rate`, unit: '1/s', ...summarise(sides, rates) });
}

const wanted = LOADS.filter((load) => isWanted(nameOf(load)));
const scope = new Scope();
const folder = () => {
  const path = mkdtempSync(join(tmpdir(), 'keylatch-bench-'));
  scope.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
};

say(TABLE);
try {
  const log = ['--appendonly', 'yes', '--appendfsync', 'everysec', '--dir'];
  const before = process.env.KEYLATCH_BEFORE;
  const servers = {
    keylatch: await serve(scope, ...log, folder()),
    memory: await serve(scope),
    'redis-server': await serveRedis(scope, ...log, folder()),
    ...(before === undefined ? {} : { before: await serveBuild(scope, before, ...log, folder()) }),
  };
  for (const load of wanted) await measureLoad(load, servers);
} finally {
  await scope.close();
}
