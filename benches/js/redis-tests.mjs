/** All default tests of redis-benchmark, on two servers in turns. */
import { redisBenchmark } from '../../tests/clients/support/redis.mjs';
import { run } from '../../tests/clients/support/server.mjs';
import { answer, isWanted, quick, say } from './options.mjs';
import { summarise } from './shared/rounds.mjs';
import { processNs } from './support/processes.mjs';

const ROUNDS = quick ? 1 : 5;
const CONNECTIONS = 50;

/** Pipeline lengths, and the requests of a run of a fast command: redis-benchmark measures in milliseconds. */
const LOADS = [
  { pipelined: 1, requests: quick ? 500 : 10_000 },
  { pipelined: 16, requests: quick ? 1600 : 100_000 },
  { pipelined: 100, requests: quick ? 5000 : 500_000 },
];
// Fewer may complete within a millisecond, and redis-benchmark divides by the milliseconds.
const REQUESTS_MIN = 2000;

/**
 * In the order of redis-benchmark, which matters: LPOP takes elements that LPUSH pushed. `lrange` runs four tests on a
 * list that it creates. `cost` divides the requests of slow commands.
 */
const TESTS = [
  ...[
    'ping_inline',
    'ping_mbulk',
    'set',
    'get',
    'incr',
    'lpush',
    'rpush',
    'lpop',
    'rpop',
    'sadd',
    'hset',
    'spop',
    'zadd',
    'zpopmin',
  ].map((test) => ({ test, rows: [test.toUpperCase()], cost: 1 })),
  { test: 'lrange', rows: ['LRANGE_100', 'LRANGE_300', 'LRANGE_500', 'LRANGE_600'], cost: 100 },
  { test: 'mset', rows: ['MSET'], cost: 5 },
];

const nameOf = (row, { pipelined }) => `${row} -P ${pipelined} -c ${CONNECTIONS}`;

/** Requests per second by row, and the server's processor time per request where a single test ran. */
async function benchmark({ port, pid }, { pipelined, requests }, { test, rows, cost }) {
  const count = Math.max(REQUESTS_MIN, CONNECTIONS * pipelined, Math.ceil(requests / cost));
  const before = processNs(pid);
  const options = ['-p', port, '-t', test, '-n', count, '-P', pipelined, '-c', CONNECTIONS, '--csv'];
  const { code, output, errors } = await run(redisBenchmark, options.map(String));
  const rates = [...output.matchAll(/^"([A-Z_0-9]+)(?: \(\d+ keys\)| \(first \d+ elements\))?","([\d.]+)"/gm)];
  const found = Object.fromEntries(
    rates.map(([, row, rate]) => [row, Number(rate)]).filter(([row]) => rows.includes(row)),
  );
  if (code !== 0 || !rows.every((row) => found[row] > 0))
    throw new Error(`redis-benchmark -t ${test} failed (${code}): ${errors}${output}`);
  const single = before !== undefined && rows.length === 1;
  return { rates: found, ns: single ? (processNs(pid) - before) / count : undefined };
}

/**
 * Runs one round of every wanted test with a pipeline length; adds its figures to `rates` and `times` by row and side.
 */
async function takeRound(sides, servers, load, tests, { rates, times }) {
  for (const test of tests) {
    for (const side of sides) {
      const measured = await benchmark(servers[side], load, test);
      for (const [row, rate] of Object.entries(measured.rates)) push(rates, nameOf(row, load), side, rate);
      if (measured.ns !== undefined) push(times, nameOf(test.rows[0], load), side, measured.ns);
    }
  }
}

function push(rows, row, side, figure) {
  const sides = rows.get(row) ?? new Map();
  rows.set(row, sides.set(side, [...(sides.get(side) ?? []), figure]));
}

/** Rows of redis-benchmark; `servers` has `{ port, pid }` by side. */
export async function measureTests(sides, servers) {
  const figures = { rates: new Map(), times: new Map() };
  for (const load of LOADS) {
    const tests = TESTS.filter(({ rows }) => rows.some((row) => isWanted(nameOf(row, load))));
    for (let round = 0; round < ROUNDS && tests.length > 0; round += 1) {
      say(`redis-benchmark -P ${load.pipelined}, round ${round + 1} of ${ROUNDS}`);
      await takeRound(round % 2 === 0 ? sides : sides.toReversed(), servers, load, tests, figures);
    }
  }
  for (const [row, rates] of figures.rates)
    answer({ table: 'redis-benchmark', row, unit: '/s', ...summarise(sides, rates) });
  for (const [row, times] of figures.times) {
    answer({
      table: 'Processor time of the server',
      row: `${row}, processor time`,
      unit: 'ns',
      ...summarise(sides, times),
    });
  }
}
