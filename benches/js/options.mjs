/** What `cargo xtask bench` asks of every script here, by environment variables, and how scripts answer: a line of JSON a row. */

const filter = (process.env.KEYLATCH_BENCH_FILTER ?? '').toLowerCase();

/** A short round: shows that everything runs, and says nothing about speed. */
export const quick = process.env.KEYLATCH_BENCH_QUICK === '1';

/** How long a sample is, how many warm a store up, and how many rounds of them are counted. */
export const effort = quick ? { sampleMs: 1, warmSamples: 4, rounds: 1 } : { sampleMs: 8, warmSamples: 24, rounds: 11 };

/** The package of an earlier commit, where it was built. */
export const landedFolder = process.env.KEYLATCH_LANDED || undefined;

export const isWanted = (name) => name.toLowerCase().includes(filter);

/** Shows what is going on. */
export const say = (text) => process.stderr.write(`${text}\n`);

/**
 * Answers a row: `figures` by column in `unit`, keylatch first, and `ratios` of its figure to those of the others.
 * @param {{ table: string, row: string, unit: string, figures: Record<string, number>, ratios?: Record<string, number> }} row
 */
export function answer({ table, row, unit, figures, ratios = {} }) {
  const columns = Object.entries(figures).map(([of, value]) => ({ of, value, ratio: ratios[of] }));
  process.stdout.write(`${JSON.stringify({ table, row, unit, figures: columns })}\n`);
  const shown = ({ of, value, ratio }) =>
    `${of} ${Number(value.toPrecision(4))}${ratio === undefined ? '' : ` (${ratio.toPrecision(2)})`}`;
  say(`  ${row}: ${columns.map(shown).join(', ')} ${unit}`);
}
