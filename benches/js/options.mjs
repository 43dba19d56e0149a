/**
 * Options of `cargo xtask bench` for these scripts, as environment variables, and the output of scripts: a line of JSON
 * a row.
 */

const filter = (process.env.KEYLATCH_BENCH_FILTER ?? '').toLowerCase();

/** True for a short round, which checks that everything runs and does not measure speed. */
export const quick = process.env.KEYLATCH_BENCH_QUICK === '1';

/** Length of a sample, number of samples for warming up, and number of measured rounds. */
export const effort = quick ? { sampleMs: 1, warmSamples: 4, rounds: 1 } : { sampleMs: 8, warmSamples: 24, rounds: 11 };

/** Folder of the package of an earlier commit, if it was built. */
export const landedFolder = process.env.KEYLATCH_LANDED || undefined;

export const isWanted = (name) => name.toLowerCase().includes(filter);

/** Prints progress. */
export const say = (text) => process.stderr.write(`${text}\n`);

/**
 * Prints a row: `figures` by column in `unit`, keylatch first, and `ratios` of its figure to those of the others.
 * @param {{ table: string, row: string, unit: string, figures: Record<string, number>, ratios?: Record<string, number> }} row
 */
export function answer({ table, row, unit, figures, ratios = {} }) {
  const columns = Object.entries(figures).map(([of, value]) => ({ of, value, ratio: ratios[of] }));
  process.stdout.write(`${JSON.stringify({ table, row, unit, figures: columns })}\n`);
  const shown = ({ of, value, ratio }) =>
    `${of} ${Number(value.toPrecision(4))}${ratio === undefined ? '' : ` (${ratio.toPrecision(2)})`}`;
  say(`  ${row}: ${columns.map(shown).join(', ')} ${unit}`);
}
