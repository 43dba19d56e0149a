/**
 * The slowest insert while a store grows: each insert is timed, and each position keeps the minimum of three runs,
 * which removes disturbances by the machine. A long one counts at most the processor time of the process meanwhile,
 * including its helper threads: on a busy machine it also waits for the processor.
 */
import { spawnSync } from 'node:child_process';
import { entry } from '../../tests/js/support/package.mjs';
import { answer, isWanted, quick, say } from './options.mjs';
import { STORES } from './shared/stores.mjs';
import { makeValues } from './shared/texts.mjs';

const KEYS = 5_000_000;
const MEASURED_KEYS = quick ? 50_000 : KEYS;
const RUNS = quick ? 1 : 3;
const VALUES = 1024;
const MS_US = 1000;
/** Threshold of a long insert. */
const LONG_MS = 0.1;
/** Number of inserts between readings of processor time, which take as long as an insert. */
const INSERTS_PER_MARK = 16;

/** Quantiles of the insert times, by their names in tables. */
const SHARES = { 'worst insert': 1, 'insert, 99.99 %': 0.9999, 'insert, 99.9 %': 0.999 };

async function measure(name) {
  const { Keylatch } = await entry('index');
  const values = makeValues(VALUES, 32);
  const least = new Float32Array(MEASURED_KEYS).fill(Infinity);
  const insert = new Function('store', 'key', 'value', STORES[name].set);
  for (let run = 0; run < RUNS; run += 1) {
    globalThis.gc();
    const store = STORES[name].make({ Keylatch }, {});
    // The engine is created at the first command; that time is measured by the start bench.
    insert(store, 'first', values[0]);
    fill(store, insert, values, least);
  }
  least.sort();
  return Object.values(SHARES).map((share) => least[Math.ceil(MEASURED_KEYS * share) - 1] * MS_US);
}

function fill(store, insert, values, least) {
  let mark;
  for (let index = 0; index < MEASURED_KEYS; index += 1) {
    if (index % INSERTS_PER_MARK === 0) mark = process.cpuUsage();
    const key = `user:${100_000_000_000 + index}`;
    const startedMs = performance.now();
    insert(store, key, values[index & (VALUES - 1)]);
    let tookMs = performance.now() - startedMs;
    if (tookMs > LONG_MS) tookMs = Math.min(tookMs, processorMs(mark));
    if (tookMs < least[index]) least[index] = tookMs;
  }
}

function processorMs(mark) {
  const { user, system } = process.cpuUsage(mark);
  return (user + system) / MS_US;
}

function measureApart(name) {
  say(`Growing, ${name}`);
  const flags = ['--expose-gc', '--max-old-space-size=6000'];
  const child = spawnSync(process.execPath, [...flags, import.meta.filename, name], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (child.status !== 0) throw new Error(`measuring ${name} failed`);
  return JSON.parse(child.stdout);
}

const [name] = process.argv.slice(2);
if (name !== undefined) {
  process.stdout.write(JSON.stringify(await measure(name)));
} else if (isWanted('worst insert')) {
  const [ours, theirs] = ['keylatch', 'Map'].map(measureApart);
  for (const [index, row] of Object.keys(SHARES).entries()) {
    const figures = { keylatch: ours[index], Map: theirs[index] };
    answer({
      table: `Growing to ${KEYS / 1e6}e6 keys`,
      row,
      unit: 'µs',
      figures,
      ratios: { Map: ours[index] / theirs[index] },
    });
  }
}
