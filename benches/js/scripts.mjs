/**
 * Scripts in Lua with the package keylatch-scripting: in this process (`node`), or by redis-benchmark on its server and on
 * a real redis-server in turns (`loopback`).
 */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { folder as core } from '../../tests/js/support/package.mjs';
import { answer, effort, isWanted, quick, say } from './options.mjs';
import { median, summarise, takeRounds } from './shared/rounds.mjs';
import { Scope } from './support/scope.mjs';
import { processorNs, wallNs } from './support/time.mjs';

const folder = join(dirname(core), 'keylatch-scripting');
const TABLE = 'Scripts in Lua';
const NS_MS = 1e-6;

/** The release of a lock, as most libraries have it. */
const RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end";

const load = () => import(pathToFileURL(join(folder, 'esm/index.js')).href);

/** The lock is another owner's, so that each turn does the same. */
async function measureCalls() {
  const { Keylatch } = await load();
  const db = new Keylatch();
  db.set('lock', 'other');
  const sha1 = db.scriptLoad(RELEASE);
  const [keys, args] = [['lock'], ['me']];
  const operations = {
    'EVALSHA of a release': () => db.evalsha(sha1, keys, args),
    'EVAL of a release, compiled before': () => db.eval(RELEASE, keys, args),
    'db.script of a release': (
      (release) => () =>
        release('lock', 'me')
    )(db.script(RELEASE, { keys: 1 })),
  };
  for (const [row, run] of Object.entries(operations).filter(([row]) => isWanted(row))) {
    if (run() !== 0) throw new Error(`${row}: the lock of another owner was released`);
    const sample = (_, count) =>
      processorNs(() => {
        let sum = 0;
        for (let turn = 0; turn < count; turn += 1) sum += run();
        if (sum !== 0) throw new Error(`${row}: the lock of another owner was released`);
      });
    const times = await takeRounds({ ...effort, names: ['keylatch'], sample });
    answer({ table: TABLE, row, unit: 'ns', ...summarise(['keylatch'], times) });
  }
}

/** From the loaded package to the reply of the first script, in a fresh process. */
function measureFirst(row) {
  if (!isWanted(row)) return;
  const times = Array.from({ length: effort.rounds }, () => {
    const options = { stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' };
    const { status, stdout } = spawnSync(process.execPath, [import.meta.filename, 'first'], options);
    if (status !== 0) throw new Error('the first script failed');
    return Number(stdout) * NS_MS;
  });
  answer({ table: TABLE, row, unit: 'ms', figures: { keylatch: median(times) } });
}

async function first() {
  const { Keylatch } = await load();
  // Elapsed time: compilation uses several threads.
  const ns = await wallNs(() => new Keylatch().eval(RELEASE, ['lock'], ['me']));
  process.stdout.write(String(ns));
}

/** Requests per second of EVALSHA by side, in turns. */
async function measureServers(row) {
  if (!isWanted(row)) return;
  process.env.KEYLATCH_PACKAGE = folder;
  const { run, serve } = await import('../../tests/clients/support/server.mjs');
  const { redisBenchmark, redisCli, serveRedis } = await import('../../tests/clients/support/redis.mjs');
  const scope = new Scope();
  try {
    const servers = { keylatch: await serve(scope), 'redis-server': await serveRedis(scope) };
    const sides = Object.keys(servers);
    const rates = new Map(sides.map((side) => [side, []]));
    for (let round = 0; round < (quick ? 1 : 5); round += 1) {
      for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
        const port = String(servers[side].port);
        const { output: sha1 } = await run(redisCli, ['-p', port, 'SCRIPT', 'LOAD', RELEASE]);
        const options = ['-p', port, '-n', quick ? '5000' : '100000', '-P', '16', '-c', '50', '--csv'];
        const { output, errors } = await run(redisBenchmark, [...options, 'EVALSHA', sha1.trim(), '1', 'lock', 'me']);
        const rate = Number(/^"EVALSHA[^"]*","([\d.]+)"/m.exec(output)?.[1]);
        if (!(rate > 0)) throw new Error(`redis-benchmark failed: ${errors}${output}`);
        rates.get(side).push(rate);
      }
    }
    answer({ table: 'redis-benchmark', row, unit: '/s', ...summarise(sides, rates) });
  } finally {
    await scope.close();
  }
}

const [way] = process.argv.slice(2);
if (way === 'first') {
  await first();
} else if (way === 'node') {
  say(TABLE);
  await measureCalls();
  measureFirst('first EVAL of a process');
} else {
  await measureServers('EVALSHA -P 16 -c 50');
}
