/**
 * Rounds of a row: stores take turns in rounds, so that other load of the machine affects all of them; a figure is the
 * median of its rounds, a ratio the median of the ratios of each round. Independent of clock and stores.
 */

const FIRST_COUNT = 64;
const GROWTH_MAX = 8;
/** Maximum number of turns, sufficient for the fastest operation. */
const COUNT_MAX = 2 ** 24;

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * The rounds of one row: nanoseconds per command by name. `sample(name, count)` returns those of `count` turns.
 * Compilation on other threads is processor time of the process: with fewer than two dozen `warmSamples` it was visible
 * on a busy machine.
 */
export async function takeRounds({ names, sample, rounds, sampleMs, warmSamples, countMax = Infinity, commands = 1 }) {
  const counts = new Map();
  const limits = { wantedNs: sampleMs * 1e6, countMax, warmSamples };
  for (const name of names) counts.set(name, await warm((count) => sample(name, count), limits));
  const times = new Map(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < names.length; turn += 1) {
      const name = names[(round + turn) % names.length];
      const count = counts.get(name);
      times.get(name).push((await sample(name, count)) / (count * commands));
    }
  }
  return times;
}

/**
 * Runs growing samples until they are long enough, repeatedly, so that neither an accident nor compilation made them
 * long; returns the number of turns of such a sample.
 */
async function warm(sample, { wantedNs, countMax, warmSamples }) {
  let count = Math.min(FIRST_COUNT, countMax);
  for (let long = 0; long <= warmSamples; ) {
    const ns = await sample(count);
    long = ns >= wantedNs / 2 || count >= countMax ? long + 1 : 0;
    if (long > 0) continue;
    if (count >= COUNT_MAX) throw new Error(`${count} turns took ${ns} ns: the clock does not measure them`);
    const growth = Math.min(GROWTH_MAX, Math.max(1.5, wantedNs / Math.max(ns, 1)));
    count = Math.min(countMax, Math.ceil(count * growth));
  }
  return count;
}

/** Computes `{ figures, ratios }`. `times` holds a figure of every round by name; ours is the first of `names`. */
export function summarise(names, times) {
  const [ours, ...peers] = names;
  const figures = Object.fromEntries(names.map((name) => [name, median(times.get(name))]));
  const ratio = (peer) => median(times.get(ours).map((ns, round) => ns / times.get(peer)[round]));
  return { figures, ratios: Object.fromEntries(peers.map((peer) => [peer, ratio(peer)])) };
}
