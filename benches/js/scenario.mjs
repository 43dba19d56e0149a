/**
 * Measures the wanted rows of the scenarios of a suite; the host passes functions that start a process and take the
 * time. Memory addresses vary by process, so every scenario has several, and a figure is the median over the rounds of
 * all.
 */
import { answer, effort, isWanted, landedFolder, quick, say } from './options.mjs';
import { OPERATIONS } from './shared/operations.mjs';
import { summarise, takeRounds } from './shared/rounds.mjs';
import { scenariosOf } from './shared/scenarios.mjs';
import { NEW_KEYS_MAX } from './shared/workbench.mjs';

const TITLES = { node: 'Node', chromium: 'Chromium' };

const PROCESSES = quick ? 1 : 3;
const ROUNDS = Math.ceil(effort.rounds / PROCESSES);
/** Number of keys in a short round, which runs every operation. */
const QUICK_KEYS_MAX = 1000;

/**
 * Prints the rows of a suite. `measure(scenario)` starts a process, and returns the result of `measureScenario` there.
 */
export async function answerScenarios(suite, measure) {
  const scenarios = wantedScenarios(suite);
  for (const [index, scenario] of scenarios.entries()) {
    const processes = [];
    for (let number = 1; number <= PROCESSES; number += 1) {
      say(
        `${TITLES[suite]}, scenario ${index + 1} of ${scenarios.length}: ${scenario.name}, process ${number} of ${PROCESSES}`,
      );
      processes.push(await measure(scenario));
    }
    for (const row of scenario.rows) {
      const times = new Map(row.stores.map((store) => [store, processes.flatMap((rows) => rows[row.name][store])]));
      answer({ table: scenario.name, row: row.name, unit: 'ns', ...summarise(row.stores, times) });
    }
  }
}

/** The scenarios of a suite with the wanted rows. */
export function wantedScenarios(suite) {
  const scenarios = scenariosOf(suite, (store) => store !== 'landed' || landedFolder !== undefined).map((scenario) => ({
    ...scenario,
    rows: scenario.rows.filter((row) => isWanted(row.name)),
  }));
  return scenarios.filter((scenario) => scenario.rows.length > 0);
}

/** The scenario for the host to fill. */
export const scenarioToPrepare = (scenario) =>
  quick ? { ...scenario, keys: Math.min(scenario.keys, QUICK_KEYS_MAX) } : scenario;

/**
 * Measures a prepared scenario. `sample(row, store, count)` returns the nanoseconds of one sample. Returns the
 * nanoseconds per command of every round, by row and store, in a form that can be passed between processes.
 */
export async function measureScenario(scenario, sample) {
  const rows = {};
  for (const row of scenario.rows) {
    say(`    ${row.name}`);
    const { commands = 1, changes } = OPERATIONS[row.operation];
    const countMax = changes || row.state === 'fresh' ? NEW_KEYS_MAX / commands : Infinity;
    const times = await takeRounds({
      ...effort,
      rounds: ROUNDS,
      names: row.stores,
      countMax,
      commands,
      sample: (store, count) => sample(row, store, count),
    });
    rows[row.name] = Object.fromEntries(times);
  }
  return rows;
}
